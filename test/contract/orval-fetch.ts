/** The fetch function of orval's client, which has no setting for the address of the server. */
const { BASE = '', COOKIE = '' } = process.env

export async function fetchFrom<T> (path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(`${BASE}${path}`, { ...init, headers: { ...init.headers, 'x-custom-cookie': COOKIE } })
  return { status: answer.status, headers: answer.headers, data: await answer.json() } as T
}
