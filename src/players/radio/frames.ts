/** Cuts MP3 files into whole frames, so that files can follow each other in one stream. */

/** Whole frames, and how long they last. */
export interface Frames { readonly bytes: Buffer, readonly ms: number }

/** Bytes in a row without a frame after which a file is not MP3. */
const mostNoise = 64 * 1024

const rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const samplings = [44_100, 48_000, 32_000]

/**
 * A header of Layer III. `format`: what may not change within a stream: version, sampling rate, and one channel or two.
 */
interface Header { readonly length: number, readonly ms: number, readonly format: string, readonly infoAt: number }

/**
 * Reads the header of a frame. Undefined if there is none at this place. Some formats of MPEG-2.5 are no MP3 of the
 * provider.
 */
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

// @mutate streams: radio
