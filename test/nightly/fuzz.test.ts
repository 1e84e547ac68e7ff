/** A short run of the fuzzer with a fixed seed. `npm run fuzz` is the long run. */
import t from 'tap'
import { fuzz } from '../fuzz/drive.ts'

t.test('two thousand fuzzed requests: no crash, no 500, every refusal in its shape', async (t) => {
  // The long run measures the speed, on a machine without other work.
  const { table, failures } = await fuzz({ requests: 2000, seed: 1, slowMs: 20_000 })
  t.same(failures, [])
  t.same(Object.keys(table).sort(), ['almost', 'hostile', 'odd', 'page', 'player', 'raw', 'valid'])
  t.ok((table['valid']?.['200'] ?? 0) > 200, 'valid ones reach the endpoints')
  t.ok((table['almost']?.['400'] ?? 0) > 300, 'almost valid ones are refused')
})
