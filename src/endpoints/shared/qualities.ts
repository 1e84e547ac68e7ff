/**
 * The upstream names a file by prefix, media MID and extension; its size stands in the song's track.
 * Table of several clients, 2026.
 */
import type { FileQuality, Quality } from '../../../schemas/music.ts'
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'

interface FileKind { readonly prefix: string, readonly extension: string, readonly size: string }

/** Best first, as `quality=best` asks; the trial stands apart. */
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

// Written out: an object would list the names that look like numbers first.
const bestFirst: readonly FileQuality[] = ['master', 'hires', 'flac', 'ape', 'ogg640', '320', 'ogg320', 'aac192', 'ogg192', '128', 'm4a', 'ogg96', 'aac48', 'aac24', 'trial']

/** What a play address needs to know of a song. */
export interface PlayTrack {
  /** Differs from the song's MID for many songs. */
  readonly mediaMid: string
  readonly trialMid: string | undefined
  readonly songType: number
  /** Bytes by quality; only files that exist. */
  readonly sizes: ReadonlyMap<FileQuality, number>
  /** Playing needs a paid account. */
  readonly paid: boolean
  /** Nobody may play it from here, paid or not. */
  readonly closed: boolean
}

/** Bits 1 to 3 of the switch: playing in low, high, lossless quality (16889603 on free songs, 1 on withdrawn ones, 2026). */
const playBits = 0b1110

export function readPlayTrack (track: Answer): PlayTrack {
  const sizes = bestFirst.map((quality) => [quality, maybe.int(track, kinds[quality].size) ?? 0] as const).filter(([, size]) => size > 0)
  const paid = maybe.int(track, 'pay.pay_play') === 1
  const allowed = maybe.int(track, 'action.switch')
  return {
    mediaMid: maybe.text(track, 'file.media_mid', 'strMediaMid', 'mid') ?? '',
    trialMid: maybe.text(track, 'vs.0'),
    songType: maybe.int(track, 'type') ?? 0,
    sizes: new Map(sizes),
    paid,
    closed: !paid && allowed !== undefined && (allowed & playBits) === 0
  }
}

export function qualitiesOf (track: PlayTrack): FileQuality[] {
  return [...track.sizes.keys()]
}

/**
 * The files to ask for, best first; none when the song has no such file. A song that could not be looked up is asked
 * for by its MID written twice, which the upstream takes for most songs.
 */
export function filesOf (songmid: string, track: PlayTrack | undefined, quality: Quality): string[] {
  const asked = quality === 'best' ? bestFirst.filter((word) => word !== 'trial') : [quality]
  return asked.filter((word) => track === undefined || track.sizes.has(word)).flatMap((word) => {
    const { prefix, extension } = kinds[word]
    return stemsOf(songmid, track, word).map((stem) => `${prefix}${stem}.${extension}`)
  })
}

/** Trials go by a MID of their own; one recording (2026-08) had the trial under the media MID, so that is asked too. */
function stemsOf (songmid: string, track: PlayTrack | undefined, quality: FileQuality): string[] {
  if (track === undefined) return [songmid + songmid]
  return quality === 'trial' && track.trialMid !== undefined ? [track.trialMid, track.mediaMid] : [track.mediaMid]
}

/** What a file name is; undefined for kinds that a plain player cannot play (encrypted ones among them). */
export function qualityOfFile (filename: string): FileQuality | undefined {
  return bestFirst.find((quality) => filename.startsWith(kinds[quality].prefix) && filename.endsWith(`.${kinds[quality].extension}`))
}
