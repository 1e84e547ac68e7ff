/** Details of one song, requested by number or MID. Recorded anonymous responses 2026-08-06 and 2026-10. */
import { UpstreamError, notFound, upstreamEmpty } from '../../common/errors.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import { settle, valueOf } from '../../upstream/settled.ts'
import type { ClassicCall, MusicuCall, Settled, Upstream, UpstreamCall } from '../../upstream/calls.ts'
import type { Context } from '../../core/endpoint.ts'
import type { SongFacts, SongKey } from '../../core/songFacts.ts'
import { classicFiller } from '../../upstream/protocol/requests.ts'
import { readFacts } from './qualities.ts'

const nameOf = (key: SongKey): string => 'song_id' in key ? `The song ${key.song_id}` : `The song ${key.song_mid}`

/**
 * The full detail call. `read` gets the whole data (track_info, info, extras) and the track. Fails with NOT_FOUND for
 * an unknown song.
 */
export function songDetail<T> (key: SongKey, read: (data: Answer, track: Answer) => T): MusicuCall<T> {
  return {
    name: 'song.detail',
    request: { module: 'music.pf_song_detail_svr', method: 'get_song_detail_yqq', param: key },
    read: (data) => {
      const track = maybe.at(data, 'track_info', 'trackInfo')
      demandOneOf(data, 'info', 'extras', 'track_info', 'trackInfo')
      return read(data, existing(track, data.call, key))
    }
  }
}

/**
 * The call for the track only. Its lists contain one kind of key; both kinds in one call are refused (103901). `type`: some
 * songs have a number of another kind than ordinary ones.
 */
export function songTracks<T> (key: SongKey, read: (track: Answer) => T, type = 0): MusicuCall<T> {
  const list = 'song_id' in key ? { ids: [key.song_id] } : { mids: [key.song_mid] }
  return {
    name: 'song.tracks',
    request: { module: 'music.trackInfo.UniformRuleCtrl', method: 'CgiGetTrackInfo', param: { ...list, types: [type], modify_stamp: [0], ctx: 0, client: 1 } },
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
    request: { path: '/v8/fcg-bin/fcg_play_single_song.fcg', query: { ...classicFiller, songmid, format: 'json' } },
    read: (body) => {
      const [track] = maybe.list(body, 'data', (row) => row)
      if (!Array.isArray(body.reach('data'))) throw upstreamEmpty(body.call, 'the song')
      return read(existing(track, body.call, { song_mid: songmid }))
    }
  }
}

/** Reads a song's track. `data` is the whole detail, which only the first call of `songChain` has. */
export type ReadTrack<T> = (track: Answer, data?: Answer) => T

/** Returns all calls for one song, best first; each is the fallback of the one before. */
export function songChain<T> (key: SongKey, read: ReadTrack<T>): UpstreamCall<T>[] {
  const chain: UpstreamCall<T>[] = [songDetail(key, (data, track) => read(track, data)), songTracks(key, read)]
  return 'song_mid' in key ? [...chain, songClassic(key.song_mid, read)] : chain
}

/**
 * Fetches many songs. Each settles on its own, in the order of `keys`. Songs whose detail call fails are requested with
 * the older call. If the request fails as a whole, each song has that error.
 */
export async function eachSong<T> (upstream: Upstream, keys: readonly SongKey[], read: ReadTrack<T>): Promise<readonly Settled<T>[]> {
  if (keys.length === 0) return []
  const { value, error } = await settle(
    upstream.sendAll(keys.map((key) => [songDetail(key, (data, track) => read(track, data)), songTracks(key, read)] as const))
  )
  if (error !== undefined && !(error instanceof UpstreamError)) throw error
  return value ?? keys.map(() => ({ error: error as Error }))
}

/** Returns the facts of one song. Throws NOT_FOUND for an unknown one. */
export async function songFactsOf (key: SongKey, { upstream, songs }: Pick<Context, 'upstream' | 'songs'>): Promise<SongFacts> {
  const [found] = await songs.find([key], async () => [await settle(upstream.firstOf(songChain(key, readFacts)))])
  return valueOf(found as Settled<SongFacts>)
}

/** Throws UPSTREAM_EMPTY if the response has none of these parts: it is blocked or broken, and shows nothing about the song. */
function demandOneOf (data: Answer, ...parts: string[]): void {
  if (parts.every((part) => (data.reach(part) ?? null) === null)) throw upstreamEmpty(data.call, 'the song')
}

/** A response with code 0 and no usable track means that the song is unknown: throws NOT_FOUND. */
function existing (track: Answer | undefined, call: string, key: SongKey): Answer {
  if (track === undefined || (maybe.int(track, 'id') ?? 0) <= 0 || maybe.text(track, 'mid') === undefined) throw notFound(call, nameOf(key))
  return track
}

// @mutate readers: reading songs
