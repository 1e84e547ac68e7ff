/**
 * A real browser for the tests of pages: one per test file, with a fresh profile per visit. Its complaints are
 * recorded.
 */
import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page } from 'playwright-core'
import root, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { demoFor, serverFor, until, type Server } from './helper.ts'

const executablePath = [
  process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'
].find((path) => path !== '' && existsSync(path))

/** Why the tests of pages are skipped; false if they run. */
export const withoutBrowser: string | false =
  executablePath === undefined ? 'no Chromium is installed (CHROMIUM names one elsewhere)' : false

/** Starts the browser. relay.test and blog.test are this machine. */
export const launch = async (...args: readonly string[]): Promise<Browser> => await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP relay.test 127.0.0.1, MAP blog.test 127.0.0.1', ...args]
})

/** How long a wait for a page may take: half of the limit of its test. A busy machine takes many times what a free one does. */
export const patienceMs = 500 * (Number(process.env['TEST_SECONDS']) || 600)

export type Look = Parameters<Browser['newContext']>[0]

export interface Visit {
  readonly demo: DemoUpstream
  readonly server: Server
  readonly page: Page
  /** Console messages (including violations of the content policy), uncaught errors, and requests to other origins. */
  readonly complaints: string[]
  /** Resolves once the status line of the page contains this text. */
  says (text: string): Promise<void>
  /** Presses the button of this name. */
  press (name: string | RegExp): Promise<void>
  /** Resolves once there is a heading of this name. */
  heading (name: string | RegExp): Promise<void>
  /** Resolves once an expression holds. The policy of the pages forbids the browser's own way of waiting. */
  holds (expression: string): Promise<void>
  /** Resolves once a song plays, after `from` seconds of it. */
  plays (from?: number): Promise<void>
  /** Leaves the page, and comes back. */
  comeBack (): Promise<void>
  /** What the browser has stored: entries of its stores, and cookies. */
  stored (): Promise<unknown>
  /** Searches by keyboard, and resolves once the page shows the result. */
  search (words: string): Promise<void>
  /** Plays the first song of the view that has this name. */
  choose (name: string): Promise<void>
  /** Logs in for this visit with a cookie, or with the secret of an account, and goes back. */
  useCookie (cookie: string): Promise<void>
}

export interface VisitOptions {
  /** Host of the relay in the browser. relay.test resolves to this machine. */
  readonly host?: string
  readonly options?: AppOptions | ((demo: DemoUpstream) => AppOptions | Promise<AppOptions>)
  readonly look?: Look
  /** Whether the page may load songs and pictures from the demo upstream. */
  readonly media?: boolean
  /** Prepares the upstream before the page opens. */
  readonly before?: (demo: DemoUpstream) => void
}

/**
 * Returns a function that opens pages of a relay in front of a demo upstream, in a narrow window without motion. The
 * browser starts with the first page and closes with the test file.
 */
export function browserFor (file: Test): (t: Test, path: string, options?: VisitOptions) => Promise<Visit> {
  let browser: Promise<Browser> | undefined
  file.teardown(async () => { await (await browser)?.close() })
  return async (t, path, { host = '127.0.0.1', options = {}, look = {}, media = false, before } = {}) => {
    const demo = await demoFor(t)
    before?.(demo)
    const server = await serverFor(t, demo, {
      pages: true, allowedHosts: ['relay.test'], ...typeof options === 'function' ? await options(demo) : options
    })
    const origin = server.address.replace('127.0.0.1', host)
    browser ??= launch()
    const own = await (await browser)
      .newContext({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce', serviceWorkers: 'block', ...look })
    own.setDefaultTimeout(patienceMs)
    t.teardown(async () => {
      // An answer that is being changed meanwhile is thrown away with its page.
      for (const each of own.pages()) await each.unrouteAll({ behavior: 'ignoreErrors' })
      await own.close()
    })
    // The transpiler adds calls of this to functions, to preserve their names. The page needs it, too.
    await own.addInitScript({ content: 'globalThis.__name = (named) => named' })
    const page = await own.newPage()
    const complaints: string[] = []
    page.on('console', (message) => { if (!message.text().startsWith('Service Worker registration blocked')) {
      complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`)
    } })
    page.on('pageerror', (error) => { complaints.push(error.message) })
    const origins = media ? [origin, demo.origin] : [origin]
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith('data:') && !origins.some((known) => url.startsWith(`${known}/`))) {
        complaints.push(`asks ${url}`)
      }
    })
    await page.goto(`${origin}${path}`)
    return { demo, server, page, complaints, ...handsOn(page) }
  }
}

/** What a person does with a page, and sees. */
export function handsOn (page: Page): Omit<Visit, 'demo' | 'server' | 'page' | 'complaints'> {
  const says: Visit['says'] = async (text) => {
    await page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
  }
  const holds: Visit['holds'] = async (expression) => {
    const end = performance.now() + patienceMs
    await until(async () => {
      if (performance.now() > end) throw new Error(`this never holds: ${expression}`)
      return await page.evaluate(expression) === true
    })
  }
  return {
    says,
    holds,
    press: async (name) => { await page.getByRole('button', { name, exact: typeof name === 'string' }).click() },
    heading: async (name) => { await page.getByRole('heading', { name, exact: typeof name === 'string' }).waitFor() },
    plays: async (from = 0) => { await holds(`(() => { const audio = document.querySelector('audio'); return !audio.paused && audio.currentTime > ${from} })()`) },
    async comeBack () {
      await page.goto('about:blank')
      await page.goBack()
    },
    stored: async () => await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'),
    async search (words) {
      await page.getByRole('searchbox').fill(words)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: `Results for “${words}”` }).waitFor()
      await page.locator('#total, #view .empty, #view .trouble').first().waitFor()
    },
    choose: async (name) => {
      await page.locator('#view').getByRole('button', { name: `Play: ${name}` }).first().click()
    },
    async useCookie (cookie) {
      await page.locator('.person a').click()
      await page.getByText('I have a secret or a cookie').click()
      await page.locator('#key').fill(cookie)
      await page.locator('#key').press('Enter')
      await page.locator('#leave').waitFor()
      await page.getByRole('link', { name: 'Go back' }).click()
    }
  }
}

/** Returns a function for tests of a page: each opens it, and ends with no complaint but `expected` ones. `timeout`: another limit than that of the folder. */
export function pageTest<Seen extends Pick<Visit, 'complaints'>, Asked extends readonly unknown[]> (
  open: (t: Test, ...asked: Asked) => Promise<Seen>, skip = withoutBrowser, timeout?: number
) {
  return (
    title: string, asked: Asked, body: (seen: Seen & { readonly t: Test }) => Promise<void>, expected?: RegExp
  ): void => {
    root.test(title, { skip, ...timeout === undefined ? {} : { timeout } }, async (t) => {
      const seen = await open(t, ...asked)
      await body({ ...seen, t })
      t.same(seen.complaints.filter((line) => expected?.test(line) !== true), [])
    })
  }
}

/** The relay refuses a route that many times, as under too much load. */
export async function overloadFor (page: Page, route: string, refusals: number): Promise<void> {
  let left = refusals
  await page.route(route, async (asked) => {
    if (left-- > 0) await asked.fulfill({
      status: 503, headers: { 'retry-after': '1' }, json: { error: 'Too much.', code: 'OVERLOADED' }
    })
    else await asked.continue()
  })
}

/** Changes the record of each answer to a route. */
export async function changeAnswers (
  page: Page, route: string, change: (record: any, url: URL) => void
): Promise<void> {
  await page.route(route, async (asked) => {
    const response = await asked.fetch()
    const body = await response.json()
    const inner = body.response ?? body.body?.response ?? body
    change(inner.data ?? inner, new URL(asked.request().url()))
    await asked.fulfill({ response, json: body })
  })
}

/** Widths and colours in which a page must fit and be readable, behind the token of the relay as Basic. */
export const looksOf = (...all: readonly (readonly [width: number, colorScheme: 'light' | 'dark'])[]): {
  readonly width: number, readonly name: string, readonly visit: VisitOptions,
  readable (t: Test, page: Page, parts: readonly string[]): Promise<void>
}[] => all.map(([width, colorScheme]) => ({
  width,
  name: `${width} px, ${colorScheme}`,
  visit: { options: { accessToken: 'open-sesame' }, look: {
    viewport: { width, height: 740 }, colorScheme, httpCredentials: { username: 'me', password: 'open-sesame' }
  } },
  async readable (t, page, parts) {
    t.same(await page.evaluate('[document.documentElement.scrollWidth <= innerWidth, document.getAnimations().length]'), [true, 0])
    const [brightness = ''] = /\d+/.exec(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')) ?? []
    t.equal(Number(brightness) < 128, colorScheme === 'dark')
    for (const part of parts) t.ok(await page.evaluate(contrast, part) >= 4.5, `${part} can be read`)
  }
}))

/** Contrast of an element's text with its background, as defined by the accessibility guidelines. */
const contrast = (part: string): number => {
  const page = globalThis as unknown as {
    document: { querySelectorAll (selector: string): Iterable<any> },
    getComputedStyle (element: any): { color: string, backgroundColor: string }
  }
  const numbers = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
  const light = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = numbers(colour)
      .map((value) => value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const element = [...page.document.querySelectorAll(part)].find((candidate) => candidate.offsetParent !== null)
  let behind = element
  while (numbers(page.getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement
  const [one, two] = [light(page.getComputedStyle(element).color), light(page.getComputedStyle(behind).backgroundColor)]
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05)
}
