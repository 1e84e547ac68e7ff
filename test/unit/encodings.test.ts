/** Bodies with several content encodings: the last one named was applied last, and is undone first. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { decompress } from '../../src/upstream/http/transport.ts'

const pack = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const
type Name = keyof typeof pack

/** The text in these encodings, applied from the first to the last. */
const packed = (names: readonly Name[], text: string): Uint8Array =>
  names.reduce<Uint8Array>((bytes, name) => pack[name](bytes), Buffer.from(text))

t.test('different content encodings are undone from the last one to the first, for a small body and a large one', async (t) => {
  const chains: readonly (readonly Name[])[] = [['br', 'gzip'], ['gzip', 'br'], ['deflate', 'gzip'], ['gzip', 'deflate', 'br']]
  for (const text of ['{"code":0}', '0123456789'.repeat(60_000)]) {
    for (const names of chains) {
      const bytes = await decompress(packed(names, text), names.join(', '), 1_000_000, 'call')
      t.equal(Buffer.from(bytes).toString(), text, names.join(', '))
      const failure = { code: 'UPSTREAM_UNREADABLE', outcome: 'bad_encoding' }
      await t.rejects(
        decompress(packed(names, text), [...names].reverse().join(', '), 1_000_000, 'call'), failure,
        `${names.join(', ')}, named backwards`
      )
    }
  }
})
