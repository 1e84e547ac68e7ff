/** One song's detail: asked for by number or MID. Recorded anonymous answers 2026-08-06 and 2026-10. */
import { UpstreamError, notFound, otherCallMayHelp, upstreamEmpty } from '../../errors.ts'
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall, Settled, Upstream, UpstreamCall } from '../../provider/upstream.ts'
import { classicFiller } from '../../provider/wire.ts'

/** Which song; the upstream asks by one of them. */
export type SongKey = { readonly song_id: number } | { readonly song_mid: string }

const nameOf = (key: SongKey): string => 'song_id' in key ? `The song ${key.song_id}` : `The song ${key.song_mid}`

/** The full detail call; `read` gets the whole data (track_info, info, extras). */
export function songDetail<T> (key: SongKey, read: (data: Answer, track: Answer) => T): MusicuCall<T> {
  return {
    name: 'song.detail',
    ask: { module: 'music.pf_song_detail_svr', method: 'get_song_detail_yqq', param: key },
    read: (data) => {
      const track = maybe.at(data, 'track_info', 'trackInfo')
      demandOneOf(data, 'info', 'extras', 'track_info', 'trackInfo')
      return read(data, existing(track, data.call, key))
    }
  }
}

/** Track only. The lists hold one kind of key; both kinds in one call are refused (103901). */
function songTracks<T> (key: SongKey, read: (track: Answer) => T): MusicuCall<T> {
  const list = 'song_id' in key ? { ids: [key.song_id] } : { mids: [key.song_mid] }
  return {
    name: 'song.tracks',
    ask: { module: 'music.trackInfo.UniformRuleCtrl', method: 'CgiGetTrackInfo', param: { ...list, types: [0], modify_stamp: [0], ctx: 0, client: 1 } },
    read: (data) => {
      const [track] = maybe.list(data, 'tracks', (row) => row)
      demandOneOf(data, 'tracks')
      return read(existing(track, data.call, key))
    }
  }
}

/** The old classic call, by MID only. */
function songClassic<T> (songmid: string, read: (track: Answer) => T): ClassicCall<T> {
  return {
    name: 'song.classic',
    ask: { path: '/v8/fcg-bin/fcg_play_single_song.fcg', query: { ...classicFiller, songmid, format: 'json' } },
    read: (body) => {
      const [track] = maybe.list(body, 'data', (row) => row)
      demandOneOf(body, 'data')
      return read(existing(track, body.call, { song_mid: songmid }))
    }
  }
}

/** Reads a song's track; `data` is the whole detail, which only the first call of a chain has. */
export type ReadTrack<T> = (track: Answer, data?: Answer) => T

/** All ways to one song, best first. */
export function songChain<T> (key: SongKey, read: ReadTrack<T>): UpstreamCall<T>[] {
  const chain: UpstreamCall<T>[] = [songDetail(key, (data, track) => read(track, data)), songTracks(key, read)]
  return 'song_mid' in key ? [...chain, songClassic(key.song_mid, read)] : chain
}

/**
 * Many songs, each of which settles on its own, in the order of `keys`: twenty to a POST, all POSTs at once (a hundred
 * songs are five). Where the detail call is at fault, the older call is asked for those songs.
 */
export async function eachSong<T> (upstream: Upstream, keys: readonly SongKey[], read: ReadTrack<T>): Promise<Settled<T>[]> {
  const first = await settleAll(upstream.once, keys.map((key) => songDetail(key, (data, track) => read(track, data))))
  const again = keys.filter((_key, at) => otherCallMayHelp(first[at]?.error))
  const broken = first.some(({ error }) => otherCallMayHelp(error) && error.fault === 'host')
  const second = await settleAll(broken ? upstream.once : upstream, again.map((key) => songTracks(key, read)))
  return first.map((settled) => {
    if (!otherCallMayHelp(settled.error)) return settled
    const later = second.shift() ?? settled
    // A verdict ("no such song") counts; a second failure adds nothing to the first.
    return later.error === undefined || !otherCallMayHelp(later.error) ? later : settled
  })
}

/** What fails as a whole (no answer at all) fails for each of its calls. */
async function settleAll<T> (upstream: Upstream, calls: readonly MusicuCall<T>[]): Promise<Settled<T>[]> {
  const posts = Array.from({ length: Math.ceil(calls.length / 20) }, (_, at) => calls.slice(at * 20, at * 20 + 20))
  const answers = await Promise.all(posts.map(async (post) => {
    try {
      return await upstream.sendAll(post) as Settled<T>[]
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return post.map(() => ({ error }))
    }
  }))
  return answers.flat()
}

/** An answer without any of the parts it is made of is blocked, or broken, and says nothing about the song. */
function demandOneOf (data: Answer, ...parts: string[]): void {
  if (parts.every((part) => (data.reach(part) ?? null) === null)) throw upstreamEmpty(data.call, 'the song')
}

/** A code-0 answer without a usable track is how the upstream says "unknown song". */
function existing (track: Answer | undefined, call: string, key: SongKey): Answer {
  if (track === undefined || (maybe.int(track, 'id') ?? 0) <= 0 || maybe.text(track, 'mid') === undefined) throw notFound(call, nameOf(key))
  return track
}
