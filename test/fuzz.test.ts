/** A small, always equal run of the fuzzer; `npm run fuzz` is the long one. */
import t from 'tap'
import { fuzz } from './fuzz/drive.ts'

t.test('two thousand fuzzed requests: no crash, no 500, every refusal in its shape', async (t) => {
  // How fast it is, the long run says, on a machine that does nothing else.
  const { table, failures } = await fuzz({ requests: 2000, seed: 1, slowMs: 20_000 })
  t.same(failures, [])
  t.same(Object.keys(table).sort(), ['almost', 'hostile', 'odd', 'raw', 'valid'])
  t.ok((table['valid']?.['200'] ?? 0) > 200, 'valid ones reach the endpoints')
  t.ok((table['almost']?.['400'] ?? 0) > 300, 'almost valid ones are refused')
})
