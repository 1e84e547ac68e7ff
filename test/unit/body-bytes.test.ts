/** The bytes of a body: whole, however they arrive, and given back at once when nobody reads them any more. */
import t from 'tap'
import { release } from '../../src/common/release.ts'
import { BodyBytes } from '../../src/upstream/http/collect.ts'

const kilobyte = 1024
const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at * 31 % 251))

function arrived (whole: Buffer, piece: number, most: number): BodyBytes {
  const body = new BodyBytes(most)
  for (let at = 0; at < whole.length; at += piece) body.add(whole.subarray(at, at + piece))
  return body
}

t.test('all bytes, in their order', async (t) => {
  for (const length of [0, 1, 256 * kilobyte - 1, 256 * kilobyte, 256 * kilobyte + 1, 1000 * kilobyte]) {
    for (const piece of [1000, 64 * kilobyte, 2000 * kilobyte]) {
      for (const most of [0, 1000 * kilobyte]) {
        const whole = bytesOf(length)
        const body = arrived(whole, piece, most)
        t.strictSame([
          body.size, Buffer.compare(body.take(), whole)
        ], [length, 0], `${length} bytes in pieces of ${piece}, at most ${most}`)
      }
    }
  }
})

t.test('those of a large body are given back at once', async (t) => {
  const read = arrived(bytesOf(300 * kilobyte), 64 * kilobyte, 1000 * kilobyte).take()
  release(read)
  t.strictSame([read.byteLength, read.buffer.byteLength], [0, 0])

  const unread = arrived(bytesOf(300 * kilobyte), 64 * kilobyte, 1000 * kilobyte)
  const { buffer } = unread.take()
  unread.drop()
  t.equal(buffer.byteLength, 0)
})

t.test('what has not grown cannot be given back on every Node, and stays', async (t) => {
  const small = arrived(bytesOf(100), 10, 1000 * kilobyte).take()
  release(small)
  t.equal(small.byteLength, 100)
})
