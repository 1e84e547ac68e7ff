/** `npm run lint`: names the lines that are too long. A text or a pattern in one piece may be longer. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const most = 160
const literal = /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[=(]\s|^\s*)\/(?:[^/\\\n]|\\.)+\//g
const files = execFileSync('git', ['ls-files', 'src/*.ts', 'schemas/*.ts'], { encoding: 'utf8' }).trim().split('\n')
for (const file of files) {
  readFileSync(file, 'utf8').split('\n').forEach((line, at) => {
    if (line.length <= most || line.replaceAll(literal, '').length <= 110) return
    console.log(`${file}:${at + 1}: ${line.length} characters`)
    process.exitCode = 1
  })
}
