/** One song in detail, by number or MID. The older calls return the track only. Recorded 2026-08-06 and 2026-10. */
import {
  InvalidInput, addressOf, endpoint, maybe, plainText, response, textOf, type Answer, type Context
} from '../kit.ts'
import { GetSongInfoQuery, SongInfo } from '../../../schemas/music.ts'
import type { SongKey } from '../../relay/songFacts.ts'
import { readFacts, readSong, songChain, type ReadTrack } from '../shared/song.ts'

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
export const readWhole =
  ({ cacheAtMost, songs }: Pick<Context, 'cacheAtMost' | 'songs'>): ReadTrack<SongInfo> => (track, data) => {
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
  summaryInChinese: '歌曲详情，按数字 ID 或 MID 查询',
  description: 'Send songid or songmid; if both are given, the MID decides and the number is ignored. The MID is at response.songinfo.data.track_info.mid. info has further details (company, genre, language …). Any of them may be absent; all are absent if only an older upstream call answered.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetSongInfoQuery,
  record: SongInfo,
  envelope: response,
  cache: 'slow',

  run: async (input, context) => await context.upstream.firstOf(songChain(songKeyOf(input), readWhole(context)))
})

// The detailed record of a song, for /getSongInfo and the song batch.

type Details = SongInfo['songinfo']['data']

const blocks = ['company', 'genre', 'intro', 'lan', 'pub_time'] as const

/**
 * Reads the record. Without `data` (an older call answered, with the track only) `info` is empty, and so are the texts
 * of `extras`.
 */
function readSongInfo (track: Answer, data?: Answer): SongInfo {
  return {
    songinfo: {
      code: 0,
      data: {
        track_info: readSong(track),
        info: data === undefined ? {} : readInfo(data),
        extras: readExtras(data === undefined ? undefined : maybe.at(data, 'extras'))
      }
    }
  }
}

/** Any block may be missing. The numbers and addresses in it serve the upstream's own pages and are not read. */
function readInfo (data: Answer): Details['info'] {
  const found = blocks.flatMap((name) => {
    const block = maybe.at(data, `info.${name}`)
    if (block === undefined) return []
    const values = maybe.list(block, 'content', (entry) => maybe.text(entry, 'value')).map(plainText)
    return [[name, { title: textOf(block, 'title'), values }] as const]
  })
  return Object.fromEntries(found)
}

function readExtras (extras: Answer | undefined): Details['extras'] {
  const text = (name: string): string => extras === undefined ? '' : textOf(extras, name)
  return {
    name: text('name'),
    transname: text('transname'),
    subtitle: text('subtitle'),
    from: text('from'),
    wikiurl: extras === undefined ? '' : addressOf(extras, 'wikiurl')
  }
}
