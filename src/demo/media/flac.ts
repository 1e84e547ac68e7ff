/**
 * Real frames of FLAC without compression, a tenth of a second each, so that the length of a file is known in advance.
 */

/** Rate of the samples in Hz, and frames per second. */
export const flacRate = 22_050
export const framesPerSecond = 10
const samplesOfFrame = flacRate / framesPerSecond

/** Bytes before the first frame. */
export const flacHeaderBytes = 42

const crcTable = (width: 8 | 16, polynomial: number): Uint16Array => Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << width - 8
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1 ^ (crc >> width - 1 & 1) * polynomial) & (1 << width) - 1
  return crc
})
const [table8, table16] = [crcTable(8, 0x07), crcTable(16, 0x8005)]
const crc8 = (bytes: Buffer): number => bytes.reduce((crc, byte) => table8[crc ^ byte] ?? 0, 0)
/** A loop by number: with a function for each byte, this would be most of the work for a file. */
function crc16 (bytes: Buffer): number {
  let crc = 0
  for (let at = 0; at < bytes.length; at++) {
    crc = (crc << 8 ^ (table16[crc >> 8 ^ (bytes[at] as number)] as number)) & 0xffff
  }
  return crc
}

/** Returns the number of a frame in the standard's form of UTF-8. */
const numberOf = (frame: number): number[] =>
  frame < 0x80
    ? [frame]
    : frame < 0x800 ? [0xc0 | frame >> 6, 0x80 | frame & 63]
    : [0xe0 | frame >> 12, 0x80 | frame >> 6 & 63, 0x80 | frame & 63]

/** Returns the bytes of the frames before this one. */
export function flacBytesBefore (frame: number, bits: number): number {
  const longer = Math.max(0, frame - 0x80) + Math.max(0, frame - 0x800)
  return frame * (11 + samplesOfFrame * bits / 8) + longer
}

/** Returns the header of a file with this many frames. */
export function flacHeader (frames: number, bits: number): Buffer {
  const out = Buffer.alloc(flacHeaderBytes)
  out.write('fLaC', 'latin1')
  out.set([0x80, 0, 0, 34], 4)
  out.writeUInt16BE(samplesOfFrame, 8)
  out.writeUInt16BE(samplesOfFrame, 10)
  // 20 bits of rate, 3 of channels less one, 5 of sample size less one, 36 of samples.
  out.writeBigUInt64BE(BigInt(flacRate) << 44n | BigInt(bits - 1) << 36n | BigInt(frames * samplesOfFrame), 18)
  return out
}

/** Returns a frame. `pcm`: its samples, signed and little-endian, as in WAV. */
export function flacFrame (number: number, bits: number, pcm: Buffer): Buffer {
  const samples = Buffer.from(pcm)
  if (bits === 16) samples.swap16()
  else {for (let at = 0; at < samples.length; at += 3) {
      [samples[at], samples[at + 2]] = [samples[at + 2] ?? 0, samples[at] ?? 0]
    }}
  const head = Buffer.from([
    0xff,
    0xf8,
    0x76,
    bits === 16 ? 0x08 : 0x0c,
    ...numberOf(number),
    samplesOfFrame - 1 >> 8,
    samplesOfFrame - 1 & 255
  ])
  const frame = Buffer.concat([head, Buffer.from([crc8(head), 0x02]), samples, Buffer.alloc(2)])
  frame.writeUInt16BE(crc16(frame.subarray(0, -2)), frame.length - 2)
  return frame
}
