/** The detailed record of a song, for /getSongInfo and the song batch. */
import type { SongInfo } from '../../../schemas/music.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import { plainText } from '../../upstream/reader/text.ts'
import { readSong } from './song.ts'
import { addressOf, textOf } from './fields.ts'

type Details = SongInfo['songinfo']['data']

const blocks = ['company', 'genre', 'intro', 'lan', 'pub_time'] as const

/**
 * Reads the record. Without `data` (an older call answered, with the track only) `info` is empty, and so are the texts
 * of `extras`.
 */
export function readSongInfo (track: Answer, data?: Answer): SongInfo {
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
