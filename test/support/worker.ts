/** The process in which test files run, one after the other, as the runner sends them. Each test has a time limit. */
import { join } from 'node:path'
import t from 'tap'

t.setTimeout(0)
t.on('subtestAdd', ({ options }) => { options.timeout ??= 1000 * Number(process.env['TEST_SECONDS']) })
if (process.env['TEST_SHARED'] === 'true') {
  t.teardown = () => { throw new Error('a file shares its process with others: register teardowns with the t of a test') }
}

// tap lets the process end although the channel is open.
const open = setInterval(() => {}, 1 << 30)

process.on('message', (file: string) => {
  if (file === 'end') {
    clearInterval(open)
    process.disconnect()
    // Something that a test left behind holds the process: that is a failure.
    setTimeout(() => {
      process.stderr.write(`after the last test, the process was held by ${process.getActiveResourcesInfo().join(', ')}\n`)
      process.exit(1)
    }, 20_000).unref()
    return
  }
  const before = process.cpuUsage()
  void import(join(String(process.env['TEST_BUNDLES']), file))
    // Runs when all tests of the file have ended.
    .then(async () => await t.test('end of the file', async () => {}))
    .then(() => {
      const { user, system } = process.cpuUsage(before)
      process.send?.({ cpuSeconds: (user + system) / 1e6 })
    })
})
