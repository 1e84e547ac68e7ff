/** The targets of Meting API links besides audio: picture and lyric. */
import { getImageUrl } from '../../endpoints/discover/getImageUrl.ts'
import { getLyric } from '../../endpoints/music/getLyric.ts'
import { parseLyric } from '../../endpoints/music/lyrics.ts'
import type { Lyric } from '../../../schemas/music.ts'
import type { Call } from '../call.ts'

/** Returns the address of a picture of 300 x 300 pixels. */
export async function coverOf (id: string, call: Call): Promise<string> {
  return (await call(getImageUrl, { id, size: '300x300' })).imageUrl
}

/** Returns the lyric as LRC, with each line's translation in parentheses after it. "" if there is none. */
export async function lrcOf (songmid: string, call: Call): Promise<string> {
  const { lyric, parsed } = await call(getLyric, { songmid, isFormat: 1 })
  return merged(lyric, parsed)
}

function merged (lyric: string, parsed: Lyric['parsed']): string {
  const translations = new Map((parsed?.lines ?? []).flatMap(({ time, trans }) => trans === undefined ? [] : [[time, trans] as const]))
  return lyric.split('\n').map((line) => {
    const translation = translations.get(startOf(line))
    return translation === undefined ? line : `${line.trimEnd()} (${translation})`
  }).join('\n')
}

/** Returns the start of a line in milliseconds. NaN for a line without a time. */
const startOf = (line: string): number => parseLyric({ lyric: line, trans: '' })?.lines[0]?.time ?? NaN
