/**
 * A real browser for the tests of pages: one per test file, with a fresh profile per visit. Its complaints are
 * recorded.
 */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { demoFor, serverFor } from './helper.ts'
import type { Server } from './helper.ts'

const executablePath = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path !== '' && existsSync(path))

/** Why the tests of pages are skipped; false if they run. */
export const withoutBrowser: string | false = executablePath === undefined ? 'no Chromium is installed (CHROMIUM names one elsewhere)' : false

/** Starts the browser. relay.test and blog.test are this machine. */
export const launch = async (...args: readonly string[]): Promise<Browser> => await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP relay.test 127.0.0.1, MAP blog.test 127.0.0.1', ...args]
})

export type Look = Parameters<Browser['newContext']>[0]

export interface Visit {
  readonly demo: DemoUpstream
  readonly server: Server
  readonly page: Page
  /** Console messages (including violations of the content policy), uncaught errors, and requests to other origins. */
  readonly complaints: string[]
  /** Resolves once the status line of the page contains this text. */
  says (text: string): Promise<void>
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

/** The relay with its pages, which the servers of other tests leave out. */
export const pagesFor = async (t: Test, demo: { origin: string }, options: AppOptions = {}): Promise<Server> => await serverFor(t, demo, { pages: true, ...options })

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
    const server = await pagesFor(t, demo, { allowedHosts: ['relay.test'], ...typeof options === 'function' ? await options(demo) : options })
    const origin = server.address.replace('127.0.0.1', host)
    browser ??= launch()
    const own = await (await browser).newContext({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce', ...look })
    t.teardown(async () => { await own.close() })
    // The transpiler adds calls of this to functions, to preserve their names. The page needs it, too.
    await own.addInitScript({ content: 'globalThis.__name = (named) => named' })
    const page = await own.newPage()
    const complaints: string[] = []
    page.on('console', (message) => { complaints.push(`${message.type()}: ${message.text()}`) })
    page.on('pageerror', (error) => { complaints.push(error.message) })
    const origins = media ? [origin, demo.origin] : [origin]
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith('data:') && !origins.some((known) => url.startsWith(`${known}/`))) complaints.push(`asks ${url}`)
    })
    await page.goto(`${origin}${path}`)
    return { demo, server, page, complaints, says: async (text) => { await page.getByRole('status').filter({ hasText: text }).waitFor({ timeout: 10_000 }) } }
  }
}

/** Contrast of an element's text with its background, as defined by the accessibility guidelines. */
export const contrast = (part: string): number => {
  const page = globalThis as unknown as { document: { querySelectorAll (selector: string): Iterable<any> }, getComputedStyle (element: any): { color: string, backgroundColor: string } }
  const numbers = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
  const light = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = numbers(colour).map((value) => value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const element = [...page.document.querySelectorAll(part)].find((candidate) => candidate.offsetParent !== null)
  let behind = element
  while (numbers(page.getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement
  const [one, two] = [light(page.getComputedStyle(element).color), light(page.getComputedStyle(behind).backgroundColor)]
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05)
}
