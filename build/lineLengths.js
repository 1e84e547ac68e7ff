/** `npm run lint`: names the lines that are too long. A text or a pattern in one piece may be longer. */
import { readFileSync, readdirSync } from 'node:fs'

const most = 160
const literal = /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[=(]\s|^\s*)\/(?:[^/\\\n]|\\.)+\//g
const files = ['src', 'schemas'].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`)).filter((file) => file.endsWith('.ts'))
for (const file of files) {
  readFileSync(file, 'utf8').split('\n').forEach((line, at) => {
    if (line.length <= most || line.replaceAll(literal, '').length <= 110) return
    console.log(`${file}:${at + 1}: ${line.length} characters`)
    process.exitCode = 1
  })
}
