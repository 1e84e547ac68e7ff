/** `npm run build` builds only what is out of date, because `npm start` runs it first. */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('a build without a change does nothing; a change of an input builds; a source that is gone leaves nothing behind', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'build-'))
  t.teardown(() => { rmSync(folder, { recursive: true, force: true }) })
  for (const name of [
    'build', 'config', 'public', 'schemas', 'src', 'package.json', 'package-lock.json', 'tsconfig.json'
  ]) cpSync(join(root, name), join(folder, name), { recursive: true })
  // The types are checked beside the suite, and take most of a build.
  const settings = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
    ...settings, compilerOptions: { ...settings.compilerOptions, noCheck: true }
  }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const inFolder = (file: string): string => join(folder, file)
  /** Whether the build wrote the command. */
  const builds = (): boolean => {
    const written = (): number => existsSync(inFolder('dist/cli.js')) ? statSync(inFolder('dist/cli.js')).mtimeMs : 0
    const before = written()
    const { status, stdout, stderr } =
      spawnSync(process.execPath, ['--import', 'tsx', 'build/run.ts'], { cwd: folder, encoding: 'utf8' })
    t.equal(status, 0, `${stdout}${stderr}`)
    return written() > before
  }

  const entry = readFileSync(join(root, 'src/index.ts'), 'utf8')
  writeFileSync(inFolder('src/passing.ts'), 'export const passing = 1\n')
  writeFileSync(inFolder('src/index.ts'), `${entry}export { passing } from './passing.ts'\n`)
  t.equal(builds(), true)
  for (const file of ['cli.js', 'client.js', 'index.js', 'third-party-licences.txt', 'types/src/index.d.ts', 'types/src/passing.d.ts']) t.ok(existsSync(inFolder(`dist/${file}`)), file)
  t.equal(builds(), false, 'nothing has changed')

  rmSync(inFolder('src/passing.ts'))
  writeFileSync(inFolder('src/index.ts'), entry)
  t.equal(builds(), true, 'a source is gone')
  t.notOk(existsSync(inFolder('dist/types/src/passing.d.ts')))
  t.ok(existsSync(inFolder('dist/index.js')))

  appendFileSync(inFolder('package-lock.json'), '\n')
  t.equal(builds(), true, 'other packages go into the bundles')
})
