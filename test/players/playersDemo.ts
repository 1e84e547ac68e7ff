/** What real players are tried with: the relay of the demo, its library, and its log. */
import type { Test } from 'tap'
import { cookieOf, demoFor, serverFor } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'

/** A liked song, as the relay's own endpoint has it. */
export interface LikedSong { readonly mid: string, readonly title: string, readonly artist: string }

/** The relay of the demo, whose players are the member, and the liked songs of that account. */
export async function relayOfDemo (t: Test, stream: 'redirect' | 'relay'): Promise<{ readonly server: Server, readonly liked: readonly LikedSong[] }> {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'member')
  const options = { cache: true, stream, subsonicPassword: 'demo', playerCookie: () => cookie }
  const server = await serverFor(t, demo, options)
  const liked: LikedSong[] = []
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const { body } = await server.get(`/user/getUserLikedSongs?limit=100&offset=${offset}`, { headers: { cookie } })
    total = body.body.response.total
    for (const { mid, title, singer } of body.body.response.songs) liked.push({ mid, title, artist: singer.map(({ name }: { name: string }) => name).join(' / ') })
  }
  server.log.length = 0
  return { server, liked }
}

/** A request of a player, out of the log. */
export interface Asked { readonly level: string, readonly called?: string, readonly status?: number }

export const askedIn = (server: Server, called?: string): Asked[] => server.log.map((line) => JSON.parse(line) as Asked).filter((line) => called === undefined || line.called === called)
