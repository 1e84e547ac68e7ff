/** The files of a song, named by prefix, media MID and extension. Table of several clients, 2026. */
import type { FileQuality, Quality } from '../../../schemas/music.ts'
import { maybe, type Answer } from '../kit.ts'
import type { SongFacts } from '../../relay/songFacts.ts'

interface FileKind {
  readonly prefix: string
  readonly extension: string
  readonly size: string
  readonly rate?: number
}

/** The file names of each quality, the path of their size, and the bit rate in kbit/s of those that promise one. */
const kinds: Readonly<Record<FileQuality, FileKind>> = {
  master: { prefix: 'AI00', extension: 'flac', size: 'file.size_new.0' },
  hires: { prefix: 'RS01', extension: 'flac', size: 'file.size_hires' },
  flac: { prefix: 'F000', extension: 'flac', size: 'file.size_flac' },
  ape: { prefix: 'A000', extension: 'ape', size: 'file.size_ape' },
  ogg640: { prefix: 'O801', extension: 'ogg', size: 'file.size_new.5', rate: 640 },
  320: { prefix: 'M800', extension: 'mp3', size: 'file.size_320mp3', rate: 320 },
  ogg320: { prefix: 'O800', extension: 'ogg', size: 'file.size_new.3', rate: 320 },
  aac192: { prefix: 'C600', extension: 'm4a', size: 'file.size_192aac', rate: 192 },
  ogg192: { prefix: 'O600', extension: 'ogg', size: 'file.size_192ogg', rate: 192 },
  128: { prefix: 'M500', extension: 'mp3', size: 'file.size_128mp3', rate: 128 },
  m4a: { prefix: 'C400', extension: 'm4a', size: 'file.size_96aac', rate: 96 },
  ogg96: { prefix: 'O400', extension: 'ogg', size: 'file.size_96ogg', rate: 96 },
  aac48: { prefix: 'C200', extension: 'm4a', size: 'file.size_48aac', rate: 48 },
  aac24: { prefix: 'C100', extension: 'm4a', size: 'file.size_24aac', rate: 24 },
  spatial: { prefix: 'Q000', extension: 'flac', size: 'file.size_new.1' },
  spatial51: { prefix: 'Q001', extension: 'flac', size: 'file.size_new.2' },
  spatial71: { prefix: 'Q003', extension: 'ogg', size: 'file.size_new.6' },
  dolby: { prefix: 'D004', extension: 'mp4', size: 'file.size_dolby' },
  dts: { prefix: 'DT03', extension: 'mp4', size: 'file.size_new.9' },
  trial: { prefix: 'RS02', extension: 'mp3', size: 'file.size_try' }
}

/** Files that are granted instead of requested ones, and that are never requested (2026-11). */
const otherKinds: readonly (Pick<FileKind, 'prefix' | 'extension'> & { readonly quality: FileQuality })[] =
  [{ prefix: 'O802', extension: 'ogg', quality: 'trial' }]

const contentTypes: Readonly<Record<string, string>> = {
  flac: 'audio/flac',
  ape: 'audio/x-ape',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4'
}

export function contentTypeOf (filename: string): string {
  return contentTypes[filename.slice(filename.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
}

// Best first, as for `quality=best`. A separate list, because an object lists keys that look like numbers first.
const stereo: readonly FileQuality[] = [
  'master',
  'hires',
  'flac',
  'ape',
  'ogg640',
  '320',
  'ogg320',
  'aac192',
  'ogg192',
  '128',
  'm4a',
  'ogg96',
  'aac48',
  'aac24'
]

/** All files, best first. Those with several channels are no replacement for stereo, because few players play them. */
const bestFirst: readonly FileQuality[] = [
  ...stereo.slice(0, 4),
  'spatial',
  'spatial51',
  'spatial71',
  'dolby',
  'dts',
  ...stereo.slice(4),
  'trial'
]

/** Reads the sizes of a song's files from its track, best first. */
export function readSizes (track: Answer): Map<FileQuality, number> {
  return new Map(bestFirst.map((quality) => [quality, maybe.int(track, kinds[quality].size) ?? 0] as const)
    .filter(([, size]) => size > 0))
}

export function qualitiesOf (track: SongFacts): FileQuality[] {
  return [...track.sizes.keys()]
}

/**
 * Returns the file names to request, best first; none if the song has no such file. A song that could not be looked up
 * is requested by its MID, once (the safer form) and twice (2026-11).
 */
export function filesOf (songmid: string, track: SongFacts | undefined, quality: Quality): string[] {
  const candidates = quality === 'best' ? stereo : [quality]
  return candidates.filter((candidate) => track === undefined || track.sizes.has(candidate)).flatMap((candidate) => {
    const { prefix, extension } = kinds[candidate]
    return stemsOf(songmid, track, candidate).map((stem) => `${prefix}${stem}.${extension}`)
  })
}

/** Trials have their own MID. One recording (2026-08) had the trial under the media MID, so both are requested. */
function stemsOf (songmid: string, track: SongFacts | undefined, quality: FileQuality): string[] {
  if (track === undefined) return [songmid, songmid + songmid]
  return quality === 'trial' && track.trialMid !== undefined ? [track.trialMid, track.mediaMid] : [track.mediaMid]
}

/** Returns the quality of a file name; undefined for kinds that a plain player cannot play, such as encrypted ones. */
export function qualityOfFile (filename: string): FileQuality | undefined {
  const is = ({ prefix, extension }: Pick<FileKind, 'prefix' | 'extension'>): boolean =>
    filename.startsWith(prefix) && filename.endsWith(`.${extension}`)
  return bestFirst.find((quality) => is(kinds[quality])) ?? otherKinds.find(is)?.quality
}

/** Bit rate of lossless files of unknown length, in kbit/s: that of a compact disc. */
const discRate = 1411

/** Returns the bit rate of a file in kbit/s. */
const rateOf = (quality: FileQuality, track: SongFacts | undefined): number => {
  const { seconds = 0, sizes } = track ?? {}
  const own = seconds > 0 ? (sizes?.get(quality) ?? 0) / seconds / 125 : 0
  return kinds[quality].rate ?? (own || discRate)
}

/**
 * What a player wishes for, as its interface says it: a bit rate that the file should not exceed, in kbit/s, and a kind
 * of file, by its extension. A wish never makes a song unplayable.
 */
interface FileWish { readonly most?: number | undefined, readonly extension?: string | undefined }

/** The files that records of players describe, best first. Without a wish, they come before all others. */
export const usualQualities = ['flac', '320', '128'] as const satisfies readonly FileQuality[]

/** Kinds that not every player plays. */
const isOdd = (quality: FileQuality): boolean => ['ogg', 'ape'].includes(kinds[quality].extension)

/** Returns files by a wish, best first: within the bit rate, then of the wished kind. If none is, the smallest. */
export function byWish<T extends { readonly quality: FileQuality }> (
  files: readonly T[],
  { most = Infinity, extension }: FileWish,
  track: SongFacts | undefined
): T[] {
  const places = ({ quality }: T): readonly number[] => {
    const rate = rateOf(quality, track)
    const usual = usualQualities.findIndex((each) => each === quality)
    const isWished = kinds[quality].extension === extension
    const place = stereo.indexOf(quality)
    if (quality === 'trial' || rate > most) return [quality === 'trial' ? 2 : 1, rate, Number(isOdd(quality)), place]
    const byKind = [0, Number(!isWished), Number(!isWished && isOdd(quality))]
    return [...byKind, ...most === Infinity ? [usual < 0 ? usualQualities.length : usual] : [-rate], place]
  }
  const compared = (a: readonly number[], b: readonly number[]): number =>
    a.map((each, at) => each - (b[at] as number)).find((each) => each !== 0) ?? 0
  return files.map((file) => ({ file, at: places(file) })).sort((a, b) => compared(a.at, b.at)).map(({ file }) => file)
}

/** Returns the next lower qualities in stereo that the song has, at most two. None for files with several channels. */
export function lowerQualities (track: SongFacts | undefined, quality: Quality): FileQuality[] {
  const at = stereo.findIndex((each) => each === quality)
  return track === undefined || at < 0 ? [] : stereo.slice(at + 1).filter((each) => track.sizes.has(each)).slice(0, 2)
}

export const isLow = (quality: FileQuality): boolean => stereo.indexOf(quality) >= stereo.indexOf('128')

// @mutate streams: play play-reasons opensubsonic-fields
