/** Comes before the test files of a process: each test has a time limit, and the process has none of its own. */
import t from 'tap'

t.setTimeout(0)
t.on('subtestAdd', ({ options }) => { options.timeout ??= 1000 * Number(process.env['TEST_SECONDS']) })
// It would end the process as soon as no test runs, and the files that are still loading would be lost without a word.
if (process.env['TEST_FILES'] !== '1') t.teardown = () => { throw new Error('a file shares its process with others: register teardowns with the t of a test') }
