/** Bundles the library. Packages stay outside: users have one copy, and can override it. docs/decisions.md#0012 */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** The client and the errors are those of `music-relay/client`: an error is an instance of the same class in both. */
const sharedClient: Plugin = {
  name: 'shared-client',
  setup ({ onResolve }) {
    onResolve({ filter: /\/(client|errors)\.ts$/ }, ({ path, importer, resolveDir }) => {
      const file = join(resolveDir, path)
      const shared = /\/src\/(library\/client|common\/errors)\.ts$/.test(file) && importer !== ''
      return shared ? { path: './client.js', external: true } : undefined
    })
  }
}

/** Writes `dist/index.js`. `dist/client.js` has to stand beside it. */
export async function bundleLibrary (): Promise<void> {
  await build({
    entryPoints: { index: 'src/index.ts' },
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    legalComments: 'none',
    plugins: [sharedClient]
  })
}

/** Copies the declarations that users see from `from` to `to`: those of the two entries, and what these import. */
export function copyDeclarations (from: string, to: string): void {
  const found = new Set<string>()
  function follow (file: string): void {
    if (found.has(file)) return
    found.add(file)
    const text = readFileSync(join(from, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      follow(normalize(join(dirname(file), name)).replace(/\.[jt]s$/, '.d.ts'))
    }
  }
  follow('src/index.d.ts')
  follow('src/library/httpClient.d.ts')
  rmSync(to, { recursive: true, force: true })
  for (const file of found) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(join(from, file), join(to, file))
  }
}
