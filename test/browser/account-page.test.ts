/** The account of the front page: whose login its requests use, whether it is alive, and its subscription. In a real browser. */
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import type { Visit } from '../support/browser.ts'
import { cookieOf } from '../support/helper.ts'
import { household } from '../support/household.ts'

const open = browserFor(t)
const skip = withoutBrowser
const who = 'music.UserInfo.userInfoServer/GetLoginUserInfo'

/** `shows` resolves once the panel has this text and this mood. */
async function visit (t: Test, options: AppOptions | Parameters<typeof open>[2] & object = {}): Promise<Visit & { paste (text: string): Promise<void>, shows (text: string, mood: 'good' | 'bad' | 'none'): Promise<void> }> {
  const seen = await open(t, '/', { media: true, ...options })
  const { page } = seen
  return {
    ...seen,
    async paste (text) {
      await page.locator('.own summary').click()
      await page.locator('#key').fill(text)
      await page.locator('#key').press('Enter')
      await page.locator('.own summary').click()
    },
    async shows (text, mood) { await page.locator(`#account[data-mood=${mood}]`, { hasText: text }).waitFor() }
  }
}

t.test('a pasted cookie: whose it is, its subscription, and that it is not accepted any more', { skip }, async (t) => {
  const { demo, page, paste, shows, complaints } = await visit(t)
  await shows('not logged in', 'none')
  t.equal(demo.calls(who).length, 0, 'without a login nobody is asked')
  await paste(cookieOf(demo, 'member'))
  await shows('演示会员 · the login of this page · subscription until Mar 1, 2027', 'good')
  await paste(cookieOf(demo, 'ordinary'))
  await shows('Demo ordinary 🎧 · the login of this page · no subscription', 'good')
  await paste(cookieOf(demo, 'expired'))
  await shows('the login of this page · log in again', 'bad')
  await page.locator('#language').click()
  await shows('请重新登录', 'bad')
  t.same(complaints, [])
})

t.test('a provider that does not answer takes nothing away', { skip }, async (t) => {
  const { demo, page, paste, shows } = await visit(t)
  demo.next(who, { code: 500003 }, 9)
  const answered = page.waitForResponse((response) => response.url().endsWith('/account') && !response.url().endsWith('/login/account'))
  await paste(cookieOf(demo, 'member'))
  t.equal((await answered).status(), 502)
  await shows('the login of this page', 'good')
  t.notMatch(await page.locator('#account').innerText(), /subscription|log in/)
})

t.test('a stored account by its secret; one of its keys shows nothing of the person', { skip }, async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const limited = await accounts.addKey('member', 'lamp', { noLoginEndpoints: true })
  const { paste, shows, page } = await visit(t, { options: { accounts, upstreamOrigin: demo.origin } as AppOptions })
  await paste(secrets.member)
  await shows('subscription until Mar 1, 2027', 'good')
  t.match(await page.locator('#account strong').innerText(), 'member')
  await paste(limited)
  await page.locator('#account', { hasText: 'Mar 1, 2027' }).waitFor({ state: 'detached' })
  t.notMatch(await page.locator('#account').innerText(), /演示会员|subscription/)
})

t.test('the global login says whether it is alive, and not whose it is', { skip }, async (t) => {
  const options = (name: 'member' | 'expired') => ({ options: (demo: Visit['demo']): AppOptions => ({ useGlobalCookie: true, globalCookie: () => cookieOf(demo, name) }) })
  const { shows, page } = await visit(t, options('member'))
  await shows('used for requests without a cookie · subscription until Mar 1, 2027', 'good')
  t.notMatch(await page.locator('#account').innerText(), '演示会员')
  await (await visit(t, options('expired'))).shows('used for requests without a cookie · log in again', 'bad')
})
