/** An earlier version of the relay, built to be measured in turn with this one. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The commit of the last release: 2.0.0. */
export const lastRelease = '4403703'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds a commit or tag in a folder for temporary files, unless it is there. Returns the path of its command. */
export function builtFrom (ref: string, progress: (text: string) => void): string {
  const commit = execFileSync('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root, encoding: 'utf8' }).trim()
  const folder = join(tmpdir(), `music-relay-${commit.slice(0, 12)}`)
  const command = join(folder, 'dist/cli.js')
  if (existsSync(command)) return command
  progress(`building ${ref} in ${folder}`)
  mkdirSync(folder, { recursive: true })
  execFileSync(
    'tar', ['-x', '-C', folder], { input: execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 }) }
  )
  for (const words of [['ci', '--no-audit', '--no-fund'], ['run', 'build']]) {
    execFileSync('npm', words, { cwd: folder, stdio: 'ignore' })
  }
  return command
}
