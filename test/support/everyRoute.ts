/** Every path of a relay, for tests that search all answers. */
import { queryOf } from './asks.ts'
import { endpoints, type Reply, type Server } from './helper.ts'

export interface Route {
  readonly name: string
  readonly method: string
  readonly form: string
  readonly query: string
  readonly body: unknown
}

/** Every route, including aliases and path forms, with the example of its endpoint. */
export const routes: readonly Route[] = Object.entries(endpoints)
  .flatMap(([name, { method, path, aliases = [], pathParam, example }]) => {
    const forms = [path, ...aliases].map((form) => ({
      name, method, form, query: method === 'GET' ? queryOf(example) : '', body: method === 'GET' ? undefined : example
    }))
    if (pathParam === undefined) return forms
    const { [pathParam]: id, ...rest } = example as Record<string, unknown>
    return [...forms, { name, method, form: `${path}/${String(id)}`, query: queryOf(rest), body: undefined }]
  })

/** Paths that are not endpoints. */
export const others: readonly Route[] = ['/', '/login', '/login/account', '/docs', '/docs/json', '/guide/', '/health/live', '/health/ready', '/health/upstream', '/metrics', '/nothing', '/user/getCookie/nothing']
  .map((form) => ({ name: form, method: 'GET', form, query: '', body: undefined }))

export const allPaths: readonly Route[] = [...routes, ...others]

export async function askRoute (
  server: Server, { method, form, query, body }: Route, more = '', headers: Record<string, string> = {}
): Promise<Reply> {
  const url = `${form}?${[query, more].filter((part) => part !== '').join('&')}`
  return method === 'GET' ? await server.get(url, { headers }) : await server.post(url, body, { headers })
}

/** The headers of a reply as text. */
export const headersOf = ({ headers }: Pick<Reply, 'headers'>): string => JSON.stringify([...headers])

export const toldIn = (reply: Pick<Reply, 'text' | 'headers'>): string => reply.text + headersOf(reply)
