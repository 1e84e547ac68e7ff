/**
 * Bundles test files and the programs that they start, once for a run. Loading their modules one by one takes a second of
 * CPU for each file, and most start the relay. Packages are not in the bundles.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What tests start as processes of their own: `programLine` of program.ts. */
const programs = ['src/cli.ts', 'test/instance.ts', 'test/fuzz/relay.ts']

/** Modules look for files beside themselves. They keep their own address in a bundle. */
const addresses = {
  name: 'addresses',
  setup ({ onLoad }) {
    onLoad({ filter: /\.(ts|js)$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined
      const text = readFileSync(path, 'utf8')
      if (!/import\.meta\.(url|dirname)\b/.test(text)) return undefined
      return {
        contents: text.replaceAll(/import\.meta\.url\b/g, JSON.stringify(pathToFileURL(path).href)).replaceAll(/import\.meta\.dirname\b/g, JSON.stringify(dirname(path))),
        loader: path.endsWith('.ts') ? 'ts' : 'js'
      }
    })
  }
}

/**
 * Resolves with the folder of the bundles, in which `test/x.test.ts` is `test/x.test.js`. It is removed when this process
 * exits.
 */
export async function bundle (files) {
  mkdirSync(join(root, '.tap'), { recursive: true })
  // A folder of its own: another run may be going on.
  const folder = mkdtempSync(join(root, '.tap/run-'))
  process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { process.exit(1) })
  await build({
    absWorkingDir: root,
    entryPoints: [...files, ...programs],
    outdir: folder,
    outbase: '.',
    bundle: true,
    splitting: true,
    packages: 'external',
    // A test has a page import the client by its address.
    external: ['/client.js'],
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [addresses]
  })
  return folder
}
