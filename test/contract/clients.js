/**
 * The client generators: how each is called, and a program that calls every operation through what it made. The calls
 * are written out with the values of the examples, so that the compiler sees whether the examples fit the types.
 */
const text = (value) => JSON.stringify(value)
const filled = (value) => Object.keys(value).length > 0
const listed = (...values) => values.filter((value) => value !== undefined).join(', ')
const optional = (name, value) => value === undefined || !filled(value) ? {} : { [name]: value }

/** `read`: the names of three songs of a chart, with their types. The rest prints one line of JSON for each call. */
const program = (head, call, read) => (operations) => `${head}
const calls: Record<string, () => Promise<number>> = {
${operations.map((operation) => `  ${operation.id}: async () => ${call(operation)}`).join(',\n')}
}
${read}
if (names.length !== 3) throw new Error('no names')

for (const [id, call] of Object.entries(calls)) {
  const status = await call().catch((error: unknown) => (error as { status?: number }).status ?? String(error))
  console.log(JSON.stringify({ id, status }))
}
`
const env = `const { BASE = '', TOKEN = '', COOKIE = '', HEADERS = '{}' } = process.env`
/** For clients that do not send the document's schemes by themselves. */
const headers = `headers: JSON.parse(HEADERS) as Record<string, string>`
const names = (record) => `const names: string[] = ${record}.songInfoList.map(({ songName }) => songName)`
const maybeNames = (record) => `const names: string[] = ${record}?.data.songInfoList.map(({ songName }) => songName) ?? []`
/** The value of the one path parameter, then the query or the body: how two of them order their arguments. */
const positional = ({ parts, query, body }) => listed(
  ...Object.values(parts).map(text), filled(query) ? text(query) : undefined,
  body === undefined ? undefined : text(body)
)

export const clients = {
  'openapi-typescript': {
    command: ['openapi-typescript', '../../openapi.yaml', '-o', 'generated/openapi-typescript/schema.ts', '--default-non-nullable=false'],
    program: program(
      `import createClient from 'openapi-fetch'\nimport type { paths } from './schema.ts'\n${env}\nconst client = createClient<paths>({ baseUrl: BASE, ${headers} })`,
      ({ method, path, query, parts, body }) => {
        const init = {
          ...optional('params', { ...optional('path', parts), ...optional('query', query) }),
          ...body === undefined ? {} : { body }
        }
        return `(await client.${method}(${listed(text(path), filled(init) ? text(init) : undefined)})).response.status`
      },
      `const read = await client.GET('/getRanks', { params: { query: { topId: 62, limit: 3 } } })\n${maybeNames('read.data')}`)
  },
  'hey-api': {
    command: ['openapi-ts', '-i', '../../openapi.yaml', '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch'],
    program: program(
      `import { client } from './client.gen'\nimport * as sdk from './sdk.gen'\n${env}\nclient.setConfig({ baseUrl: BASE, auth: ({ type }) => type === 'http' ? TOKEN : COOKIE })\nconst statusOf = (answer: { response?: Response, error?: unknown }): number => answer.response?.status ?? 0`,
      ({ id, query, parts, body }) => {
        const options =
          { ...optional('path', parts), ...optional('query', query), ...body === undefined ? {} : { body } }
        return `statusOf(await sdk.${id}(${filled(options) ? text(options) : ''}))`
      },
      `const read = await sdk.getRanks({ query: { topId: 62, limit: 3 } })\n${maybeNames('read.data')}`)
  },
  'orval': {
    command: ['orval', '--config', 'orval.config.ts'],
    program: program(
      `import * as client from './client'`,
      (operation) => `(await client.${operation.id}(${positional(operation)})).status`,
      `const read = await client.getRanks({ topId: 62, limit: 3 })\nif (read.status !== 200) throw new Error('no answer')\n${names('read.data.data')}`)
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api', 'generate', '-p', '../../openapi.yaml', '-o', 'generated/swagger-typescript-api', '-n', 'client.ts'],
    program: program(
      `import { Api } from './client'\n${env}\nconst api = new Api({ baseUrl: BASE, baseApiParams: { ${headers} } })`,
      (operation) => `(await api.${operation.path.split('/')[1]}.${operation.id}(${positional(operation)})).status`,
      `const read = await api.getRanks.getRanks({ topId: 62, limit: 3 })\n${names('read.data.data')}`)
  },
  'typescript-fetch': {
    command: ['openapi-generator', 'generate', '-g', 'typescript-fetch', '-i', '../../openapi.yaml', '-o', 'generated/typescript-fetch', '-p', 'typescriptThreePlus=true'],
    needs: 'java',
    program: program(
      `import * as relay from './index'\n${env}\nconst configuration = new relay.Configuration({ basePath: BASE, apiKey: COOKIE, accessToken: TOKEN, fetchApi: fetch })\nconst statusOf = async (answer: { raw: Response, value (): Promise<unknown> }): Promise<number> => { await answer.value(); return answer.raw.status }`,
      ({ id, tag, query, parts, body, bodyType = '' }) => {
        // Its words are members of enumerations, which texts do not fit.
        const given =
          { ...parts, ...query, ...body === undefined ? {} : { [`${bodyType.charAt(0).toLowerCase()}${bodyType.slice(1)}`]: body } }
        return `await statusOf(await new relay.${tag.charAt(0).toUpperCase()}${tag.slice(1)}Api(configuration).${id}Raw(${filled(given) ? `${text(given)} as never` : ''}))`
      },
      `const read = await new relay.ChartsApi(configuration).getRanks({ topId: 62, limit: 3 })\n${names('read.data')}`)
  }
}
