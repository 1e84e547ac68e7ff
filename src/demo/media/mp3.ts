/**
 * Real frames of MP3: MPEG-1 Layer III, 48 kHz, mono, each complete in itself (no bit reservoir). A frame lasts exactly
 * 24 ms and is never padded, so that the length of a file is known in advance. A note is one line of the spectrum.
 */

/** Milliseconds of a frame, two granules of 576 samples at 48 kHz. */
export const frameMs = 24
/** Distance of two lines of the spectrum, in Hz. */
const lineHz = 24_000 / 576

/** Returns the bytes of a frame. `kbit`: bit rate in kbit/s. */
export const frameBytes = (kbit: number): number => kbit * frameMs / 8

/** A note in a frame. `pitch`: in Hz. `age`: frames since it began, which make it quieter. */
export interface Note { pitch: number, age: number }

const rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** Writes bits, the highest first. */
function bitsInto (out: Buffer, from: number): (value: number, count: number) => void {
  let at = from * 8
  return (value, count) => {
    for (let bit = count - 1; bit >= 0; bit--, at++) {
      if ((value >> bit & 1) === 1) { out[at >> 3] = (out[at >> 3] ?? 0) | 0x80 >> (at & 7) }
    }
  }
}

/** Returns one frame: silence without a note. */
export function frameOf (kbit: number, note: Note | undefined): Buffer {
  const out = Buffer.alloc(frameBytes(kbit))
  out.set([0xff, 0xfb, rates.indexOf(kbit) << 4 | 0b0100, 0b1100_0000])
  const write = bitsInto(out, 4)
  const line = note === undefined ? 0 : Math.round(note.pitch / lineHz - 0.5)
  const pairs = note === undefined ? 0 : (line >> 1) + 1
  // Table 1 has pairs of 0 and 1: a zero pair is one bit, the last one two or three and its sign.
  const huffman = note === undefined ? 0 : pairs - 1 + (line % 2 === 0 ? 2 : 3) + 1
  write(0, 9 + 5 + 4)
  for (let granule = 0; granule < 2; granule++) {
    write(huffman, 12)
    write(pairs, 9)
    write(Math.max(0, 202 - Math.floor((note?.age ?? 0) / 2)), 8)
    write(0, 4 + 1)
    for (let region = 0; region < 3; region++) write(1, 5)
    write(0, 4 + 3 + 3)
  }
  for (let granule = 0; granule < 2 && note !== undefined; granule++) {
    for (let pair = 1; pair < pairs; pair++) write(1, 1)
    write(1, line % 2 === 0 ? 2 : 3)
    // The phase of a steady tone advances by a quarter turn a granule.
    write(note.age % 2, 1)
  }
  return out
}
