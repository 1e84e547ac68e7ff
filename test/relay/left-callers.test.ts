/** Callers who leave: nothing more is done for them. */
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { withCookie } from '../../src/core/identity.ts'
import { execute } from '../../src/core/execute.ts'
import type { AccountBook } from '../../src/core/accountBook.ts'
import type { UpstreamReport } from '../../src/upstream/caller.ts'
import { cookieOf, endpoints, until } from '../support/helper.ts'
import { household } from '../support/household.ts'
import { unhurried } from '../support/unhurried.ts'

const liked = 'music.srfDissInfo.DissInfo/CgiGetDiss'

t.test('a caller who left while its login is renewed gets the refusal, and no call with the new key', async (t) => {
  const { demo, accounts } = await household(t)
  /** The end of each renewal under way. */
  const renewals: ((cookie: string) => void)[] = []
  const book: AccountBook = { ...accounts, replaced: async () => await new Promise((resolve) => { renewals.push(resolve) }) }
  const app = await buildApp({ docs: false, pages: false, cache: false, logLevel: 'silent', ...unhurried, upstreamOrigin: demo.origin, accounts: book })
  t.teardown(async () => { await app.close() })
  const cookie = cookieOf(demo, 'member')
  const identity = { ...withCookie({ source: 'account', credential: undefined, cookies: [] }, cookie), account: 'member' }
  for (const leaves of [true, false]) {
    demo.reset()
    demo.next(liked, { code: 1000 })
    const caller = new AbortController()
    const reports: UpstreamReport[] = []
    const asked = execute(endpoints['getUserLikedSongs'] as never, { limit: 5, offset: 0 }, {
      identity,
      signal: caller.signal,
      onUpstreamRequest (report) { reports.push(report) }
    }, app.runtime).then(() => 'answered', ({ code }: { code: string }) => code)
    await until(() => renewals.length > 0)
    const before = reports.length
    if (leaves) caller.abort()
    renewals.pop()?.(cookie)
    t.equal(await asked, leaves ? 'COOKIE_REJECTED' : 'answered')
    t.equal(reports.length - before > 0, !leaves, leaves ? 'nothing more is asked' : 'who stays is answered with the new key')
  }
})
