/** The page /login in a browser stores a login as an account: what reaches the page, and the way back to the song. */
import { readdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { onDisk } from '../support/accountsHelper.ts'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import type { Visit, VisitOptions } from '../support/browser.ts'
import { cookieOf, memberUin, until } from '../support/helper.ts'
import { bearer, householdOf } from '../support/loginPages.ts'
import type { Household } from '../support/loginPages.ts'

const open = browserFor(t)

interface KeepVisit extends Visit, Household {
  /** Everything that the relay sent to the page. */
  readonly heard: string[]
  /** Resolves to the code on the page once a check of it waits. */
  polled (): Promise<string>
  /** The same, once that check has the name. */
  named (name: string): Promise<string>
}

async function visit (t: Test, path: string, { options = {}, ...rest }: Omit<VisitOptions, 'options'> & { readonly options?: AppOptions } = {}): Promise<KeepVisit> {
  let household: Household | undefined
  const heard: string[] = []
  const visit = await open(t, path, {
    ...rest,
    options: async (demo) => {
      household = await householdOf(t, demo)
      return { ...household.options, ...options }
    }
  })
  visit.page.on('response', (response) => { void response.text().then((text) => { heard.push(text) }, () => {}) })
  const waiting = async (): Promise<string> => {
    const uuid = visit.demo.login.ids('alt').at(-1) ?? ''
    await visit.demo.login.held(uuid, 1)
    return uuid
  }
  return {
    ...visit,
    ...household as Household,
    heard,
    async polled () {
      await visit.says('scan the code')
      return await waiting()
    },
    async named (name) {
      await visit.says('scan the code')
      await waiting()
      await visit.page.getByLabel('Store on this relay as').fill(name)
      await until(() => (household?.arrived() ?? 0) > 0)
      return await waiting()
    }
  }
}

const liked = '/user/getUserLikedSongs?limit=5'
const stored = async (page: Page): Promise<void> => { await page.getByRole('heading', { name: 'Logged in and stored' }).waitFor() }
const secretOn = async (page: Page): Promise<string> => await page.getByLabel('Secret of this account').inputValue()

t.test('a person keeps a login as "kitchen": the secret is shown once and is that account, and the browser gets nothing else', { skip: withoutBrowser }, async (t) => {
  const { demo, server, page, complaints, heard, says, named, folder } = await visit(t, '/login', { options: { metrics: true } })
  demo.login.confirm(await named('kitchen'), 'member')
  await stored(page)
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

  await page.getByRole('button', { name: 'Copy secret' }).click()
  await says('Copied.')
  t.same(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, ''])
  t.notMatch(page.url(), 'mr_')
  await page.goto('about:blank')
  await page.goBack()
  t.equal(await page.locator('#secret').inputValue(), '', 'who comes back finds no secret')
  t.equal((await server.get('/login/account')).body.account, null)
  for (const text of [...server.log, (await server.get('/metrics')).text]) for (const part of [secret, ...record, cookie]) t.notOk(text.includes(part))
  t.match(server.log.join(''), 'account kitchen is stored')
  t.same(complaints, [])
})

t.test('the main channel too, by keyboard alone; a name is written small, and a wrong one is said before the scan', { skip: withoutBrowser }, async (t) => {
  const { demo, page, complaints, says, polled, folder } = await visit(t, '/login')
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
  await stored(page)
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'secret')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'copy-secret')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'another')
  t.equal(onDisk(folder, 'living-room').loginUin, 'o1000000101')
  await page.keyboard.press('Enter')
  await says('Open QQ on your phone')
  t.equal(await page.locator('#secret').inputValue(), '')
  t.same(complaints, [])
})

t.test('an account that exists keeps its secret, which is not shown; its name is not given to somebody else', { skip: withoutBrowser }, async (t) => {
  const { demo, page, accounts, heard, says, named } = await visit(t, '/login')
  const secret = await accounts.save('kitchen', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') }) ?? ''
  await accounts.save('hall', { loginUin: `o${memberUin}`, cookie: cookieOf(demo, 'member') })
  demo.login.confirm(await named('kitchen'), 'child')
  await says('another account of the provider is stored under this name')
  t.equal(accounts.get('kitchen')?.uin, memberUin)

  await page.getByRole('button', { name: 'New code' }).click()
  await says('scan the code')
  const uuid = demo.login.ids('alt').at(-1) ?? ''
  await demo.login.held(uuid, 1)
  demo.login.confirm(uuid, 'member')
  await stored(page)
  t.equal(await page.getByLabel('Secret of this account').isVisible(), false)
  await page.getByText('Its secret and its keys stay the same').waitFor()
  await page.getByText('also stored as hall').waitFor()
  t.equal(accounts.secretOf('kitchen'), secret)
  t.notOk(heard.join('\n').includes(secret))
})

t.test('without a name the page shows the cookie, as before, and nothing is stored', { skip: withoutBrowser }, async (t) => {
  const { demo, page, folder, polled, complaints } = await visit(t, '/login')
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('heading', { name: 'Logged in', exact: true }).waitFor()
  t.match(await page.getByLabel('Cookie').inputValue(), memberUin)
  t.same(readdirSync(folder), [])
  t.same(complaints, [])
})

t.test('it fits from 320 px on', { skip: withoutBrowser }, async (t) => {
  const { demo, page, named } = await visit(t, '/login?return=/', { look: { viewport: { width: 320, height: 740 } } })
  const wide = async (): Promise<unknown> => await page.evaluate('document.documentElement.scrollWidth')
  demo.login.confirm(await named('a-name-that-has-32-characters-xx'), 'member')
  await stored(page)
  t.equal(await wide(), 320)
})

t.test('a link with a hostile way back shows none', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says, polled, complaints } = await visit(t, '/login')
  const { origin } = new URL(page.url())
  for (const text of ['//evil.example/', '/\\evil.example', '/\t/evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    await page.goto(`${origin}/login?${new URLSearchParams({ return: text })}`)
    demo.login.confirm(await polled(), 'member')
    await page.getByRole('heading', { name: 'Logged in', exact: true }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Go back' }).count(), 0, text)
    await page.getByRole('button', { name: 'Forget it' }).click()
    await says('scan the code')
  }
  t.same(complaints, [])
})

t.test('the login leads back to the view from which it was opened', { skip: withoutBrowser }, async (t) => {
  const { demo, page, polled, complaints } = await visit(t, '/', { media: true })
  await page.getByRole('button', { name: /Soaring/ }).click()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Log in' }).click()
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('link', { name: 'Go back, logged in' }).click()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  await page.getByText('the login of this page').waitFor()
  t.equal(new URL(page.url()).hash, '#chart=62')
  t.same(complaints, [])
})

/** Opens the front page and chooses a song that needs a login. Returns its visit, on the login page. */
async function fromTheSong (t: Test, options: AppOptions = {}): Promise<KeepVisit> {
  const visited = await visit(t, '/', { options, media: true })
  const { page, says } = visited
  await page.getByText('not logged in').waitFor()
  await page.getByRole('searchbox').fill('Velvet Toll')
  await page.keyboard.press('Enter')
  await says('for “Velvet Toll”')
  await page.locator('#list').getByRole('button', { name: 'Velvet Toll' }).first().click()
  await says('cannot be played')
  await page.locator('#refusal').getByRole('link', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Log in with your phone' }).waitFor()
  return visited
}

t.test('a listener logs in from the player, keeps the login, and is back at the song, which plays', { skip: withoutBrowser }, async (t) => {
  const { demo, page, complaints, says, named, folder, server } = await fromTheSong(t)
  demo.login.confirm(await named('kitchen'), 'member')
  await stored(page)
  const secret = await secretOn(page)
  await page.getByRole('link', { name: 'Go back' }).click()
  await says('Playing Velvet Toll')
  await page.locator('#account').filter({ hasText: /kitchen\s*演示会员 · subscription until .* · lasts until/ }).waitFor()
  t.match(new URL(page.url()).hash, /^#search=Velvet\+Toll&song=\w+$/)
  await page.getByRole('heading', { name: 'Results for “Velvet Toll”' }).waitFor()
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
  t.same(complaints, [])
})

t.test('a listener who stores nothing is back at the song with the cookie', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says, polled, folder } = await fromTheSong(t)
  demo.login.confirm(await polled(), 'member')
  await page.getByRole('link', { name: 'Go back, logged in' }).click()
  await says('Playing Velvet Toll')
  await page.getByText('the login of this page').waitFor()
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http/)
  t.same(readdirSync(folder), [])
})
