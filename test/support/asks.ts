/** Requests to endpoints by their names, with the example of the endpoint or another input. */
import { endpoints, type Ask, type Reply, type Server } from './helper.ts'

export const queryOf = (values: object): string =>
  new URLSearchParams(Object.entries(values).map(([key, value]): [string, string] => [key, String(value)])).toString()

/** `search`: more of the query, such as a cookie. */
export async function askEndpoint (
  server: Pick<Server, 'get' | 'post'>, name: string,
  { input, search = '', ...init }: Ask & { input?: object, search?: string } = {}
): Promise<Reply> {
  const { method, path, example } = endpoints[name] as (typeof endpoints)[string]
  if (method === 'POST') return await server.post(`${path}?${search}`, input ?? example, init)
  return await server.get(`${path}?${[queryOf(input ?? example), search].filter((part) => part !== '').join('&')}`, init)
}
