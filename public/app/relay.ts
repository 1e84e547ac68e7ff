/** Requests to the relay, typed by its registry of endpoints. */
import { signal } from '@preact/signals'
import type { RelayFunctions } from '../../src/library/types.ts'
import { RequestError, relayGone } from './failure.ts'

/** Names of the endpoints that the page asks, and the path of each where it is not the name. */
const paths = {
  getUserPlaylists: 'user/getUserPlaylists',
  getUserLikedSongs: 'user/getUserLikedSongs',
  getUserCollectedPlaylists: 'user/getUserCollectedPlaylists',
  getUserCollectedAlbums: 'user/getUserCollectedAlbums',
  getUserFollowedSingers: 'user/getUserFollowedSingers',
  getCookie: 'user/getCookie'
} as Readonly<Partial<Record<Name, string>>>

export type Name = keyof RelayFunctions
export type Input<N extends Name> = NonNullable<Parameters<RelayFunctions[N]>[0]>
export type Answer<N extends Name> = Awaited<ReturnType<RelayFunctions[N]>>

/** Addresses that the page asked last, the latest first: "About this relay" shows them. */
export const asked = signal<readonly string[]>([])

/** The login of this visit: in this variable only, never in an address, the history or a store. */
let login = ''

/**
 * Sends this login with every later request: a cookie, or the secret or a key of a stored account; '' sends none.
 * Returns the one before.
 */
export function useLogin (text: string): string {
  const before = login
  login = text
  return before
}

export const hasLogin = (): boolean => login !== ''

/** No header holds line ends or letters of other scripts. The relay reads what is encoded. */
const headerText = (): string => /^[ -~]*$/.test(login) ? login : encodeURIComponent(login.replaceAll(/\p{Cs}/gu, ''))

/** Whether a text is the secret or a key of a stored account, and no cookie. */
export const isSecret = (text: string): boolean => /^m[rk]_[\w-]+$/.test(text)

const loginHeaders = (): Record<string, string> =>
  login === '' ? {} : isSecret(login) ? { authorization: `Bearer ${login}` } : { 'x-custom-cookie': headerText() }

/** Returns the relative address of a request, so that the page works below any path of a reverse proxy. */
export function addressOf<N extends Name> (name: N, input: Input<N>): string {
  const text = String(new URLSearchParams(Object.entries(input).map(([key, value]) => [key, String(value)])))
  return (paths[name] ?? name) + (text === '' ? '' : `?${text}`)
}

type Init = Omit<RequestInit, 'signal'> & { signal?: AbortSignal | undefined }

/** Times that the page asks again by itself while the relay is overloaded, which passes within seconds. */
const mostRepeats = 3

/** Requests a record and removes its envelope. Throws a RequestError. */
export async function ask<N extends Name> (name: N, input: Input<N>, signal?: AbortSignal): Promise<Answer<N>> {
  const address = addressOf(name, input)
  asked.value = [address, ...asked.value.filter((each) => each !== address)].slice(0, 30)
  return recordOf(await sendPatiently(address, { signal, headers: loginHeaders() })) as Answer<N>
}

/** Sends a request that changes nothing, again while the relay is overloaded. Throws a RequestError. */
export async function sendPatiently (address: string, init: Init = {}): Promise<any> {
  for (let repeats = 0;; repeats++) {
    try {
      return await send(address, init)
    } catch (error) {
      if (
        !(error instanceof RequestError) || error.failure.code !== 'OVERLOADED' || repeats === mostRepeats
      ) { throw error }
      await new Promise((resolve) => {
        setTimeout(resolve, error.pauseMs * (1 + Math.random()))
      })
      init.signal?.throwIfAborted()
    }
  }
}

/** Sends a POST with JSON, and requests a record of that endpoint. */
export async function post<N extends Name> (name: N, body: Input<N>, signal?: AbortSignal): Promise<Answer<N>> {
  const init = json(body)
  return recordOf(
    await sendPatiently(name, { ...init, headers: { ...init.headers, ...loginHeaders() }, signal })
  ) as Answer<N>
}

/** The method, header and body of a request with JSON. */
export const json = (body: object): { method: string, headers: Record<string, string>, body: string } => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body)
})

/** Sends a request, and returns the body of its answer. Throws a RequestError. */
export async function send (address: string, init: Init = {}): Promise<any> {
  let response, body
  try {
    response = await fetch(address, { ...init, signal: init.signal ?? null })
    body = await response.json()
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw relayGone()
  }
  if (!response.ok) throw new RequestError(body, 1000 * Number(response.headers.get('retry-after') ?? 0))
  return body
}

function recordOf (body: any): unknown {
  const inner = body.response ?? body.body?.response ?? body
  return inner.data ?? inner
}
