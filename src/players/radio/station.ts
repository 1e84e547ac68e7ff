/** One endless stream out of many songs: whole frames, in real time, with titles for players that ask for them. */
import type { AbortSignalLike } from '../../common/abort.ts'
import { sleep, type Timers } from '../../common/timers.ts'

/** How far the stream may be ahead of the listener, in milliseconds: enough for the pause between two songs. */
export const leadMs = 10_000
/** Bytes between two looks at the time: about a second. A part of a file may hold many. */
const pieceBytes = 16 * 1024
/** Songs in a row that cannot be played, after which a stream ends. */
const mostFailures = 10
/** Bytes between two titles. */
export const titleEvery = 16_000

export interface Played { readonly title: string, readonly body: AsyncIterable<Buffer> }

/** The parts of a stream. `next`: opens the next song; undefined: there is none. */
interface Station {
  readonly next: () => Promise<Played | undefined>
  readonly now: () => number
  readonly timers: Timers
  readonly signal: AbortSignalLike
}

/** Returns the frames of the songs, in real time. Ends when the listener leaves, or without songs. */
export async function* framesOf (
  { next, now, timers, signal }: Station
): AsyncGenerator<{ readonly bytes: Buffer, readonly title: string }> {
  let start = now()
  let sentMs = 0
  let format: string | undefined
  for (let failures = 0; failures < mostFailures && !signal.aborted;) {
    const song = await next()
    if (song === undefined) return
    const cutter = createCutter(format)
    failures++
    try {
      for await (const part of song.body) {
        for (let at = 0; at < part.length; at += pieceBytes) {
          const { bytes, ms } = cutter.push(part.subarray(at, at + pieceBytes))
          if (bytes.length === 0) continue
          format = cutter.format()
          failures = 0
          yield { bytes, title: song.title }
          sentMs += ms
          const ahead = sentMs - (now() - start)
          // A listener who paused goes on where the stream is, and does not get all that was missed at once.
          if (ahead < 0) start += -ahead
          if (ahead > leadMs) await sleep(ahead - leadMs, timers, signal)
          if (signal.aborted) return
        }
      }
    } catch (error) {
      // A file that breaks, or does not fit, costs the rest of its song.
      if (!(error instanceof Error)) throw error
    }
  }
}

/** Returns the block with a title, as SHOUTcast has it. */
export function titleBlock (title: string): Buffer {
  const text = Buffer.from(`StreamTitle='${title.replaceAll("'", '’').slice(0, 200)}';`)
  const block = Buffer.alloc(1 + Math.ceil(text.length / 16) * 16)
  block[0] = (block.length - 1) / 16
  text.copy(block, 1)
  return block
}

/** Returns the bytes of a stream. `withTitles`: a title after each `titleEvery` bytes, empty if it is the same. */
export async function * bytesOf (frames: ReturnType<typeof framesOf>, withTitles: boolean): AsyncGenerator<Buffer> {
  let left = titleEvery
  let shown = ''
  for await (const { bytes, title } of frames) {
    if (!withTitles) {
      yield bytes
      continue
    }
    const parts: Buffer[] = []
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + left)
      parts.push(part)
      at += part.length
      left -= part.length
      if (left > 0) continue
      parts.push(title === shown ? Buffer.alloc(1) : titleBlock(title))
      shown = title
      left = titleEvery
    }
    yield Buffer.concat(parts)
  }
}

// Cuts MP3 files into whole frames, so that files can follow each other in one stream.

/** Whole frames, and how long they last. */
interface Frames { readonly bytes: Buffer, readonly ms: number }

/** Bytes in a row without a frame after which a file is not MP3. */
const mostNoise = 64 * 1024

const rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const samplings = [44_100, 48_000, 32_000]

/** A header of Layer III. `format`: what a stream may not change: version, sampling rate, one channel or two. */
interface Header { readonly length: number, readonly ms: number, readonly format: string, readonly infoAt: number }

/** Reads the header of a frame. Undefined if there is none here. Some of MPEG-2.5 are no MP3 of the provider. */
export function headerAt (bytes: Buffer, at: number): Header | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4)
  const version = second >> 3 & 3
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || (second >> 1 & 3) !== 1) return undefined
  const kbit = (version === 3 ? rates1 : rates2)[third >> 4] ?? 0
  const sampling = (samplings[third >> 2 & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  if (kbit === 0 || sampling === 0) return undefined
  const samples = version === 3 ? 1152 : 576
  const isMono = fourth >> 6 === 3
  const length = Math.floor(samples * 125 * kbit / sampling) + (third >> 1 & 1)
  const infoAt = 4 + (version === 3 ? isMono ? 17 : 32 : isMono ? 9 : 17)
  return { length, ms: samples * 1000 / sampling, format: `${version} ${sampling} ${isMono}`, infoAt }
}

/** Bytes of a tag at the begin of a file. 0: no tag. Undefined: more bytes are needed. */
function tagLength (bytes: Buffer): number | undefined {
  if (bytes.length < 10) return undefined
  if (bytes.toString('latin1', 0, 3) !== 'ID3') return 0
  const size = [6, 7, 8, 9].reduce((sum, at) => sum << 7 | (bytes[at] ?? 0) & 0x7f, 0)
  return 10 + size + ((bytes[5] ?? 0) & 0x10 ? 10 : 0)
}

/**
 * Returns a function that takes the parts of a file in their order and returns the whole frames in them. Tags and the
 * frame that only describes the file are left out. `format`: of the stream; a file of another one throws a TypeError,
 * like one that is not MP3.
 */
export function createCutter (
  format?: string
): { readonly push: (part: Buffer) => Frames, readonly format: () => string | undefined } {
  let rest = Buffer.alloc(0)
  let skip: number | undefined
  let noise = 0
  let known = format
  let isFirst = true

  function push (part: Buffer): Frames {
    rest = Buffer.concat([rest, part])
    skip ??= tagLength(rest)
    if (skip === undefined) return { bytes: Buffer.alloc(0), ms: 0 }
    const jump = Math.min(skip, rest.length)
    skip -= jump
    let at = jump
    const frames: Buffer[] = []
    let ms = 0
    while (at + 4 <= rest.length) {
      const header = headerAt(rest, at)
      if (header === undefined) {
        at++
        if (++noise > mostNoise) throw new TypeError('the file is not MP3')
        continue
      }
      if (at + header.length > rest.length) break
      const frame = rest.subarray(at, at + header.length)
      at += header.length
      noise = 0
      if (
        known !== undefined && header.format !== known
      ) { throw new TypeError('the file has another sampling rate or other channels') }
      known = header.format
      const info = isFirst ? frame.toString('latin1', header.infoAt, header.infoAt + 4) : ''
      isFirst = false
      if (info === 'Xing' || info === 'Info' || frame.toString('latin1', 36, 40) === 'VBRI') continue
      frames.push(frame)
      ms += header.ms
    }
    rest = Buffer.from(rest.subarray(at))
    return { bytes: Buffer.concat(frames), ms }
  }
  return { push, format: () => known }
}

// @mutate streams: endless-radio
