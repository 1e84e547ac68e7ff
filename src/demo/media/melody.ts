import { randomFrom, seedOf } from '../catalogue/random.ts'
import { byteLength, type FileKind } from './files.ts'

function wavHeader (kind: FileKind, dataBytes: number): Buffer {
  const header = Buffer.alloc(44)
  const frame = kind.bits / 8
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(kind.rate, 24)
  header.writeUInt32LE(kind.rate * frame, 28)
  header.writeUInt16LE(frame, 32)
  header.writeUInt16LE(kind.bits, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/** Quarter notes of a pentatonic scale, derived from the name of the song. Null is a rest. */
function notesOf (name: string, count: number): Array<number | null> {
  const random = randomFrom(seedOf(name))
  const root = 196 * 2 ** (random.int(0, 11) / 12)
  const scale = [0, 2, 4, 7, 9, 12, 14]
  let degree = random.int(0, 6)
  return Array.from({ length: count }, () => {
    degree = Math.min(6, Math.max(0, degree + random.int(-2, 2)))
    return random.next() < 0.12 ? null : root * 2 ** ((scale[degree] ?? 0) / 12)
  })
}

function writeSample (out: Buffer, at: number, bits: FileKind['bits'], value: number): void {
  if (bits === 8) out[at] = 128 + Math.round(value * 127)
  else if (bits === 16) out.writeInt16LE(Math.round(value * 32767), at)
  else out.writeIntLE(Math.round(value * 8388607), at, 3)
}

/** Number of notes in a tune, which then repeats. */
const notesOfTune = 16

/** A sound of known length. Any part can be created without the rest. */
export interface Sound {
  /** Bytes of the whole file. */
  length: number
  /** Returns the bytes from `from` up to and without `to`, in pieces. */
  read: (from: number, to: number) => Iterable<Buffer>
}

/** PCM of one turn of the tune. */
function tuneOf (name: string, { rate, bits }: FileKind): Buffer {
  const noteSeconds = 0.25 + (seedOf(name) % 5) * 0.05
  const notes = notesOf(name, notesOfTune)
  const samples = Math.round(noteSeconds * notesOfTune * rate)
  const frame = bits / 8
  const out = Buffer.alloc(samples * frame)
  for (let sample = 0; sample < samples; sample++) {
    const time = sample / rate
    const pitch = notes[Math.min(notesOfTune - 1, Math.floor(time / noteSeconds))]
    const turn = 2 * Math.PI * (pitch ?? 0) * time
    const fade = Math.exp(-5 * (time % noteSeconds)) * Math.min(1, (time % noteSeconds) * 200)
    writeSample(out, sample * frame, bits, pitch ? fade * (0.5 * Math.sin(turn) + 0.2 * Math.sin(2 * turn)) : 0)
  }
  return out
}

/**
 * Returns the sound of a song, the same in every quality: some seconds of a tune, repeated. It is PCM in a WAV container, so
 * that its length is known in advance, and a player can seek to any second. Only one repetition of the tune is in memory.
 */
export function melodyOf (name: string, kind: FileKind, songSeconds: number): Sound {
  const length = byteLength(kind, songSeconds)
  return {
    length,
    * read (from, to) {
      const header = wavHeader(kind, length - 44)
      if (from < header.length) yield header.subarray(from, to)
      const tune = tuneOf(name, kind)
      const end = Math.min(to, length) - header.length
      for (let at = Math.max(0, from - header.length); at < end;) {
        const start = at % tune.length
        const piece = tune.subarray(start, Math.min(tune.length, start + end - at, start + pieceBytes))
        yield piece
        at += piece.length
      }
    }
  }
}

/** Size of a piece in bytes. A paused reader holds one piece. */
const pieceBytes = 32 * 1024
