/** `npm run lint`: names the lines that are too long. A text or a pattern in one piece may be longer. */
import { readFileSync, readdirSync } from 'node:fs'

const most = 120
const literal = /'(?:[^'\\]|\\.)*'|"[^"]*"|`(?:[^`\\]|\\.)*`|(?<=[=(:&]\s|^\s*)\/(?:[^/\\\n]|\\.)+\//g
const files = ['src', 'schemas', 'public', 'build', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => /\.(ts|tsx|js)$/.test(file) && !file.includes('node_modules/'))
for (const file of files) {
  let isInText = false
  readFileSync(file, 'utf8').split('\n').forEach((line, at) => {
    const wasInText = isInText
    if (line.split('`').length % 2 === 0) isInText = !isInText
    if (line.length <= most || wasInText || isInText || line.replaceAll(literal, '').length <= 80) return
    console.log(`${file}:${at + 1}: ${line.length} characters`)
    process.exitCode = 1
  })
}
