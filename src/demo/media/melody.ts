import { randomFrom, seedOf } from '../catalogue/random.ts'
import { byteLength, secondsOf, wavHeaderBytes, type FileKind } from './files.ts'
import { flacBytesBefore, flacFrame, flacHeader, flacRate, framesPerSecond } from './flac.ts'
import { frameMs, frameOf } from './mp3.ts'

function wavHeader (kind: FileKind, dataBytes: number): Buffer {
  const header = Buffer.alloc(wavHeaderBytes)
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

/** Seconds of a note of this song. */
const noteSecondsOf = (name: string): number => 0.25 + (seedOf(name) % 5) * 0.05

/** One turn of the tune in frames of MP3. */
function mp3TuneOf (name: string, kbit: number): Buffer {
  const framesOfNote = Math.round(noteSecondsOf(name) * 1000 / frameMs)
  return Buffer.concat(notesOf(name, notesOfTune).flatMap((pitch) =>
    Array.from({ length: framesOfNote }, (_, age) => frameOf(kbit, pitch === null ? undefined : { pitch, age }))))
}

/** PCM of one turn of the tune. */
function tuneOf (name: string, { rate, bits }: FileKind): Buffer {
  const noteSeconds = noteSecondsOf(name)
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

/** Bytes `from` to `to` of a tune that repeats without end, in pieces. */
function * repeated (tune: Buffer, from: number, to: number): Iterable<Buffer> {
  for (let at = from; at < to;) {
    const start = at % tune.length
    const piece = tune.subarray(start, Math.min(tune.length, start + to - at, start + pieceBytes))
    yield piece
    at += piece.length
  }
}

/** Bytes `from` to `to` of the frames of a FLAC file. */
function * flacFrames (tune: Buffer, bits: number, from: number, to: number): Iterable<Buffer> {
  const pcmBytes = flacRate / framesPerSecond * bits / 8
  let frame = Math.floor(from / flacBytesBefore(1, bits))
  while (flacBytesBefore(frame, bits) > from) frame--
  for (; flacBytesBefore(frame, bits) < to; frame++) {
    const before = flacBytesBefore(frame, bits)
    const pcm = Buffer.concat([...repeated(tune, frame * pcmBytes, (frame + 1) * pcmBytes)])
    yield flacFrame(frame, bits, pcm).subarray(Math.max(0, from - before), to - before)
  }
}

/**
 * Returns the sound of a song, the same in every quality: some seconds of a tune, repeated. Its length is known in
 * advance, and a player can seek to any second. Only one repetition of the tune is in memory.
 */
export function melodyOf (name: string, kind: FileKind, songSeconds: number): Sound {
  const length = byteLength(kind, songSeconds)
  const { extension, bits, kbit } = kind
  if (kbit !== undefined) {
    return {
      length,
      read: (from, to) => repeated(mp3TuneOf(name, kbit), from, Math.min(to, length))
    }
  }
  const isFlac = extension === 'flac'
  const header = isFlac ? flacHeader(secondsOf(kind, songSeconds) * framesPerSecond, bits)
    : wavHeader(kind, length - wavHeaderBytes)
  return {
    length,
    * read (from, to) {
      if (from < header.length) yield header.subarray(from, to)
      const [start, end] = [Math.max(0, from - header.length), Math.min(to, length) - header.length]
      const tune = tuneOf(name, kind)
      yield * isFlac ? flacFrames(tune, bits, start, end) : repeated(tune, start, end)
    }
  }
}

/** Content type of a file as the demo's host sends it. */
export const typeOf = ({ extension, kbit }: FileKind): string =>
  kbit !== undefined ? 'audio/mpeg' : extension === 'flac' ? 'audio/flac' : 'audio/wav'

/** Size of a piece in bytes. A paused reader holds one piece. */
const pieceBytes = 32 * 1024
