/** The page /login in a real browser: both channels to the end, all failures, and storing the login as an account; by keyboard only, at any width. */
import { readdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { onDisk } from '../support/accountsHelper.ts'
import { browserFor, looksOf, pageTest, type Visit, type VisitOptions } from '../support/browser.ts'
import { cookieOf, memberUin, until } from '../support/helper.ts'
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
  named (name: string): Promise<string>
  /** From the front page: chooses a song that needs a login, and goes there. */
  toLogin (): Promise<void>
}

/** `stores`: the relay stores logins as accounts. */
const onPage = pageTest(async (t: Test, { path = '/login', stores = false, options = {}, ...rest }: VisitOptions & { readonly path?: string, readonly stores?: boolean } = {}): Promise<LoginVisit> => {
  let household = {} as Household
  const heard: string[] = []
  // The link of the start makes this browser the operator's.
  const isLogin = path.startsWith('/login')
  const visit = await open(t, stores && isLogin ? `${path}#operator=${operatorCode}` : path, { ...rest, options: async (demo) => {
    if (stores) household = await householdOf(t, demo)
    return { ...household.options, ...options }
  } })
  const { page, demo, says, search, choose, heading } = visit
  if (stores && !isLogin) {
    const [cookie = ''] = await operatorOf(household)
    await page.context().addCookies([{ name: 'music_relay_session', value: cookie.split('=')[1] ?? '', url: new URL(page.url()).origin }])
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
    async named (name) {
      await polled()
      await page.getByLabel('Store on this relay as').fill(name)
      await until(() => household.arrived() > 0)
      return await polled()
    },
    async toLogin () {
      await page.getByText('not logged in').waitFor()
      await search('Velvet Toll')
      await choose('Velvet Toll')
      await says('cannot be played')
      await page.locator('#refusal').getByRole('link', { name: 'Log in' }).click()
      await heading('Log in with your phone')
    }
  }
})

const shownCookie = async (page: Page): Promise<string> => await page.getByLabel('Cookie').inputValue()
const secretOn = async (page: Page): Promise<string> => await page.getByLabel('Secret of this account').inputValue()

onPage('a person logs in on the alternative channel, on a plain http name, and copies the cookie', [{ host: 'relay.test' }], async ({ t, demo, server, page, complaints, polled, says, press, heading }) => {
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
  t.equal(await page.evaluate('document.activeElement.id'), 'welcome', 'a screen reader is taken along')
  await page.getByText(`o${memberUin}`, { exact: true }).waitFor()
  const cookie = await shownCookie(page)
  t.equal((await server.get('/user/getUserLikedSongs', { headers: { 'x-custom-cookie': cookie } })).body.body.response.total, 140)

  await press('Copy cookie')
  await says('Copied.')
  t.equal(await page.evaluate('document.activeElement.id'), 'copy', 'the keyboard stays where it was')
  await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
  await page.locator('#paste').focus()
  await page.keyboard.press('Control+V')
  t.equal(await page.locator('#paste').inputValue(), cookie)

  t.notMatch(page.url(), 'provider_key')
  t.same(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie, history.length]'), [0, 0, '', 2])
  await press('Forget it')
  t.not(await polled(), uuid)
  t.equal(await page.locator('#cookie').inputValue(), '')
  t.same(complaints, [])
  t.notMatch(server.log.join(''), 'demoMember0')
})

onPage('the main channel, by keyboard alone', [{ host: 'localhost', look: { permissions: ['clipboard-read', 'clipboard-write'] } }], async ({ t, demo, page, polled, code, says, heading }) => {
  const left = await polled()
  const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.value || document.activeElement.textContent")
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'alt')
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
  await page.keyboard.press('Tab')
  t.match(await focused(), /^uin=o1000000101; /)
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'Copy cookie')
  await page.keyboard.press('Space')
  await says('Copied.')
  t.equal(await page.evaluate('navigator.clipboard.readText()'), await shownCookie(page))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await says('Open QQ on your phone')
  t.equal(await focused(), 'main')
})

onPage('an expired code is replaced three times by itself, then by the button', [], async ({ t, demo, page, polled, says, code, press, heading }) => {
  const codes = new Set<string>()
  for (let count = 1; count <= 4; count++) {
    const uuid = await polled()
    codes.add(uuid)
    if (count > 1) await says('The code expired; this is a new one.')
    demo.login.expire(uuid)
    if (count < 4) await page.waitForResponse(/getAltLoginQr/)
  }
  await says('The code was not scanned in time')
  t.equal(codes.size, 4)
  t.equal(demo.login.ids('alt').length, 4)
  const picture = await page.locator('#picture').getAttribute('src')
  await press('New code')
  demo.login.confirm(await polled(), 'member')
  await heading('Logged in')
  t.equal(codes.has(code('alt')), false)
  t.not(await page.locator('#picture').getAttribute('src'), picture)
})

onPage('a failure is shown in the relay\'s own words; a passing one is asked again', [{ before: (demo) => { demo.next('/connect/qrconnect', { status: 500 }) } }], async ({ t, demo, page, polled, says, press }) => {
  await says('The upstream sent no QR code; try again.')
  demo.next(poll, { status: 500 })
  await press('New code')
  await says('Problem, trying again: The upstream failed (HTTP 500)')
  demo.next('music.login.LoginServer/Login', { code: 20279 })
  demo.login.confirm(await polled())
  await says('the account is used on too many devices')
  t.equal(await page.locator('#cookie').inputValue(), '')
  t.equal(await page.getByRole('heading', { name: 'Logged in' }).isVisible(), false)
}, /Failed to load resource/)

onPage('who leaves the page leaves no poll behind, and who comes back finds no cookie', [], async ({ t, demo, page, polled, heading, comeBack }) => {
  const uuid = await polled()
  await page.goto('about:blank')
  await demo.login.held(uuid, 0)
  await page.goBack()
  demo.login.confirm(await polled(), 'member')
  await heading('Logged in')
  await comeBack()
  await polled()
  t.equal(await page.locator('#cookie').inputValue(), '')
})

for (const { name, width, visit, readable } of looksOf([320, 'dark'], [1200, 'light'])) {
  onPage(`it fits at ${name}, has text that can be read, and works behind Basic`, [visit], async ({ t, demo, page, polled, heading }) => {
    const uuid = await polled()
    await readable(t, page, [])
    const { width: side = 0, height = 0 } = await page.locator('.code').boundingBox() ?? {}
    t.ok(side >= 240 && Math.abs(side - height) < 1, `the code is a square of ${side}`)
    t.equal(await page.evaluate("getComputedStyle(document.querySelector('.code')).backgroundColor"), 'rgb(255, 255, 255)', 'scanners want it on white')
    for (const box of await page.getByRole('button').all()) t.ok(((await box.boundingBox())?.height ?? 0) >= 44)
    demo.login.confirm(uuid, 'member')
    await heading('Logged in')
    await readable(t, page, ['h1:not([id=title])', '.warning', '.note', 'textarea'])
    for (const part of ['.primary', '#again']) {
      await page.locator(part).hover()
      await readable(t, page, [part])
    }
  }, /401/)

  onPage(`what is stored fits at ${name}`, [{ ...visit, options: {}, path: '/login?return=/', stores: true }], async ({ t, demo, page, named, heading }) => {
    demo.login.confirm(await named('a-name-that-has-32-characters-xx'), 'member')
    await heading('Logged in and stored')
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  })
}

onPage('a person keeps a login as "kitchen": the secret is shown once and is that account, and the browser gets nothing else', [{ stores: true, options: { metrics: true } }], async ({ t, demo, server, page, heard, says, named, folder, press, heading, comeBack, stored }) => {
  demo.login.confirm(await named('kitchen'), 'member')
  await heading('Logged in and stored')
  t.equal(await page.evaluate('document.activeElement.id'), 'stored-title', 'a screen reader is taken along')
  t.match(await page.locator('#stored').innerText(), /Account kitchen · 演示会员 · lasts until .*\d/)
  const secret = await secretOn(page)
  t.match(secret, /^mr_[\w-]{43}$/)
  t.equal(await page.locator('#cookie').inputValue(), '', 'the cookie is not here')

  const own = await server.get(liked, { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } })
  const asAccount = await server.get(liked, bearer(secret))
  t.same([asAccount.status, asAccount.text], [200, own.text])

  const { renewal, cookie, loginUin, secret: onFile } = onDisk(folder, 'kitchen')
  t.same([loginUin, onFile], [`o${memberUin}`, secret])
  const record = Object.values(renewal as Record<string, unknown>).filter((value): value is string => typeof value === 'string' && value.length > 8)
  t.ok(renewal.refreshToken.length > 0 && record.length > 2, 'what a renewal needs is stored')
  for (const part of [...record.filter((value) => !value.includes(memberUin)), cookie]) t.notOk(heard.join('\n').includes(part), 'and in no answer')
  t.equal(heard.join('\n').split(secret).length, 2, 'the secret is in one answer')

  await press('Copy secret')
  await says('Copied.')
  t.same(await stored(), [0, 0, ''])
  t.notMatch(page.url(), 'mr_')
  await comeBack()
  t.equal(await page.locator('#secret').inputValue(), '', 'who comes back finds no secret')
  t.equal((await server.get('/login/account')).body.account, null)
  for (const text of [...server.log, (await server.get('/metrics')).text]) for (const part of [secret, ...record, cookie]) t.notOk(text.includes(part))
  t.match(server.log.join(''), 'account kitchen is stored')
})

onPage('the main channel too, by keyboard alone; a name is written small, and a wrong one is said before the scan', [{ stores: true }], async ({ t, demo, page, says, polled, folder, heading }) => {
  await polled()
  const focused = async (): Promise<unknown> => await page.evaluate('document.activeElement.id')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await says('Open QQ on your phone')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'name')
  t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
  await page.keyboard.type('-x')
  await says('must have 1 to 32 lower-case letters')
  await page.keyboard.press('Control+A')
  const asked = page.waitForRequest((request) => request.url().endsWith('/login/account') && request.postDataJSON().name === 'living-room')
  await page.keyboard.type('Living Room')
  await asked
  demo.login.confirm(demo.login.ids('main').at(-1) ?? '', 'ordinary')
  await heading('Logged in and stored')
  for (const id of ['secret', 'copy-secret', 'another']) {
    await page.keyboard.press('Tab')
    t.equal(await focused(), id)
  }
  t.equal(onDisk(folder, 'living-room').loginUin, 'o1000000101')
  await page.keyboard.press('Enter')
  await says('Open QQ on your phone')
  t.equal(await page.locator('#secret').inputValue(), '')
})

onPage('an account that exists keeps its secret, which is not shown; its name is not given to somebody else', [{ stores: true }], async ({ t, demo, page, accounts, heard, says, named, press, heading, polled }) => {
  const secret = await accounts.save('kitchen', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') }) ?? ''
  await accounts.save('hall', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') })
  demo.login.confirm(await named('kitchen'), 'child')
  await says('another account of the provider is stored under this name')
  t.equal(accounts.get('kitchen')?.uin, memberUin)

  await press('New code')
  demo.login.confirm(await polled(), 'member')
  await heading('Logged in and stored')
  t.equal(await page.getByLabel('Secret of this account').isVisible(), false)
  await page.getByText('Its secret and its keys stay the same').waitFor()
  await page.getByText('also stored as hall').waitFor()
  t.equal(accounts.secretOf('kitchen'), secret)
  t.notOk(heard.join('\n').includes(secret))
}, /Failed to load resource/)

onPage('a link with a hostile way back shows none', [{ stores: true }], async ({ t, demo, page, says, polled, press, heading, folder }) => {
  const { origin } = new URL(page.url())
  for (const text of ['//evil.example/', '/\\evil.example', '/\t/evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    await page.goto(`${origin}/login?${new URLSearchParams({ return: text })}`)
    demo.login.confirm(await polled(), 'member')
    await heading('Logged in')
    t.equal(await page.getByRole('link', { name: 'Go back' }).count(), 0, text)
    t.match(await shownCookie(page), memberUin, 'without a name the page shows the cookie')
    t.same(readdirSync(folder), [], 'and nothing is stored')
    await press('Forget it')
    await says('scan the code')
  }
})

onPage('the login leads back to the view from which it was opened', [{ path: '/', media: true, stores: true }], async ({ t, demo, page, polled, press, heading }) => {
  await press(/Soaring/)
  await heading(/Soaring/)
  await page.getByRole('navigation').getByRole('link', { name: 'Log in' }).click()
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('link', { name: 'Go back, logged in' }).click()
  await heading(/Soaring/)
  await page.getByText('the login of this page').waitFor()
  t.equal(new URL(page.url()).hash, '#chart=62')
})

onPage('a listener logs in from the player, keeps the login, and is back at the song, which plays', [{ path: '/', media: true, stores: true }], async ({ t, demo, page, says, named, folder, server, toLogin, heading }) => {
  await toLogin()
  demo.login.confirm(await named('kitchen'), 'member')
  await heading('Logged in and stored')
  const secret = await secretOn(page)
  await page.getByRole('link', { name: 'Go back' }).click()
  await says('Playing Velvet Toll')
  await page.locator('#account').filter({ hasText: /kitchen\s*演示会员 · subscription until .* · lasts until/ }).waitFor()
  t.match(new URL(page.url()).hash, /^#search=Velvet\+Toll&song=\w+$/)
  await heading('Results for “Velvet Toll”')
  t.notMatch(page.url(), 'mr_')
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /mr_|vkey|http/)
  t.equal(onDisk(folder, 'kitchen').secret, secret)
  await page.reload()
  await says('cannot be played')
  // The login was for this visit.
  await page.locator('#account').filter({ hasText: 'not logged in' }).waitFor()
  await page.getByText('Play with an account').click()
  await page.getByLabel('Cookie, or secret').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByText(/lasts until/).waitFor()
  for (const line of server.log) t.notOk(line.includes(secret))
})

onPage('a listener who stores nothing is back at the song with the cookie', [{ path: '/', media: true, stores: true }], async ({ t, demo, page, says, polled, folder, toLogin }) => {
  await toLogin()
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('link', { name: 'Go back, logged in' }).click()
  await says('Playing Velvet Toll')
  await page.getByText('the login of this page').waitFor()
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http/)
  t.same(readdirSync(folder), [])
})
