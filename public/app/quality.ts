/** Qualities of files: which ones browsers play, and how people call them. */
import type { FileQuality, PlayUrl, Quality } from '../../schemas/music.ts'
import { t, type Sentence } from './language.ts'
import { ask } from './relay.ts'

/** What browsers play, best first; and whether this one does. */
export const playable: ReadonlyArray<readonly [FileQuality, string]> = [
  ['master', 'audio/flac'],
  ['hires', 'audio/flac'],
  ['flac', 'audio/flac'],
  ['ogg640', 'audio/ogg; codecs=vorbis'],
  ['320', 'audio/mpeg'],
  ['ogg320', 'audio/ogg; codecs=vorbis'],
  ['ogg192', 'audio/ogg; codecs=vorbis'],
  ['128', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['aac48', 'audio/mp4']
]

/** The name of a quality: `128` is 128 kbit/s, `ogg192` Ogg 192 kbit/s. */
export function nameOf (quality: Quality | ''): string {
  const named: Partial<Record<Quality | '', Sentence>> = {
    trial: 'preview',
    flac: 'Lossless',
    hires: 'Hi-Res',
    master: 'Master',
    m4a: 'Data saver'
  }
  if (named[quality] !== undefined) return t(named[quality])
  const [, kind = '', rate] = /^([a-z]*?)(\d+)$/.exec(quality) ?? []
  return rate === undefined ? quality.toUpperCase() : `${kind.toUpperCase()} ${rate} kbit/s`.trim()
}

export const sizeOf = (bytes: number): string =>
  bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`

/** Asks for the file in the chosen quality; where the song has none in it, in the usual one. */
export async function fileOf (mid: string, quality: Quality | '', signal: AbortSignal): Promise<PlayUrl> {
  const usual = { songmid: mid } as { songmid: string, quality: Quality }
  if (quality === '') return await ask('getMusicPlay', usual, signal)
  const answer = await ask('getMusicPlay', { songmid: mid, quality }, signal)
  return answer.url === '' && quality !== 'trial' ? await ask('getMusicPlay', usual, signal) : answer
}
