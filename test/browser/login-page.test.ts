/** The login in a real browser: both channels to the end, all failures, staying logged in, several accounts; by keyboard only, at any width. */
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { onDisk } from '../support/accountsHelper.ts'
import { browserFor, looksOf, overloadFor, pageTest, type Visit, type VisitOptions } from '../support/browser.ts'
import { cookieOf, memberUin, serverOnWire, until } from '../support/helper.ts'
import { bearer, householdOf, operatorCode, operatorOf, type Household } from '../support/loginPages.ts'

const poll = '/connect/l/qrconnect'
const liked = '/user/getUserLikedSongs?limit=5'
const open = browserFor(t)

interface LoginVisit extends Visit, Household {
  /** Everything that the relay sent to the page. */
  readonly heard: string[]
  /** The code on the page. `polled` resolves once a check of it waits, `named` once that check has the name. */
  code (channel: 'main' | 'alt'): string
  polled (): Promise<string>
  named (name: string, use?: string): Promise<string>
  /** Chooses a song that needs a login, and goes there. */
  toLogin (): Promise<void>
}

/** `stores`: the relay stores logins as accounts. */
const onPage = pageTest(async (t: Test, { path = '/login', stores = false, options = {}, ...rest }: VisitOptions & {
  readonly path?: string, readonly stores?: boolean
} = {}): Promise<LoginVisit> => {
  let household = {} as Household
  const heard: string[] = []
  // The link of the start makes this browser the operator's.
  const isLogin = path.startsWith('/login')
  const visit = await open(
    t, stores && isLogin ? `${path}#operator=${operatorCode}` : path,
    { media: true, ...rest, options: async (demo) => {
      if (stores) household = await householdOf(t, demo)
      return { ...household.options, ...options }
    } }
  )
  const { page, demo, says, search, choose, heading } = visit
  if (stores && !isLogin) {
    const [cookie = ''] = await operatorOf(household)
    await page.context().addCookies([{
      name: 'music_relay_session', value: cookie.split('=')[1] ?? '', url: new URL(page.url()).origin, httpOnly: true
    }])
    await page.reload()
  }
  page.on('response', (response) => { void response.text().then((text) => { heard.push(text) }, () => {}) })
  const code = (channel: 'main' | 'alt'): string => demo.login.ids(channel).at(-1) ?? ''
  const polled = async (): Promise<string> => {
    await says('scan the code')
    await demo.login.held(code('alt'), 1)
    return code('alt')
  }
  return {
    ...visit, ...household, heard, code, polled,
    async named (name, use = 'Stay logged in on this browser') {
      await polled()
      await page.getByLabel(use).check()
      const sent = page.waitForRequest((request) => request.url().endsWith('/login/account')
        && request.method() === 'POST' && request.postDataJSON().name === name
        && request.postDataJSON().stay === (use === 'Stay logged in on this browser'))
      await page.getByLabel('Name on this relay').fill(name)
      await sent
      return await polled()
    },
    async toLogin () {
      await page.locator('.person').getByRole('link', { name: 'Log in' }).waitFor()
      await search('Velvet Toll')
      await choose('Velvet Toll')
      await says('cannot be played')
      await page.locator('#refusal').getByRole('link', { name: 'Log in' }).click()
      await heading('Log in with your phone')
    }
  }
})

const shownCookie = async (page: Page): Promise<string> => {
  await page.getByText("Show the provider's cookie").click()
  return await page.getByLabel('Cookie', { exact: true }).inputValue()
}
const secretOn = async (page: Page): Promise<string> => {
  await page.getByText('Secret for your apps').click()
  return await page.locator('#secret').inputValue()
}
const cookieNames = async (page: Page): Promise<string[]> => (await page.context().cookies()).map(({ name }) => name)

onPage('a person logs in on the alternative channel, on a plain http name, and copies the cookie', [{
  host: 'relay.test'
}], async ({ t, demo, server, page, complaints, polled, says, press, heading }) => {
  t.ok(await page.evaluate('!isSecureContext'), 'there is no clipboard interface here')
  const uuid = await polled()
  const picture = page.getByRole('img', { name: 'QR code to scan with WeChat' })
  await picture.waitFor()
  t.match(await picture.getAttribute('src'), /^data:image\/png;base64,/)
  t.equal(await page.getByRole('link', { name: 'Simulate the scan' }).getAttribute('href'), demo.login.scanUrl(uuid))
  const height = await page.evaluate('document.body.scrollHeight')

  await fetch(demo.login.scanUrl(uuid))
  await says('Now confirm the login on the phone')
  await demo.login.held(uuid, 1)
  t.equal(await page.evaluate('document.body.scrollHeight'), height, 'nothing moved')
  await fetch(demo.login.scanUrl(uuid), { method: 'POST', body: new URLSearchParams({ account: 'member' }) })
  await heading('Logged in')
  t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'a screen reader is taken along')
  await page.locator('#account', { hasText: '演示会员' }).waitFor()
  t.equal(await page.locator('#cookie').isVisible(), false, 'the cookie is shown on demand only')
  const cookie = await shownCookie(page)
  t.equal(
    (await server.get('/user/getUserLikedSongs', { headers: { 'x-custom-cookie': cookie } })).body.body.response.total,
    140
  )

  await press('Copy cookie')
  await says('Copied.')
  t.match(await page.evaluate('document.activeElement.textContent'), 'Copy cookie', 'the keyboard stays where it was')
  await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
  await page.locator('#paste').focus()
  await page.keyboard.press('Control+V')
  t.equal(await page.locator('#paste').inputValue(), cookie)

  t.notMatch(page.url(), 'provider_key')
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|http/)
  await press('Log out')
  t.not(await polled(), uuid)
  t.equal(await page.locator('#cookie').count(), 0)
  t.same(complaints, [])
  t.notMatch(server.log.join(''), 'demoMember0')
})

onPage('the main channel, by keyboard alone', [{
  host: 'localhost', look: { permissions: ['clipboard-read', 'clipboard-write'] }
}], async ({ t, demo, page, polled, code, says, heading }) => {
  const left = await polled()
  const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.value || document.activeElement.textContent")
  await page.locator('input[value=alt]').focus()
  t.not(await page.evaluate("getComputedStyle(document.activeElement.nextElementSibling).outlineStyle"), 'none', 'the focus can be seen')
  await page.keyboard.press('ArrowRight')
  t.equal(await focused(), 'main')
  await says('Open QQ on your phone')
  await demo.login.held(left, 0)
  await page.getByRole('img', { name: 'QR code to scan with QQ' }).waitFor()
  demo.login.scan(code('main'))
  await says('Now confirm the login')
  demo.login.cancel(code('main'))
  await says('cancelled on the phone')

  const cancelled = code('main')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'New code')
  await page.keyboard.press('Enter')
  await says('Open QQ on your phone')
  t.not(code('main'), cancelled)
  demo.login.confirm(code('main'), 'ordinary')
  await heading('Logged in')
  const tabTo = async (wanted: RegExp): Promise<void> => {
    for (let steps = 0; steps < 12 && !wanted.test(String(await focused())); steps++) await page.keyboard.press('Tab')
    t.match(await focused(), wanted)
  }
  await tabTo(/^Show the provider's cookie/)
  await page.keyboard.press('Enter')
  await tabTo(/^uin=o1000000101; /)
  await tabTo(/^Copy cookie$/)
  await page.keyboard.press('Space')
  await says('Copied.')
  t.match(await page.evaluate('navigator.clipboard.readText()'), /^uin=o1000000101; /)
  await tabTo(/^Log in with another account$/)
  await page.keyboard.press('Enter')
  await polled()
})

onPage('an expired code is replaced three times by itself, then by the button', [], async ({ t, demo, page, polled, says, code, press, heading }) => {
  const codes = new Set<string>()
  for (let count = 1; count <= 4; count++) {
    const uuid = await polled()
    codes.add(uuid)
    if (count > 1) await says('The code expired; this is a new one.')
    const following = count < 4 ? page.waitForResponse(/getAltLoginQr/) : undefined
    demo.login.expire(uuid)
    await following
  }
  await says('The code was not scanned in time')
  t.equal(codes.size, 4)
  t.equal(demo.login.ids('alt').length, 4)
  const picture = await page.locator('#picture').getAttribute('src')
  await press('New code')
  const uuid = await polled()
  t.not(await page.locator('#picture').getAttribute('src'), picture)
  demo.login.confirm(uuid, 'member')
  await heading('Logged in')
  t.equal(codes.has(code('alt')), false)
})

onPage('a failure is shown in the relay\'s own words; a passing one is asked again', [{
  before: (demo) => { demo.next('/connect/qrconnect', { status: 500 }) }
}], async ({ t, demo, page, polled, says, press }) => {
  await says('The upstream sent no QR code; try again.')
  demo.next(poll, { status: 500 })
  await press('New code')
  await says('Problem, trying again: The upstream failed (HTTP 500)')
  demo.next('music.login.LoginServer/Login', { code: 20279 })
  demo.login.confirm(await polled())
  await says('the account is used on too many devices')
  t.equal(await page.locator('#cookie').count(), 0)
  t.equal(await page.getByRole('heading', { name: 'Logged in' }).count(), 0)
}, /Failed to load resource/)

onPage('who leaves the view or the page leaves no poll behind, and who comes back finds no cookie', [], async ({ t, demo, page, polled, heading, comeBack }) => {
  const first = await polled()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Charts' }).click()
  await demo.login.held(first, 0)
  await page.goBack()
  const uuid = await polled()
  await page.goto('about:blank')
  await demo.login.held(uuid, 0)
  await page.goBack()
  demo.login.confirm(await polled(), 'member')
  await heading('Logged in')
  await comeBack()
  await polled()
  t.equal(await page.locator('#cookie').count(), 0)
})

for (const { name, visit, readable } of looksOf([320, 'dark'], [1200, 'light'])) {
  onPage(`it fits at ${name}, has text that can be read, and works behind Basic`, [visit], async ({ t, demo, page, polled, heading }) => {
    const uuid = await polled()
    await readable(t, page, [])
    const { width: side = 0, height = 0 } = await page.locator('.code').boundingBox() ?? {}
    t.ok(side >= 240 && Math.abs(side - height) < 1, `the code is a square of ${side}`)
    t.equal(await page.evaluate("getComputedStyle(document.querySelector('.code')).backgroundColor"), 'rgb(255, 255, 255)', 'scanners want it on white')
    for (const box of await page.locator('#view').getByRole('button').all()) {
      t.ok(((await box.boundingBox())?.height ?? 44) >= 44)
    }
    demo.login.confirm(uuid, 'member')
    await heading('Logged in')
    await shownCookie(page)
    await readable(t, page, ['#done h1', '.warning', '.note', 'textarea'])
    for (const part of ['#own-cookie .primary', '#leave']) {
      await page.locator(part).hover()
      await readable(t, page, [part])
    }
  }, /401/)

  onPage(`what is stored fits at ${name}`, [{
    ...visit, options: {}, path: '/login?return=/', stores: true
  }], async ({ t, demo, page, named, heading }) => {
    demo.login.confirm(await named('a-name-that-has-32-characters-xx'), 'member')
    await heading('Logged in and stored')
    await secretOn(page)
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  })
}

onPage('a person stays logged in as "kitchen": after a reload, in another tab, after the relay has started again; the browser gets nothing of the provider', [
  { stores: true, options: { metrics: true } }
], async ({ t, demo, server, page, heard, says, named, folder, press, heading, options }) => {
  demo.login.confirm(await named('kitchen'), 'member')
  await heading('Logged in and stored')
  t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'a screen reader is taken along')
  await page.locator('#done', { hasText: /演示会员[^]*kitchen[^]*stays logged in until/ }).waitFor()
  t.equal(await page.locator('#secret').isVisible(), false, 'the secret is shown on demand only')
  const secret = await secretOn(page)
  t.match(secret, /^mr_[\w-]{43}$/)
  t.equal(await page.locator('#cookie').count(), 0, 'the cookie is not here')

  const own = await server.get(liked, { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } })
  const asAccount = await server.get(liked, bearer(secret))
  t.same([asAccount.status, asAccount.text], [200, own.text])

  const { renewal, cookie, loginUin, secret: onFile } = onDisk(folder, 'kitchen')
  t.same([loginUin, onFile], [`o${memberUin}`, secret])
  const record = Object.values(renewal as Record<string, unknown>)
    .filter((value): value is string => typeof value === 'string' && value.length > 8)
  t.ok(renewal.refreshToken.length > 0 && record.length > 2, 'what a renewal needs is stored')
  await press('Copy secret')
  await says('Copied.')
  t.notMatch(page.url(), 'mr_')

  const mine = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'My music' })
  await page.reload()
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
  t.equal(await page.locator('#secret').count(), 0, 'who comes back finds no secret')
  await mine.click()
  await page.locator('#view .song').nth(30).waitFor({ state: 'attached' })
  await page.getByText('140 songs').waitFor()
  const other = await page.context().newPage()
  await other.goto(new URL('/#/mine/playlists', page.url()).href)
  await other.locator('#view .card', { hasText: '我喜欢' }).waitFor()
  await other.close()
  // Another relay with the same folder is what a start makes. Cookies do not know ports.
  const { address } = await serverOnWire(t, demo, { ...options, pages: true })
  const again = await page.context().newPage()
  await again.goto(`${address}/`)
  await again.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })

  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''], 'no script sees a cookie')
  for (const part of [...record.filter((value) => !value.includes(memberUin)), cookie]) {
    t.notOk(heard.join('\n').includes(part), 'what is the provider\'s is in no answer')
  }
  t.equal(heard.join('\n').split(secret).length, 2, 'the secret is in one answer')
  for (const text of [...server.log, (await server.get('/metrics')).text]) {
    for (const part of [secret, ...record, cookie]) t.notOk(text.includes(part))
  }
  t.match(server.log.join(''), 'account kitchen is stored')

  await page.locator('.person a').click()
  await press('Log out')
  await page.locator('#scan').waitFor()
  t.same(await cookieNames(page), [], 'the session is gone')
  await again.reload()
  await again.locator('.person').getByRole('link', { name: 'Log in' }).waitFor()
})

onPage('my music: liked songs, playlists, collected albums and playlists, singers, daily songs, personal radio; a song from there plays', [{
  path: '/#/mine', media: true, stores: true, look: { viewport: { width: 1200, height: 900 } }
}], async ({ t, demo, page, named, heading, plays, press, says }) => {
  await page.getByText('Log in to see your liked songs').waitFor()
  await page.locator('#view').getByRole('link', { name: 'Log in' }).click()
  demo.login.confirm(await named('mine'), 'member')
  await heading('Logged in and stored')
  await page.getByRole('link', { name: 'Go back' }).click()
  await heading('My music')
  const tabs = page.getByRole('navigation', { name: 'Parts of this page' })
  for (const [tab, part] of [['My playlists', '.card'], ['Collected playlists', '.card'], ['Singers', '.cover.round'], ['Daily songs', '.song'], ['For you', '.song'], ['Albums', '.card']] as const) {
    await tabs.getByRole('link', { name: tab }).click()
    await page.locator(`#view ${part}`).first().waitFor()
  }
  await page.locator('#view .card').first().click()
  await page.locator('#view .song').first().getByRole('button', { name: /^Play/ }).click()
  await says('Playing')
  await plays()
  await press('Lyric')
  await page.locator('#lyric').waitFor()
  await page.goto(new URL('./#/radio/99', page.url()).href)
  await heading('Personal radio')
  await page.locator('#view .song').nth(5).waitFor()
  t.ok(true)
})

onPage('the main channel too, by keyboard alone; a name is written small, and a wrong one is said before the scan', [{
  stores: true
}], async ({ t, demo, page, says, polled, folder, heading }) => {
  await polled()
  const focused = async (): Promise<unknown> => await page.evaluate('document.activeElement.id || document.activeElement.value')
  await page.locator('input[value=alt]').focus()
  await page.keyboard.press('ArrowRight')
  await says('Open QQ on your phone')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'stay')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'name')
  t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
  await page.keyboard.type('-x')
  await says('must have 1 to 32 lower-case letters')
  await page.keyboard.press('Control+A')
  const asked = page.waitForRequest((request) => request.url()
    .endsWith('/login/account') && request.method() === 'POST' && request.postDataJSON().name === 'living-room')
  await page.keyboard.type('Living Room')
  await asked
  demo.login.confirm(demo.login.ids('main').at(-1) ?? '', 'ordinary')
  await heading('Logged in and stored')
  t.equal(onDisk(folder, 'living-room').loginUin, 'o1000000101')
})

onPage('an account for apps is stored, and the browser is not logged in to it', [{ stores: true }], async (
  { t, demo, page, named, folder, heading }
) => {
  demo.login.confirm(await named('apps', 'Keep as an account for apps'), 'member')
  await heading('Logged in and stored')
  t.equal(onDisk(folder, 'apps').secret, await secretOn(page))
  await page.reload()
  await page.locator('#scan').waitFor()
})

onPage('an account that exists keeps its secret, which is not shown; its name is not given to somebody else', [{ stores: true }], async (
  { t, demo, page, accounts, heard, says, named, press, heading, polled }
) => {
  const secret = await accounts.save('kitchen', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') }) ?? ''
  await accounts.save('hall', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') })
  demo.login.confirm(await named('kitchen'), 'child')
  await says('another account of the provider is stored under this name')
  t.equal(accounts.get('kitchen')?.uin, memberUin)

  await press('New code')
  demo.login.confirm(await polled(), 'member')
  await heading('Logged in and stored')
  t.equal(await page.locator('#secret').count(), 0)
  await page.getByText('Its secret and its keys stay the same').waitFor()
  await page.getByText('also stored as hall').waitFor()
  t.equal(accounts.secretOf('kitchen'), secret)
  t.notOk(heard.join('\n').includes(secret))
}, /Failed to load resource/)

/** Types a secret or cookie. */
const enterText = async (page: Page, text: string): Promise<void> => {
  await page.getByText('I have a secret or a cookie').click()
  await page.locator('#key').fill(text)
  await page.locator('#key').press('Enter')
}

const people = {
  kitchen: { loginUin: `o${memberUin}`, account: 'member', shown: '演示会员' },
  hall: { loginUin: 'o1000000101', account: 'ordinary', shown: 'Demo ordinary' }
} as const

/** Stores an account, and logs in with its secret. */
const enterStored = async (
  { demo, page, accounts }: Pick<LoginVisit, 'demo' | 'page' | 'accounts'>,
  name: keyof typeof people
): Promise<void> => {
  const { loginUin, account, shown } = people[name]
  await enterText(page, await accounts.save(name, { loginUin, cookie: cookieOf(demo, account) }) ?? '')
  await page.locator('#me', { hasText: shown }).waitFor({ state: 'attached' })
}

/** Logs in as kitchen, and asks for a login beside it. */
const besideKitchen = async (
  visit: Pick<LoginVisit, 'demo' | 'page' | 'accounts' | 'press' | 'polled'>
): Promise<void> => {
  await visit.polled()
  await enterStored(visit, 'kitchen')
  await visit.press('Log in with another account')
  await visit.polled()
}

onPage('with the secret of an account a browser stays logged in; it changes between several accounts, and leaves one of them', [{ stores: true }], async (
  { t, demo, page, accounts, heading, press, polled }
) => {
  await besideKitchen({ demo, page, accounts, press, polled })
  await enterStored({ demo, page, accounts }, 'hall')
  await heading('Other accounts of this browser')
  await press('Use kitchen')
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
  await page.reload()
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
  await press('Log out hall')
  await page.getByRole('heading', { name: 'Other accounts' }).waitFor({ state: 'detached' })
  t.equal(await page.locator('#stored-name').innerText(), 'kitchen')
})

onPage('a login that has ended is said at once, with the way to a new scan', [{ path: '/', stores: true }], async (
  { t, demo, page, accounts, sessions, heading }
) => {
  await accounts.save('old', { loginUin: 'o1000000303', cookie: cookieOf(demo, 'expired') })
  await page.context().clearCookies()
  await page.context().addCookies([{
    name: 'music_relay_session', value: await sessions.begin({ account: 'old', operator: false }),
    url: new URL(page.url()).origin, httpOnly: true
  }])
  await page.reload()
  await page.getByText('The login has ended.').waitFor()
  await page.locator('#view').getByRole('link', { name: 'Log in again' }).click()
  await heading('The login has ended')
  await page.getByRole('button', { name: 'Log in again' }).click()
  await page.locator('#scan').waitFor()
  t.match(page.url(), 'return=')
}, /Failed to load resource/)

/** Logs in for this visit only, with a new code: the check before that choice may not have ended, and would store the login. */
async function logInForThisVisit (page: Page, demo: DemoUpstream, code: string): Promise<void> {
  await page.getByLabel('Only for this visit').check()
  await page.getByRole('button', { name: 'New code' }).click()
  await until(() => demo.login.ids('alt').at(-1) !== code)
  const own = demo.login.ids('alt').at(-1) ?? ''
  await demo.login.held(own, 1)
  demo.login.confirm(own, 'member')
}

onPage('a link of the start that was used is said; a link with a hostile way back shows none', [{ stores: true }], async (
  { t, demo, page, polled, press, heading, folder, says }
) => {
  await polled()
  const { origin } = new URL(page.url())
  for (const text of ['//evil.example/', '/\\evil.example', '/\t/evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    await page.goto(`${origin}/login?${new URLSearchParams({ return: text })}`)
    await logInForThisVisit(page, demo, await polled())
    await heading('Logged in')
    t.equal(await page.getByRole('link', { name: 'Go back' }).count(), 0, text)
    t.match(await shownCookie(page), memberUin, 'without storing, the cookie is there on demand')
    t.same(readdirSync(folder).filter((name) => name !== 'sessions.json'), [], 'and nothing is stored')
    await press('Log out')
    await says('scan the code')
  }
  await page.goto('about:blank')
  await page.goto(`${origin}/login#operator=${operatorCode}`)
  await page.getByText('This link does not work any more').waitFor()
}, /Failed to load resource/)

onPage('a link of the start that could not be used for another reason says that, and works afterwards', [{
  path: '/', stores: true
}], async ({ page, folder, sessions }) => {
  const { origin } = new URL(page.url())
  await sessions.revoke()
  const file = join(folder, 'sessions.json')
  rmSync(file)
  mkdirSync(file)
  await page.goto(`${origin}/login#operator=${operatorCode}`)
  await page.locator('#operator-note', { hasText: 'cannot write its sessions' }).waitFor()
  rmdirSync(file)
  await page.goto('about:blank')
  await page.goto(`${origin}/login#operator=${operatorCode}`)
  await page.getByText('After the scan').waitFor()
}, /Failed to load resource/)

onPage('the login leads back to the view from which it was opened', [{
  path: '/#/charts', media: true, stores: true
}], async ({ t, demo, page, named, heading }) => {
  await page.getByRole('link', { name: /Soaring/ }).click()
  await heading(/Soaring/)
  await page.locator('.person').getByRole('link', { name: 'Log in' }).click()
  demo.login.confirm(await named('mine'), 'member')
  await heading('Logged in and stored')
  await page.getByRole('link', { name: 'Go back' }).click()
  await heading(/Soaring/)
  t.equal(new URL(page.url()).hash, '#/chart/62')
})

for (const [what, use] of [['stays logged in', 'Stay logged in on this browser'], ['stores nothing', 'Only for this visit']] as const) {
  onPage(`a listener who logs in from a song and ${what} is back at the song, which plays`, [{
    path: '/', media: true, stores: true
  }], async ({ t, demo, page, says, polled, named, folder, server, toLogin, heading, heard }) => {
    await toLogin()
    if (use === 'Only for this visit') {
      await logInForThisVisit(page, demo, await polled())
    } else demo.login.confirm(await named('kitchen'), 'member')
    await heading(use === 'Only for this visit' ? 'Logged in' : 'Logged in and stored')
    await page.getByRole('link', { name: 'Go back' }).click()
    await says('Playing Velvet Toll')
    await page.locator('.me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
    t.match(new URL(page.url()).hash, /^#\/search\?key=Velvet\+Toll$/)
    await heading('Results for “Velvet Toll”')
    t.notMatch(page.url(), 'mr_')
    t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
    t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|mr_|vkey|http/)
    if (use === 'Only for this visit') {
      t.same(readdirSync(folder).filter((name) => name !== 'sessions.json'), [])
      await page.reload()
      await page.locator('.person').getByRole('link', { name: 'Log in' }).waitFor()
    } else {
      const { secret } = onDisk(folder, 'kitchen')
      for (const line of server.log) t.notOk(line.includes(secret))
      t.notMatch(heard.join('\n'), 'demoMember0')
      await page.reload()
      await page.locator('#bar').getByRole('button', { name: 'Play', exact: true }).click()
      await says('Playing Velvet Toll')
    }
  })
}

onPage('a text that is no login takes the login before not away', [{ stores: true }], async (
  { demo, page, accounts, press, polled }
) => {
  await besideKitchen({ demo, page, accounts, press, polled })
  // Without what the relay does to who guesses keys.
  await page.route('**/user/getCookie', async (route) => {
    if ((await route.request().allHeaders())['authorization'] === undefined) return await route.continue()
    await route.fulfill({ status: 401, json: { error: 'There is no such key.', code: 'LOGIN_REQUIRED' } })
  })
  await enterText(page, 'mk_nobodys-key-0000000000000000000000000000')
  await page.getByText('The text contains no usable cookie.').waitFor()
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
}, /Failed to load resource/)

onPage('beside a login of this visit, the accounts of the browser stand under their own names, and one leaves', [{ stores: true }], async (
  { t, demo, page, accounts, press, polled }
) => {
  await besideKitchen({ demo, page, accounts, press, polled })
  await enterStored({ demo, page, accounts }, 'hall')
  await press('Log in with another account')
  await polled()
  await enterText(page, cookieOf(demo, 'member'))
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
  t.equal(await page.locator('#stored-name').count(), 0, 'this login is not that of hall')
  await press('Log out kitchen')
  await page.getByRole('heading', { name: 'Other accounts' }).waitFor({ state: 'detached' })
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
  await page.reload()
  await page.locator('#me', { hasText: 'Demo ordinary' }).waitFor({ state: 'attached' })
  t.equal(await page.getByText('kitchen').count(), 0)
})

onPage('a cookie that has ended does not take the place of a login that works; "Log out" pressed twice leaves one login', [{ stores: true }], async (
  { demo, page, accounts, press, polled }
) => {
  await besideKitchen({ demo, page, accounts, press, polled })
  await enterText(page, cookieOf(demo, 'expired'))
  await page.locator('#scan .warning', { hasText: 'does not accept this login' }).waitFor()
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
  await page.locator('#key').fill(cookieOf(demo, 'ordinary'))
  await page.locator('#key').press('Enter')
  await page.locator('#me', { hasText: 'Demo ordinary' }).waitFor({ state: 'attached' })
  await page.route('**/login/session', async (route) => {
    await page.waitForTimeout(700)
    await route.continue()
  })
  await page.locator('#leave').dblclick()
  await page.locator('#stored-name', { hasText: 'kitchen' }).waitFor()
  await page.reload()
  await page.locator('#stored-name', { hasText: 'kitchen' }).waitFor()
}, /Failed to load resource/)

onPage('a relay that does not answer logs nobody out', [{ stores: true }], async (
  { demo, page, accounts, polled }
) => {
  await polled()
  await enterStored({ demo, page, accounts }, 'kitchen')
  await page.route('**/login/session', async (route) => { await route.abort() })
  await page.goto(new URL('/#/mine', page.url()).href)
  await page.locator('.trouble', { hasText: 'The relay cannot be reached.' }).waitFor()
  await page.unroute('**/login/session')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('#view .song').first().waitFor()
  await overloadFor(page, '**/login/session', 2)
  await page.reload()
  await page.locator('#me', { hasText: '演示会员' }).waitFor({ state: 'attached' })
}, /Failed to load resource|503/)
