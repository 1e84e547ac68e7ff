/**
 * One endless stream out of many songs: frames one after the other, in real time, with titles for players that ask for
 * them.
 */
import type { AbortSignalLike } from '../../common/abort.ts'
import { sleep, type Timers } from '../../common/timers.ts'
import { createCutter } from './frames.ts'

/** How far the stream may be ahead of the listener, in milliseconds: enough for the pause between two songs. */
export const leadMs = 10_000
/** Bytes between two looks at the time: about a second. A part of a file may hold many. */
const pieceBytes = 16 * 1024
/** Songs in a row that cannot be played, after which a stream ends. */
const mostFailures = 10
/** Bytes between two titles. */
export const titleEvery = 16_000

/** A song to play. */
export interface Played { readonly title: string, readonly body: AsyncIterable<Buffer> }

/** The parts of a stream. `next`: opens the next song; undefined: there is none. */
export interface Station {
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

/**
 * Returns the bytes of a stream. `withTitles`: with a title after each `titleEvery` bytes, empty while it is the same.
 */
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

// @mutate streams: radio
