/** Bundles the HTTP client: addresses, envelopes and validation, without implementations. docs/decisions.md#0013 */
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { build, type Plugin } from 'esbuild'
import * as envelopes from '../schemas/envelopes.ts'
import type { AnyEndpoint } from '../src/relay/endpoint.ts'
import { registry } from '../src/endpoints/index.ts'
import { validatorOptions } from '../src/relay/validate.ts'
import { kinds } from '../src/common/kinds.ts'

const endpoints = Object.entries(registry as Record<string, AnyEndpoint>)

/** The input schema under the endpoint's name, without descriptions. */
const schemaOf = ([name, { input }]: readonly [string, AnyEndpoint]): { $id: string } => ({
  $id: name,
  ...JSON.parse(JSON.stringify(input, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value)) as object
})

/** The source of a registry without implementations. */
function registryModule (): string {
  const rows = endpoints.map(([name, { method, path, envelope, input }]) => {
    const [envelopeName] = Object.entries(envelopes).find(([, candidate]) => candidate === envelope) ?? []
    if (envelopeName === undefined) throw new Error(`The envelope of ${name} is not one of schemas/envelopes.ts.`)
    const kept = ({ 'x-unless': unless, 'x-mid': mid, 'x-empty': empty }: Record<string, unknown>): object => ({
      'x-unless': unless,
      'x-mid': mid,
      'x-empty': empty
    })
    const properties = Object.fromEntries(Object.entries(input.properties).map(([key, schema]) => [key, kept(schema)]))
    return `${name}: ${JSON.stringify({ method, path, input: { $id: name, required: input.required, properties } }).slice(0, -1)}, envelope: envelopes.${envelopeName} }`
  })
  return `import * as envelopes from '../../schemas/envelopes.ts'\nexport const registry = {\n${rows.join(',\n')}\n}\n`
}

/** The source of the kinds: a client sees only codes, and takes the first kind of each. */
function kindsModule (): string {
  const { left, ...others } = kinds
  const rows = Object.entries(others).reverse()
  const firsts = new Map(rows.map(([kind, { code, fault }]) => [code, [kind, { code, fault }]]))
  return `export const kinds = ${JSON.stringify({ ...Object.fromEntries(firsts.values()), left })}`
}

/** The source of the validators. A page's security policy may forbid compiling code at run time. */
function validatorModule (): string {
  const ajv = new Ajv({ ...validatorOptions, code: { source: true, esm: true } })
  const schemas = endpoints.map(schemaOf)
  for (const schema of schemas) ajv.addSchema(schema)
  const checks = standalone.default(ajv, Object.fromEntries(schemas.map(({ $id }) => [$id, $id])))
  return `${checks}\nexport class Ajv { compile ({ $id }) { return { ${schemas.map(({ $id }) => $id).join(', ')} }[$id] } }\n`
}

const stripped: Plugin = {
  name: 'stripped',
  setup ({ onLoad, onResolve }) {
    const inPlaceOf = (name: string, contents: string): void => {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: 'stripped' }))
      onLoad(
        { filter: new RegExp(`^${name}$`), namespace: 'stripped' },
        () => ({ contents, resolveDir: import.meta.dirname })
      )
    }
    onLoad({ filter: /\/src\/endpoints\/index\.ts$/ }, () => ({ contents: registryModule() }))
    onLoad({ filter: /\/src\/common\/kinds\.ts$/ }, () => ({ contents: kindsModule() }))
    inPlaceOf('ajv', validatorModule())
    // Only the documentation needs the schemas of answers.
    inPlaceOf('@sinclair/typebox', 'export const Type = new Proxy({}, { get: () => () => ({}) })')
  }
}

/** All errors: the library takes them from this file (build/library.ts), so that there is one class of each. */
const entry = "export * from './src/library/httpClient.ts'\nexport * from './src/common/errors.ts'\n"

/** Returns the source of the module. Node, a page, a worker or another bundler can use it as it is. */
export async function bundleClient (): Promise<string> {
  const { outputFiles: [file] } = await build({
    stdin: { contents: entry, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    plugins: [stripped]
  })
  if (file === undefined) throw new Error('The bundler wrote nothing.')
  return file.text
}
