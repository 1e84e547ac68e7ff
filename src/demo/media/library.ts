import type { Identity } from '../accounts.ts'
import type { Catalogue, Song } from '../catalogue/types.ts'
import { fileKinds } from './files.ts'
import type { FileKind } from './files.ts'

export interface AudioFile { song: Song, kind: FileKind }

/**
 * The song and kind behind a file name: prefix + media MID + extension. The media MID may stand twice (recorded 2026-08);
 * the trial goes by its own MID (`vs[0]`), and one recording shows it under the media MID, so both are found.
 */
export function fileNamed (catalogue: Catalogue, filename: string): AudioFile | undefined {
  const { prefix, stem, extension } = /^(?<prefix>[A-Z0-9]{4})(?<stem>\w+)\.(?<extension>\w+)$/.exec(filename)?.groups ?? {}
  const kind = fileKinds.find((known) => known.prefix === prefix && known.extension === extension)
  if (!kind || !stem) return undefined
  const half = stem.slice(0, stem.length / 2)
  const mid = half + half === stem ? half : stem
  const song = catalogue.songByFile.get(mid)
  if (!song || !song.sizes[kind.prefix]) return undefined
  if (mid === song.trialMid && kind.prefix !== 'RS02') return undefined
  return { song, kind }
}

/** Anonymous callers get trials and the low qualities of free songs, 104003 for the rest (2026-08). */
export function mayPlay ({ state }: Identity, { song, kind }: AudioFile): boolean {
  if (state === 'expired' || song.access === 'region') return false
  if (kind.prefix === 'RS02' || state === 'member') return true
  if (song.access === 'paid') return false
  if (state === 'anonymous') return song.access === 'free' && kind.level === 0
  return kind.level <= (song.access === 'free' ? 1 : 0)
}
