import { crc32, deflateSync } from 'node:zlib'
import { randomFrom, seedOf } from '../catalogue/random.ts'

function chunk (type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), out.length - 4)
  return out
}

function header (side: number): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(side, 0)
  data.writeUInt32BE(side, 4)
  // 8 bits per pixel, indexed colour.
  data.set([8, 3, 0, 0, 0], 8)
  return data
}

/** Returns a square PNG of rings around an off-centre point. The same name always gives the same picture. */
export function pictureOf (name: string, side: number): Buffer {
  const random = randomFrom(seedOf(name))
  const palette = Buffer.from(Array.from({ length: 8 * 3 }, () => random.int(40, 240)))
  const [x0, y0, ring] = [random.int(0, side), random.int(0, side), side / random.int(5, 14)]
  const rows = Buffer.alloc(side * (side + 1))
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      rows[y * (side + 1) + 1 + x] = Math.floor(Math.hypot(x - x0, y - y0) / ring) & 7
    }
  }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header(side)),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0))
  ])
}
