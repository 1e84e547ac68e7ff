/**
 * Bundles the command with its packages. It then starts from a few files instead of some eight hundred, which takes
 * half the time. Parts that a command does not always need are separate chunks, loaded on use. docs/decisions.md#0012
 * says why.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build, type Plugin } from 'esbuild'

/** Bundles the used part of the HTTP client: the rest is a seventh of the start. A missing name fails the build. */
const slimClient: Plugin = {
  name: 'slim-client',
  setup ({ onResolve, onLoad }) {
    onResolve({ filter: /^undici\/index\.js$/ }, () => ({ path: 'undici', namespace: 'slim' }))
    onLoad({ filter: /./, namespace: 'slim' }, () => ({
      resolveDir: import.meta.dirname,
      contents: `
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
        import methods from 'undici/lib/api/index.js'
        import Agent from 'undici/lib/dispatcher/agent.js'
        import buildConnector from 'undici/lib/core/connect.js'
        Object.assign(Dispatcher.prototype, methods)
        export { Agent, buildConnector }
      `
    }))
  }
}

/**
 * Leaves out the framework's compilers of schemas, with a second validator: the relay has its own for both
 * (`compilersFactory` in src/app.ts). The servers of the demo and of /docs have no schemas: they ask for compilers, and
 * never use them.
 */
const slimFramework: Plugin = {
  name: 'slim-framework',
  setup ({ onResolve, onLoad }) {
    onResolve(
      { filter: /^@fastify\/(ajv-compiler|fast-json-stringify-compiler)$/ },
      ({ path }) => ({ path, namespace: 'slim-framework' })
    )
    onLoad({ filter: /./, namespace: 'slim-framework' }, ({ path }) => ({ contents: `module.exports = () => () => { throw new TypeError('${path} is not in the bundle') }` }))
  }
}

/** Writes `dist/cli.js`, `dist/chunks` and the licences of what is inside. `page`: files that went into the page. */
export async function bundleCommand (page: readonly string[]): Promise<void> {
  const { metafile } = await build({
    entryPoints: ['src/cli.ts'],
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // Names are not minified, so that stack traces stay readable.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // The documentation page has its own files.
    external: ['@fastify/swagger-ui'],
    // Bundled CommonJS packages call `require` for Node's modules, and one uses `__filename`.
    banner: {
      js:
        "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url), __filename = import.meta.filename;"
    },
    plugins: [slimClient, slimFramework],
    metafile: true
  })

  // Remove chunks of earlier builds, but only now: a running relay may still load one.
  const written = new Set(Object.keys(metafile.outputs))
  for (const file of readdirSync('dist/chunks')) if (!written.has(`dist/chunks/${file}`)) rmSync(`dist/chunks/${file}`)

  // List the bundled packages with their licences.
  const folders =
    new Set([...Object.keys(metafile.inputs), ...page].flatMap((file) =>
      /^node_modules\/(?:@[^/]+\/)?[^/]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*/.exec(file)?.[0] ?? []
    ))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
      name: string,
      version: string,
      license: string
    }
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
  })
  writeFileSync('dist/third-party-licences.txt', texts.join(`\n${'-'.repeat(78)}\n\n`))
}
