/**
 * `npm run build`: checks the types, and bundles the page, the command, the library and the client into `dist`. Does
 * nothing if no input has changed since the last build. What other versions left there is no part of the package: it
 * names its files.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const filesIn = (entry: string): string[] =>
  statSync(entry).isDirectory()
    ? readdirSync(entry, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(tsx?|js|json|css|html|webmanifest)$/.test(file)
    ).map((file) => join(entry, file))
    : [entry]
const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { include: string[] }
const sources = include.flatMap(filesIn)

/** Digest of the contents, not of the times: switching to another branch and back is no change. */
const digest = createHash('sha256')
const read = ['package.json', 'package-lock.json', 'tsconfig.json', ...filesIn('build'), ...filesIn('public'), ...sources]
for (const file of read.sort()) digest.update(`${file}\n${readFileSync(file, 'utf8')}\n`)
const inputs = digest.digest('hex')
const stamp = 'dist/.build/inputs'
const declarations = 'dist/.build/types'

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== inputs) {
  // Written again at the end, so that an interrupted build does not count as up to date.
  rmSync(stamp, { force: true })
  // One thread: more of them check the same types again, which costs twice the CPU.
  const compiler = ['node_modules/typescript/bin/tsc', '--singleThreaded', '--incremental', '--tsBuildInfoFile', 'dist/.build/tsc', '--emitDeclarationOnly', '--outDir', declarations]
  const { status } = spawnSync(process.execPath, compiler, { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  // Imported late: they load the bundler and the whole registry.
  const { bundleCommand } = await import('./command.ts')
  const { bundleClient } = await import('./client.ts')
  const { bundleLibrary, copyDeclarations } = await import('./library.ts')
  const { writeTypes } = await import('./types.ts')
  // @ts-expect-error plain script, which tests and `npm run demo` use too
  const { bundlePage } = await import('./page.js') as { bundlePage (): Promise<string[]> }
  writeTypes(declarations)
  copyDeclarations(declarations, 'dist/types')
  await bundleCommand(await bundlePage())
  await bundleLibrary()
  writeFileSync('dist/client.js', await bundleClient())
  writeFileSync(stamp, inputs)
}
