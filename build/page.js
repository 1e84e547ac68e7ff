/**
 * Bundles the page of the relay into `dist/page`: one script and one style sheet, whose names change with their
 * contents, the service worker, and the documents with these names. Takes less than a tenth of a second: `npm run demo`
 * and the tests do it each time.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/page')
const plain = ['manifest.webmanifest', ...readdirSync(join(root, 'public/icons')).map((name) => `icons/${name}`)]

/** What browsers of the last three years run. */
const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: ['es2023', 'chrome111', 'firefox115', 'safari16.4'],
  legalComments: 'none',
  outdir: folder,
  logLevel: 'error'
}

/** Writes the page. Returns the files that went into it, relative to the root: their licences belong to it. */
export async function bundlePage () {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: { app: 'public/app/main.tsx', style: 'public/app/style.css' },
    entryNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true
  })
  const names = new Map(outputFiles.map(({ path }) => [basename(path).replace(/-[^-.]+(?=\.)/, ''), basename(path)]))
  const shell = [...names.values(), 'icon.svg'].map((name) => `page/${name}`)
  const { outputFiles: [worker] } = await build({
    ...shared,
    entryPoints: { sw: 'public/sw.ts' },
    define: { shell: JSON.stringify(shell) }
  })
  const named = (text) => text.replaceAll(/(?<=page\/)(?:app\.js|style\.css)/g, (name) => names.get(name))
  const documents = ['index.html', 'missing.html'].map((
    name
  ) => [name, named(readFileSync(join(root, 'public', name), 'utf8'))])
  const compressed = [...outputFiles, worker].map(({ path, contents }) => [basename(path), contents])
  const copied = plain.map((name) => [basename(name), readFileSync(join(root, 'public', name))])
  mkdirSync(folder, { recursive: true })
  const written = new Set([
    ...documents.map(([name, text]) => write(name, Buffer.from(text))),
    ...[...compressed, ...copied].map(([name, contents]) => write(`${name}.gz`, gzipSync(contents, { level: 9 })))
  ])
  for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(join(folder, name), { recursive: true })
  return Object.keys(metafile.inputs).map((file) => file.split(sep).join('/'))
}

/** Writes a file if it is another one than before: another run may be reading it. */
function write (name, contents) {
  const path = join(folder, name)
  let before
  try {
    before = readFileSync(path)
  } catch {} // There is none yet.
  if (before?.equals(contents) !== true) writeFileSync(path, contents)
  return name
}

if (argv[1] === fileURLToPath(import.meta.url)) await bundlePage()
