/** The fetch function of orval's client. Its addresses begin with the server of the document; the relay to ask is elsewhere. */
const { BASE = '', HEADERS = '{}' } = process.env

export async function fetchFrom<T> (address: string, init: RequestInit): Promise<T> {
  const { pathname, search } = new URL(address)
  const answer = await fetch(
    `${BASE}${pathname}${search}`, { ...init, headers: { ...init.headers, ...JSON.parse(HEADERS) as object } }
  )
  return { status: answer.status, headers: answer.headers, data: await answer.json() } as T
}
