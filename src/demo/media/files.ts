import type { Access } from '../catalogue/types.ts'
import { flacBytesBefore, flacHeaderBytes, flacRate, framesPerSecond } from './flac.ts'
import { frameBytes, frameMs } from './mp3.ts'

/**
 * One kind of audio file, which the upstream names by prefix and extension (catalogue of 2026-08). The size of each is
 * known in advance: `kbit` is the bit rate of real MP3 frames, FLAC has real frames without compression, and the rest
 * is PCM in a WAV container with about as many bits as the kind promises.
 */
export interface FileKind {
  prefix: string
  extension: string
  rate: number
  bits: 8 | 16 | 24
  kbit?: number
  /** 0: all callers who may play the song. 1: a free song requires an account. 2: requires a member. */
  level: 0 | 1 | 2
}

export const fileKinds: readonly FileKind[] = [
  { prefix: 'C100', extension: 'm4a', rate: 3000, bits: 8, level: 0 },
  { prefix: 'C200', extension: 'm4a', rate: 6000, bits: 8, level: 0 },
  { prefix: 'C400', extension: 'm4a', rate: 6000, bits: 16, level: 0 },
  { prefix: 'C600', extension: 'm4a', rate: 12000, bits: 16, level: 0 },
  { prefix: 'M500', extension: 'mp3', rate: 48_000, bits: 16, kbit: 128, level: 0 },
  { prefix: 'M800', extension: 'mp3', rate: 48_000, bits: 16, kbit: 320, level: 1 },
  { prefix: 'A000', extension: 'ape', rate: 22050, bits: 16, level: 2 },
  { prefix: 'F000', extension: 'flac', rate: flacRate, bits: 16, level: 2 },
  { prefix: 'RS01', extension: 'flac', rate: flacRate, bits: 24, level: 2 },
  { prefix: 'O400', extension: 'ogg', rate: 6000, bits: 16, level: 0 },
  { prefix: 'O600', extension: 'ogg', rate: 12000, bits: 16, level: 0 },
  { prefix: 'O800', extension: 'ogg', rate: 20000, bits: 16, level: 1 },
  { prefix: 'O801', extension: 'ogg', rate: 40000, bits: 16, level: 2 },
  { prefix: 'AI00', extension: 'flac', rate: flacRate, bits: 24, level: 2 },
  { prefix: 'Q000', extension: 'flac', rate: flacRate, bits: 24, level: 2 },
  { prefix: 'Q001', extension: 'flac', rate: flacRate, bits: 24, level: 2 },
  { prefix: 'Q003', extension: 'ogg', rate: 16000, bits: 16, level: 2 },
  { prefix: 'D004', extension: 'mp4', rate: 12000, bits: 16, level: 2 },
  { prefix: 'DT03', extension: 'mp4', rate: 11025, bits: 16, level: 2 },
  { prefix: 'RS02', extension: 'mp3', rate: 48_000, bits: 16, kbit: 128, level: 0 }
]

const trialSeconds = 4
/** Bytes of the header of a WAV file. */
export const wavHeaderBytes = 44

/** Returns the length of a file in seconds. */
export const secondsOf = ({ prefix }: FileKind, songSeconds: number): number =>
  prefix === 'RS02' ? trialSeconds : songSeconds

export function byteLength (kind: FileKind, songSeconds: number): number {
  const { extension, rate, bits, kbit } = kind
  const seconds = secondsOf(kind, songSeconds)
  if (kbit !== undefined) return Math.ceil(seconds * 1000 / frameMs) * frameBytes(kbit)
  if (extension === 'flac') return flacHeaderBytes + flacBytesBefore(seconds * framesPerSecond, bits)
  return wavHeaderBytes + seconds * rate * bits / 8
}

/**
 * Returns the sizes of the files of a song, in bytes. Few songs have all files, taken-down songs have none, and APE is
 * 0 for nearly all songs (2026).
 */
export function sizesOf (number: number, access: Access, songSeconds: number, plain: boolean): Record<string, number> {
  if (access === 'gone') return {}
  const sizes: Record<string, number> = {}
  for (const kind of fileKinds) {
    if (plain && kind.level > 0) continue
    if (kind.prefix === 'C100' && number % 5 !== 0) continue
    if (kind.prefix === 'A000' && number % 40 !== 0) continue
    if (kind.prefix === 'RS01' && number % 12 !== 1) continue
    if (/^(?:AI00|Q00\d|D004|DT03)$/.test(kind.prefix) && number % 24 !== 1) continue
    if (kind.prefix === 'RS02' && access === 'free') continue
    sizes[kind.prefix] = byteLength(kind, songSeconds)
  }
  return sizes
}
