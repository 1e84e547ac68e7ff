/**
 * Makes the command of what the compiler has written. The command starts from a few files instead of some eight hundred,
 * which takes half the time; parts that a command does not need stay apart and are loaded when it does. The library is
 * not bundled. docs/decisions/0012-bundled-command.md says why.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'

/**
 * Of the HTTP client only what the relay uses: the rest, made for fetch and WebSocket, is a seventh of the start. A name
 * that is imported from it and missing here fails the build.
 */
const slimClient: Plugin = {
  name: 'slim-client',
  setup ({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'slim' }))
    onLoad({ filter: /^undici$/, namespace: 'slim' }, () => ({
      resolveDir: import.meta.dirname,
      contents: `
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
        import methods from 'undici/lib/api/index.js'
        import Agent from 'undici/lib/dispatcher/agent.js'
        Object.assign(Dispatcher.prototype, methods)
        export { Agent }
        export const parseCookie = (text) => require('undici/lib/web/cookies/index.js').parseCookie(text)
      `
    }))
  }
}

/** Writes `dist/cli.js` and `dist/chunks`, out of `dist/src`, and whose code is inside. */
export async function bundleCommand (): Promise<void> {
  const { metafile } = await build({
    entryPoints: ['dist/src/cli.js'],
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // Names stay, so that a stack trace can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Those that are optional, and those of the documentation page, which have files of their own.
    external: ['@fastify/swagger', '@fastify/swagger-ui', '@modelcontextprotocol/sdk', 'iovalkey', 'prom-client'],
    // Packages in the older form of modules ask for Node's own in the older way, and one for the name of its file.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url), __filename = import.meta.filename;" },
    plugins: [slimClient],
    metafile: true
  })

  // What an earlier build has left. Not before: a relay that runs from here may still load a part.
  const written = new Set(Object.keys(metafile.outputs))
  for (const file of readdirSync('dist/chunks')) if (!written.has(`dist/chunks/${file}`)) rmSync(`dist/chunks/${file}`)

  // Whose code is inside, with their licences.
  const folders = new Set(Object.keys(metafile.inputs).flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*/.exec(file)?.[0] ?? []))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { name: string, version: string, license: string }
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
  })
  writeFileSync('dist/third-party-licences.txt', texts.join(`\n${'-'.repeat(78)}\n\n`))
}
