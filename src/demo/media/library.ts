import type { Identity } from '../accounts.ts'
import type { Catalogue, Song } from '../catalogue/types.ts'
import { fileKinds, type FileKind } from './files.ts'

export interface AudioFile { song: Song, kind: FileKind }

/**
 * Finds the song and the kind of file by file name: prefix + media MID + extension. The media MID may occur twice
 * (recorded 2026-08). The trial has its own MID (`vs[0]`). One recording names it by the media MID, so both are found.
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

/**
 * Whether the caller may play the file. Anonymous callers get trials and low qualities of free songs, 104003 for the
 * rest (2026-08).
 */
export function mayPlay ({ state }: Identity, { song, kind }: AudioFile): boolean {
  if (state === 'expired' || song.access === 'region') return false
  if (kind.prefix === 'RS02' || state === 'member') return true
  if (song.access === 'paid') return false
  if (state === 'anonymous') return song.access === 'free' && kind.level === 0
  return kind.level <= (song.access === 'free' ? 1 : 0)
}
