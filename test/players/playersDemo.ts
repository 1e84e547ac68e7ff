/** What real players are tried with: the relay of the demo, its library, its log, and what docs/players.md says of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { cookieOf, demoFor, serverOnWire, type Server } from '../support/helper.ts'

/** A liked song, as the relay's own endpoint has it. */
export interface LikedSong { readonly mid: string, readonly title: string, readonly artist: string }

/** The relay of the demo, whose players are the member, and the liked songs of that account. */
export async function relayOfDemo (t: Test, stream: 'redirect' | 'relay'): Promise<{
  readonly server: Server, readonly liked: readonly LikedSong[]
}> {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'member')
  // Covers have a line at this level only.
  const options = {
    host: '0.0.0.0', logLevel: 'debug' as const, cache: true, stream, subsonicPassword: 'demo',
    playerCookie: () => cookie
  }
  const server = await serverOnWire(t, demo, options)
  const liked: LikedSong[] = []
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const { body } = await server.get(`/user/getUserLikedSongs?limit=100&offset=${offset}`, { headers: { cookie } })
    total = body.body.response.total
    for (const { mid, title, singer } of body.body.response.songs) {
      liked.push({ mid, title, artist: singer.map(({ name }: { name: string }) => name).join(' / ') })
    }
  }
  server.log.length = 0
  return { server, liked }
}

/** A request of a player, out of the log. */
export interface Asked { readonly level: string, readonly called?: string, readonly status?: number }

export const askedIn = (server: Server, called?: string): Asked[] =>
  server.log.map((line) => JSON.parse(line) as Asked).filter((line) => called === undefined || line.called === called)

type Copied = readonly (readonly [id: string | undefined, title: string | undefined, artist: string | undefined])[]

/** Checks that a player has all liked songs, and no others. */
export function hasLibrary (t: Test, copied: Copied, liked: readonly LikedSong[]): void {
  const sorted = (songs: Copied): Copied => [...songs].sort(([a], [b]) => String(a).localeCompare(String(b)))
  t.same(
    sorted(copied), sorted(liked.map(({ mid, title, artist }) => [`so-${mid}`, title, artist])),
    `all ${liked.length} liked songs, and no others`
  )
}

/** Checks that every answer had its status, which is 200 unless `statuses` says otherwise, and that the log has nothing that needs attention. */
export function isWell (t: Test, server: Server, statuses: Readonly<Record<string, readonly number[]>>): void {
  const lines = askedIn(server)
  t.same(
    lines.filter(({ level, called }) => !['info', 'debug'].includes(level) || called === undefined), [],
    'nothing in the log that needs attention'
  )
  t.same(
    lines.filter(({ called = '', status = 0 }) => !(statuses[called] ?? [200]).includes(status)), [],
    'every answer is what it should be'
  )
}

/** The first singer whose name a keyboard has, and the songs of that one. */
export function typableSinger <T extends { albumartist?: string }> (copied: readonly T[]): {
  readonly word: string, readonly songs: readonly T[]
} {
  const [singer = ''] = copied.map(({ albumartist = '' }) => albumartist).filter((name) => /^[A-Z]/.test(name)).sort()
  return { word: singer.split(' ')[0] ?? '', songs: copied.filter(({ albumartist }) => albumartist === singer) }
}

/** A player as it was tried. `tried`: what it did, in words. `notes`: what it cannot do with any server. */
export interface Trial {
  readonly client: string
  readonly version: string
  readonly tried: readonly string[]
  readonly notes?: string
}

/** Writes the result of a test that is over into the folder that PLAYERS_RESULTS names, as one line of JSON. Without it, nothing. */
export function writeResult (t: Test, { notes, ...trial }: Trial, folder = process.env['PLAYERS_RESULTS']): void {
  if (folder === undefined || folder === '') return
  const line = {
    ...trial, result: t.passing() ? 'works' : 'fails', ...(notes === undefined ? {} : { notes }),
    date: new Date().toISOString().slice(0, 10)
  }
  writeFileSync(join(folder, `${trial.client.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`), `${JSON.stringify(line)}\n`)
}
