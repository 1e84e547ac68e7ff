/** The README's curl lines answer what the README shows. */
import t from 'tap'
import { demoFor, serverFor } from './helper.ts'
// @ts-expect-error plain script, used outside of the suite too
import { compare, curlBlocks } from './readme.js'

t.test('the curl lines of the README answer as shown', async (t) => {
  const { address } = await serverFor(t, await demoFor(t))
  const blocks = curlBlocks() as { line: string, output: string }[]
  t.ok(blocks.length >= 3)
  for (const block of blocks) t.equal(await compare(block, address), undefined, block.line)
})
