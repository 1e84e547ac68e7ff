/** One song in detail, by number or MID. The older calls return the track only. Recorded 2026-08-06 and 2026-10. */
import { GetSongInfoQuery, SongInfo } from '../../../schemas/music.ts'
import { response } from '../../../schemas/envelopes.ts'
import { endpoint, type Context } from '../../core/endpoint.ts'
import type { SongKey } from '../../core/songFacts.ts'
import { InvalidInput } from '../../common/errors.ts'
import { readFacts } from '../shared/qualities.ts'
import { songChain, type ReadTrack } from '../shared/songDetail.ts'
import { readSongInfo } from '../shared/songInfo.ts'

/**
 * Returns the key to look a song up by. If both are given, it is the MID, which most other endpoints use. Throws
 * InvalidInput if neither is given.
 */
export function songKeyOf ({ songmid, songid }: { readonly songmid?: string, readonly songid?: number }): SongKey {
  if (songmid !== undefined) return { song_mid: songmid }
  if (songid !== undefined) return { song_id: songid }
  throw new InvalidInput('songid or songmid: one of them is required.', 'missing')
}

/** Reads the record. A record from an older call lacks `info`, so it is cached only briefly. */
export const readWhole = ({ cacheAtMost, songs }: Pick<Context, 'cacheAtMost' | 'songs'>): ReadTrack<SongInfo> => (track, data) => {
  songs.store(() => readFacts(track))
  if (data === undefined) cacheAtMost('brief')
  return readSongInfo(track, data)
}

export const getSongInfo = endpoint({
  method: 'GET',
  path: '/getSongInfo',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'One song in detail, by number or MID',
  description: 'Send songid or songmid; if both are given, the MID decides and the number is ignored. The MID is at response.songinfo.data.track_info.mid. info has further details (company, genre, language …). Any of them may be absent; all are absent if only an older upstream call answered.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetSongInfoQuery,
  record: SongInfo,
  envelope: response,
  cache: 'slow',

  run: async (input, context) => await context.upstream.firstOf(songChain(songKeyOf(input), readWhole(context)))
})
