/**
 * The upstream names a file by prefix, media MID and extension; its size is in the song's track. Table of several
 * clients, 2026.
 */
import type { FileQuality, Quality } from '../../../schemas/music.ts'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import type { SongFacts } from '../../core/songFacts.ts'
import { songIdOf, songMidOf } from './song.ts'

interface FileKind { readonly prefix: string, readonly extension: string, readonly size: string }

/** The file names of each quality, and the path of their size. */
const kinds: Readonly<Record<FileQuality, FileKind>> = {
  master: { prefix: 'AI00', extension: 'flac', size: 'file.size_new.0' },
  hires: { prefix: 'RS01', extension: 'flac', size: 'file.size_hires' },
  flac: { prefix: 'F000', extension: 'flac', size: 'file.size_flac' },
  ape: { prefix: 'A000', extension: 'ape', size: 'file.size_ape' },
  ogg640: { prefix: 'O801', extension: 'ogg', size: 'file.size_new.5' },
  320: { prefix: 'M800', extension: 'mp3', size: 'file.size_320mp3' },
  ogg320: { prefix: 'O800', extension: 'ogg', size: 'file.size_new.3' },
  aac192: { prefix: 'C600', extension: 'm4a', size: 'file.size_192aac' },
  ogg192: { prefix: 'O600', extension: 'ogg', size: 'file.size_192ogg' },
  128: { prefix: 'M500', extension: 'mp3', size: 'file.size_128mp3' },
  m4a: { prefix: 'C400', extension: 'm4a', size: 'file.size_96aac' },
  ogg96: { prefix: 'O400', extension: 'ogg', size: 'file.size_96ogg' },
  aac48: { prefix: 'C200', extension: 'm4a', size: 'file.size_48aac' },
  aac24: { prefix: 'C100', extension: 'm4a', size: 'file.size_24aac' },
  trial: { prefix: 'RS02', extension: 'mp3', size: 'file.size_try' }
}

const contentTypes: Readonly<Record<string, string>> = { flac: 'audio/flac', ape: 'audio/x-ape', ogg: 'audio/ogg', mp3: 'audio/mpeg', m4a: 'audio/mp4' }

/** Returns the content type of a file of this quality. */
export function contentTypeOf (quality: FileQuality): string {
  return contentTypes[kinds[quality].extension] as string
}

// Best first, as for `quality=best`, which has no trial. A separate list, because an object lists keys that look like numbers
// first.
const bestFirst: readonly FileQuality[] = [
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
  'aac24',
  'trial'
]

/**
 * Bits 1 to 3 of the switch: permission to play in low, high and lossless quality (16889603 on free songs, 1 on
 * withdrawn ones, 2026).
 */
const playBits = 0b1110

/** Reads the facts of a song from its track. */
export function readFacts (track: Answer): SongFacts {
  const sizes = bestFirst.map((quality) => [quality, maybe.int(track, kinds[quality].size) ?? 0] as const).filter(([, size]) => size > 0)
  const paid = maybe.int(track, 'pay.pay_play') === 1
  const allowed = maybe.int(track, 'action.switch')
  return {
    id: songIdOf(track) ?? 0,
    mid: songMidOf(track),
    mediaMid: maybe.text(track, 'file.media_mid', 'strMediaMid', 'mid') ?? '',
    trialMid: maybe.text(track, 'vs.0'),
    songType: maybe.int(track, 'type') ?? 0,
    sizes: new Map(sizes),
    closed: !paid && allowed !== undefined && (allowed & playBits) === 0
  }
}

/** Returns the qualities that the song has, best first. */
export function qualitiesOf (track: SongFacts): FileQuality[] {
  return [...track.sizes.keys()]
}

/**
 * Returns the file names to request, best first; none if the song has no such file. A song that could not be looked up
 * is requested by its MID, once (the safer form) and twice (2026-11).
 */
export function filesOf (songmid: string, track: SongFacts | undefined, quality: Quality): string[] {
  const candidates = quality === 'best' ? bestFirst.filter((candidate) => candidate !== 'trial') : [quality]
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
  return bestFirst.find((quality) => filename.startsWith(kinds[quality].prefix) && filename.endsWith(`.${kinds[quality].extension}`))
}

// @mutate streams: play play-reasons
