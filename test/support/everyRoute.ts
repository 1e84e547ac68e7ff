/** Every path of a relay, for tests that search all answers. */
import { endpoints } from './helper.ts'
import type { Reply } from './helper.ts'

export interface Route { readonly name: string, readonly method: string, readonly form: string, readonly query: string, readonly body: unknown }

/** Every route, including aliases and path forms, with the example of its endpoint. */
export const routes: readonly Route[] = Object.entries(endpoints).flatMap(([name, { method, path, aliases = [], pathParam, example }]) => {
  const search = (without?: string): string => new URLSearchParams(Object.entries(example).filter(([key]) => key !== without).map(([key, value]): [string, string] => [key, String(value)])).toString()
  const forms = [path, ...aliases].map((form) => ({ name, method, form, query: method === 'GET' ? search() : '', body: method === 'GET' ? undefined : example }))
  return pathParam === undefined ? forms : [...forms, { name, method, form: `${path}/${String(example[pathParam])}`, query: search(pathParam), body: undefined }]
})

/** Paths that are not endpoints. */
export const others: readonly Route[] = ['/', '/login', '/login/account', '/docs', '/docs/json', '/guide/', '/health/live', '/health/ready', '/health/upstream', '/metrics', '/nothing', '/user/getCookie/nothing']
  .map((form) => ({ name: form, method: 'GET', form, query: '', body: undefined }))

/** The headers of a reply as text. */
export const headersOf = ({ headers }: Pick<Reply, 'headers'>): string => JSON.stringify([...headers])
