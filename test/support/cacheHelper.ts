/** Helpers of the cache tests: a server with a clock that the test controls, and a short form of its replies. */
import type { Test } from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import { demoFor, serverFor, song, type Reply, type Server } from './helper.ts'
import { served, type StageOptions, type StageTest } from './stage.ts'

export const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
export const songUrl = `/getSongInfo?songmid=${song(1)}`
/** A chart request, and the calls that can answer it. */
export const chartLinks = ['music.musicToplist.Toplist/GetDetail', 'musicToplist.ToplistInfoServer/GetDetail', '/v8/fcg-bin/fcg_v8_toplist_cp.fcg']
export const chartUrl = '/getRanks?topId=62&limit=3'

export const minute = 60_000
export const hour = 60 * minute

/** A server with a cache, in front of a demo. */
export async function ready (t: Test, options: RelayOptions = {}): Promise<{
  demo: DemoUpstream, clock: { now: number }, server: Server
}> {
  const demo = await demoFor(t)
  const clock = { now: 1_000_000 }
  const server = await serverFor(t, demo, { cache: true, now: () => clock.now, ...options })
  return { demo, clock, server }
}

/** Status, cache state and age of a reply: `200 HIT 12`. */
export const state = ({ status, headers }: Reply): string => `${status} ${headers.get('x-cache')} ${headers.get('age') ?? '-'}`

export const ask = async (server: Server, path: string, headers: Record<string, string> = {}): Promise<string> =>
  state(await server.get(path, { headers }))

/** A test with such a server. */
export function cached (...[title, ...rest]: StageTest): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] as const : rest
  served(title, { cache: true, standing: true, ...options as StageOptions }, body)
}
