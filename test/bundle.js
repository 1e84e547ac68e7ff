/**
 * Bundles test files and the programs that they start, once for a run: loading their modules and packages one by one
 * takes more than a second of CPU for each of some eighty files, and half a second for each of some two hundred starts
 * of the command. (The built command is another bundle: `node test/run.js command` tests that one.)
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** Every file loads these. As modules of their own, 200 files of `tap` and `yaml`, they take a third of the start of each file. */
const inside = ['tap', 'yaml']
/** Tools, what an installation may lack, and the documentation page, which has its own files. A test has a page import `/client.js`. */
const external =
  [...Object.keys(devDependencies).filter((name) => !inside.includes(name)), '@fastify/swagger-ui', '/client.js']
/** What tests start as processes of their own: `programLine` of program.ts. */
const programs = ['test/support/worker.ts', 'src/index.ts', 'src/cli.ts', 'test/support/instance.ts', 'test/support/relayOnClock.ts', 'test/fuzz/relay.ts', 'test/support/connectorTls.ts', 'test/support/proxyTls.ts', 'test/support/growingUpstream.ts']

/**
 * tap follows each promise of a test, so that it can say to which one an error belongs that nobody caught: a twelfth of
 * the CPU of everything. Here such an error ends the process, and run.js shows it.
 */
const noDomains = {
  name: 'no-domains',
  setup ({ onResolve, onLoad }) {
    onResolve({ filter: /^async-hook-domain$/ }, ({ path }) => ({ path, namespace: 'no-domains' }))
    onLoad({ filter: /./, namespace: 'no-domains' }, () => ({ contents: 'export class Domain { destroy () {} }' }))
  }
}

/** Modules look for files beside themselves. They keep their own address in a bundle. */
const addresses = {
  name: 'addresses',
  setup ({ onLoad }) {
    onLoad({ filter: /\.(ts|js)$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined
      const text = readFileSync(path, 'utf8')
      if (!/import\.meta\.(url|dirname)\b/.test(text)) return undefined
      return {
        // Not as a quoted name: a test bundles a module itself.
        contents: text.replaceAll(/(?<!['"])import\.meta\.url\b/g, JSON.stringify(pathToFileURL(path).href))
          .replaceAll(/(?<!['"])import\.meta\.dirname\b/g, JSON.stringify(dirname(path))),
        loader: path.endsWith('.ts') ? 'ts' : 'js'
      }
    })
  }
}

/**
 * Resolves with the folder of the bundles, in which `test/x.test.ts` is `test/x.test.js`. It is removed when this
 * process exits.
 */
export async function bundle (files) {
  mkdirSync(join(root, '.tap'), { recursive: true })
  // A folder of its own: another run may be going on.
  const folder = mkdtempSync(join(root, '.tap/run-'))
  chmodSync(folder, 0o755) // some tests start the command as another user
  process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { process.exit(1) })
  await build({
    absWorkingDir: root,
    entryPoints: [...files, ...programs],
    outdir: folder,
    outbase: '.',
    bundle: true,
    splitting: true,
    external,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
    // Bundled CommonJS packages call `require` for Node's modules, and one uses `__filename`.
    banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url), __filename = import.meta.filename;" },
    logLevel: 'error',
    plugins: [addresses, noDomains]
  })
  return folder
}

/**
 * Returns a text in which places in bundles are places in the sources. Node's `--enable-source-maps` does so for each
 * error, also for those that tests expect: that was a tenth of the CPU of some files.
 */
export function placesIn (bundles, text) {
  const maps = new Map()
  const placed = (all, file, line, column) => {
    const path = join(bundles, `${file}.map`)
    if (!existsSync(path)) return all
    if (!maps.has(path)) maps.set(path, new SourceMap(JSON.parse(readFileSync(path, 'utf8'))))
    const { originalSource, originalLine, originalColumn } = maps.get(path)
      .findEntry(Number(line) - 1, Number(column) - 1)
    return originalSource === undefined ? all : `${relative(root, resolve(dirname(path), originalSource))}:${originalLine + 1}:${originalColumn + 1}`
  }
  return text.replaceAll(new RegExp(`(?:file://)?(?:${root})?${relative(root, bundles)}/([\\w./-]+\\.js):(\\d+):(\\d+)`, 'g'), placed)
}

/** What failed in a TAP text, in full. */
export function failuresOf (text) {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!/^\s*not ok /.test(line) || / # (SKIP|TODO)/.test(line)) return []
    if (!/^\s*---$/.test(lines[at + 1] ?? '')) return [line]
    const end = lines.findIndex((later, index) => index > at && /^\s*\.\.\.$/.test(later))
    return lines.slice(at, end + 1)
  }).join('\n')
}
