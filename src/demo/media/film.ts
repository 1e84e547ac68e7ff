import { randomFrom, seedOf } from '../catalogue/random.ts'
import type { Catalogue, Mv } from '../catalogue/types.ts'

export type FilmKind = 'mp4' | 'hls'

export interface FilmFile { mv: Mv, kind: FilmKind, level: number }

/**
 * Returns a file name in one of the upstream's three generations: `.f20` (2019), `.f9824` (2024), `.f120000` (2026; 1
 * mp4, 2 hls).
 */
export function mvFileName (vid: string, kind: FilmKind, level: number): string {
  const extension = kind === 'mp4' ? 'mp4' : 'm3u8'
  const generation = seedOf(vid) % 3
  if (generation === 0) return `1049_${vid}.f${kind === 'mp4' ? level : 200 + level}.${extension}`
  if (generation === 1 && kind === 'mp4') return `qmmv_${vid}.f98${level / 10}4.${extension}`
  return `${vid}.f${kind === 'mp4' ? 1 : 2}${level}000.${extension}`
}

export function filmNamed (catalogue: Catalogue, name: string): FilmFile | undefined {
  const { vid, extension } = /^(?:1049_|qmmv_)?(?<vid>\w+)\.f\d+\.(?<extension>mp4|m3u8)$/.exec(name)?.groups ?? {}
  const mv = catalogue.mvByVid.get(vid ?? '')
  if (!mv) return undefined
  const kind = extension === 'mp4' ? 'mp4' : 'hls'
  const level = [10, 20, 30, 40, 60].find((candidate) => mvFileName(mv.vid, kind, candidate) === name)
  return level === undefined ? undefined : { mv, kind, level }
}

export const filmSeconds = 3
const framesPerSecond = 4
const frames = filmSeconds * framesPerSecond
/** Bytes of one uncompressed block of 16 by 16 pixels: 256 of luma, 64 and 64 of chroma. */
const blockBytes = 384

/** Blocks per side. A higher definition has a larger picture. */
const blocksOf = (level: number): number => 3 + level / 10

/** Packs values into bytes, in the order of the H.264 syntax. */
function bits (...parts: Array<readonly [value: number, length: number] | { ue: number }>): Buffer {
  let text = ''
  for (const part of parts) {
    if ('ue' in part) {
      const binary = (part.ue + 1).toString(2)
      text += '0'.repeat(binary.length - 1) + binary
    } else {
      text += part[0].toString(2).padStart(part[1], '0')
    }
  }
  const bytes = text.match(/.{1,8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

const stop = [1, 1] as const

/** Baseline profile, every frame a key frame. */
function parameterSets (blocks: number): { sequence: Buffer, picture: Buffer } {
  return {
    sequence: bits(
      [0x67, 8],
      [66, 8],
      [0xc0, 8],
      [30, 8],
      { ue: 0 },
      { ue: 0 },
      { ue: 2 },
      { ue: 0 },
      [0, 1],
      { ue: blocks - 1 },
      { ue: blocks - 1 },
      [1, 1],
      [1, 1],
      [0, 1],
      [0, 1],
      stop
    ),
    picture: bits(
      [0x68, 8],
      { ue: 0 },
      { ue: 0 },
      [0, 1],
      [0, 1],
      { ue: 0 },
      { ue: 0 },
      { ue: 0 },
      [0, 1],
      [0, 2],
      { ue: 0 },
      { ue: 0 },
      { ue: 0 },
      [1, 1],
      [0, 1],
      [0, 1],
      stop
    )
  }
}

/** One frame of uncompressed blocks (`I_PCM`). No value is 0, so nothing in it looks like a start code. */
function frameOf (name: string, blocks: number, frame: number): Buffer {
  const random = randomFrom(seedOf(name))
  const colours = Array.from(
    { length: 8 },
    () => [random.int(60, 220), random.int(60, 196), random.int(60, 196)] as const
  )
  const side = blocks * 16
  const [x0, y0] = [random.int(0, side), random.int(0, side)]
  const ring = side / 8
  const colourAt = (x: number, y: number): readonly [number, number, number] =>
    colours[(Math.floor(Math.hypot(x - x0, y - y0) / ring) + 8 * frames - frame) & 7] ?? [128, 128, 128]

  const head = bits([0x65, 8], { ue: 0 }, { ue: 7 }, { ue: 0 }, [0, 4], { ue: frame % 2 }, [0, 1], [0, 1], { ue: 0 }, {
    ue: 1
  }, { ue: 25 })
  const next = bits({ ue: 25 })
  const parts: Buffer[] = []
  for (let block = 0; block < blocks * blocks; block++) {
    const [left, top] = [(block % blocks) * 16, Math.floor(block / blocks) * 16]
    const samples = Buffer.alloc(blockBytes)
    for (let at = 0; at < 256; at++) samples[at] = colourAt(left + at % 16, top + (at >> 4))[0]
    for (let at = 0; at < 64; at++) {
      const colour = colourAt(left + 2 * (at % 8), top + 2 * (at >> 3))
      samples[256 + at] = colour[1]
      samples[320 + at] = colour[2]
    }
    parts.push(block === 0 ? head : next, samples)
  }
  return Buffer.concat([...parts, bits(stop)])
}

const u16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value >> 8 & 255, value & 255]))
const u32 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)))
const text = (value: string): Buffer => Buffer.from(value, 'latin1')

function box (type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 8), text(type), body])
}

const identity = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
const timescale = 1000

/**
 * Everything before the frames. The file is fragmented, so that it serves as a download and as a segment of a playlist.
 */
function filmHead (blocks: number): Buffer {
  const side = blocks * 16
  const { sequence, picture } = parameterSets(blocks)
  const avcC = box(
    'avcC',
    Buffer.from([1, 66, 0xc0, 30, 0xff, 0xe1]),
    u16(sequence.length),
    sequence,
    Buffer.from([1]),
    u16(picture.length),
    picture
  )
  const avc1 = box(
    'avc1',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(side, side),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    avcC
  )
  const table = box(
    'stbl',
    box('stsd', u32(0, 1), avc1),
    box('stts', u32(0, 0)),
    box('stsc', u32(0, 0)),
    box('stsz', u32(0, 0, 0)),
    box('stco', u32(0, 0))
  )
  const info = box('minf', box('vmhd', u32(1, 0, 0)), box('dinf', box('dref', u32(0, 1), box('url ', u32(1)))), table)
  const media = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, timescale, 0), u16(0x55c4, 0)),
    box('hdlr', u32(0, 0), text('vide'), Buffer.alloc(13)),
    info
  )
  const track = box(
    'trak',
    box('tkhd', u32(3, 0, 0, 1, 0, 0, 0, 0), u16(0, 0, 0, 0), identity, u32(side << 16, side << 16)),
    media
  )
  const movie = box(
    'mvhd',
    u32(0, 0, 0, timescale, 0, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    identity,
    Buffer.alloc(24),
    u32(2)
  )
  const extends_ = box(
    'mvex',
    box('mehd', u32(0, filmSeconds * timescale)),
    box('trex', u32(0, 1, 1, timescale / framesPerSecond, 0, 0))
  )
  return Buffer.concat([box('ftyp', text('iso5'), u32(1), text('iso5avc1mp41')), box('moov', movie, track, extends_)])
}

function fragment (name: string, blocks: number): Buffer {
  const samples = Array.from({ length: frames }, (_, at) => frameOf(name, blocks, at))
  const sizes = u32(...samples.map((sample) => sample.length + 4))
  const moof = (offset: number): Buffer => box('moof', box('mfhd', u32(0, 1)), box('traf',
    box('tfhd', u32(0x20000, 1)), box('tfdt', u32(0, 0)), box('trun', u32(0x201, frames, offset), sizes)))
  const data = samples.flatMap((sample) => [u32(sample.length), sample])
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', ...data)])
}

/** Returns three seconds of growing rings in the colours of the MV: H.264 in a fragmented MP4, which browsers play. */
export function filmOf (name: string, level: number): { head: Buffer, fragment: Buffer } {
  const blocks = blocksOf(level)
  return { head: filmHead(blocks), fragment: fragment(name, blocks) }
}

/**
 * Returns the length of a film in bytes, computed without creating it: all blocks have one size, and so have all
 * frames.
 */
export function filmLength (level: number): number {
  const blocks = blocksOf(level)
  // A frame: its length, the header, the first block, two bytes before each further block, the end.
  const frame = 4 + 5 + blockBytes + (blocks * blocks - 1) * (2 + blockBytes) + 1
  // `moof` with the size of each frame, the header of `mdat`, the frames.
  return filmHead(blocks).length + 84 + 4 * frames + 8 + frames * frame
}
