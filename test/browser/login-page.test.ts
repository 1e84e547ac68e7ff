/** The page /login in a real browser: both channels to the end, all failures, by keyboard only, at any width. */
import type { Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'
import { browserFor, contrast, withoutBrowser } from '../support/browser.ts'
import type { Visit, VisitOptions } from '../support/browser.ts'
import { memberUin } from '../support/helper.ts'

const poll = '/connect/l/qrconnect'

const open = browserFor(t)

interface LoginVisit extends Visit {
  /** The code on the page. `polled` resolves once a poll for it is waiting. */
  code (channel: 'main' | 'alt'): string
  polled (): Promise<string>
}

async function visit (t: Test, options?: VisitOptions): Promise<LoginVisit> {
  const visit = await open(t, '/login', options)
  const code = (channel: 'main' | 'alt'): string => visit.demo.login.ids(channel).at(-1) ?? ''
  return {
    ...visit,
    code,
    async polled () {
      await visit.says('scan the code')
      await visit.demo.login.held(code('alt'), 1)
      return code('alt')
    }
  }
}

const shownCookie = async (page: Page): Promise<string> => await page.getByLabel('Cookie').inputValue()


t.test('a person logs in on the alternative channel, on a plain http name, and copies the cookie', { skip: withoutBrowser }, async (t) => {
  const { demo, server, page, complaints, polled, says } = await visit(t, { host: 'relay.test' })
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
  await page.getByRole('heading', { name: 'Logged in' }).waitFor()
  t.equal(await page.evaluate('document.activeElement.id'), 'welcome', 'a screen reader is taken along')
  await page.getByText(`o${memberUin}`, { exact: true }).waitFor()
  const cookie = await shownCookie(page)
  t.equal((await server.get('/user/getUserLikedSongs', { headers: { 'x-custom-cookie': cookie } })).body.body.response.total, 140)

  await page.getByRole('button', { name: 'Copy cookie' }).click()
  await says('Copied.')
  t.equal(await page.evaluate('document.activeElement.id'), 'copy', 'the keyboard stays where it was')
  await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
  await page.locator('#paste').focus()
  await page.keyboard.press('Control+V')
  t.equal(await page.locator('#paste').inputValue(), cookie)

  t.notMatch(page.url(), 'provider_key')
  t.same(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie, history.length]'), [0, 0, '', 2])
  await page.getByRole('button', { name: 'Forget it' }).click()
  t.not(await polled(), uuid)
  t.equal(await page.locator('#cookie').inputValue(), '')
  t.same(complaints, [])
  t.notMatch(server.log.join(''), 'demoMember0')
})

t.test('the main channel, by keyboard alone', { skip: withoutBrowser }, async (t) => {
  const { demo, page, complaints, polled, code, says } = await visit(t, { host: 'localhost', look: { permissions: ['clipboard-read', 'clipboard-write'] } })
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
  await page.getByRole('heading', { name: 'Logged in' }).waitFor()
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
  t.same(complaints, [])
})

t.test('an expired code is replaced three times by itself, then by the button', { skip: withoutBrowser }, async (t) => {
  const { demo, page, complaints, polled, says, code } = await visit(t)
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
  await page.getByRole('button', { name: 'New code' }).click()
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('heading', { name: 'Logged in' }).waitFor()
  t.equal(codes.has(code('alt')), false)
  t.not(await page.locator('#picture').getAttribute('src'), picture)
  t.same(complaints, [])
})

t.test('a failure is shown in the relay\'s own words; a passing one is asked again', { skip: withoutBrowser }, async (t) => {
  const { demo, page, polled, says } = await visit(t, { before: (demo) => { demo.next('/connect/qrconnect', { status: 500 }) } })
  await says('The upstream sent no QR code; try again.')
  demo.next(poll, { status: 500 })
  await page.getByRole('button', { name: 'New code' }).click()
  await says('Problem, trying again: The upstream failed (HTTP 500)')
  demo.next('music.login.LoginServer/Login', { code: 20279 })
  demo.login.confirm(await polled())
  await says('the account is used on too many devices')
  t.equal(await page.locator('#cookie').inputValue(), '')
  t.equal(await page.getByRole('heading', { name: 'Logged in' }).isVisible(), false)
})

t.test('who leaves the page leaves no poll behind, and who comes back finds no cookie', { skip: withoutBrowser }, async (t) => {
  const { demo, page, polled } = await visit(t)
  const uuid = await polled()
  await page.goto('about:blank')
  await demo.login.held(uuid, 0)
  await page.goBack()
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('heading', { name: 'Logged in' }).waitFor()
  await page.goto('about:blank')
  await page.goBack()
  await polled()
  t.equal(await page.locator('#cookie').inputValue(), '')
})

t.test('it fits from 320 px on, light and dark, with text that can be read, and works behind Basic', { skip: withoutBrowser }, async (t) => {
  const colours = new Set<unknown>()
  for (const [width, colorScheme] of [[320, 'dark'], [1200, 'light']] as const) {
    const { demo, page, complaints, polled } = await visit(t, { options: { accessToken: 'open-sesame' }, look: { viewport: { width, height: 740 }, colorScheme, httpCredentials: { username: 'me', password: 'open-sesame' } } })
    const uuid = await polled()
    const wide = async (): Promise<unknown> => await page.evaluate('document.documentElement.scrollWidth')
    t.equal(await wide(), width)
    const { width: side = 0, height = 0 } = await page.locator('.code').boundingBox() ?? {}
    t.ok(side >= 240 && Math.abs(side - height) < 1, `the code is a square of ${side}`)
    t.equal(await page.evaluate("getComputedStyle(document.querySelector('.code')).backgroundColor"), 'rgb(255, 255, 255)', 'scanners want it on white')
    t.equal(await page.evaluate("document.getAnimations().length"), 0)
    for (const box of await page.getByRole('button').all()) t.ok(((await box.boundingBox())?.height ?? 0) >= 44)
    demo.login.confirm(uuid, 'member')
    await page.getByRole('heading', { name: 'Logged in' }).waitFor()
    t.equal(await wide(), width)
    colours.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
    for (const part of ['h1:not([id=title])', '.warning', '.note', 'textarea', '.primary', '#again']) {
      if (part.startsWith('.primary') || part === '#again') await page.locator(part).hover()
      const ratio = await page.evaluate(contrast, part)
      t.ok(ratio >= 4.5, `${colorScheme} ${part}: ${ratio.toFixed(1)}`)
    }
    t.same(complaints.filter((line) => !line.includes('401')), [])
  }
  t.equal(colours.size, 2)
})
