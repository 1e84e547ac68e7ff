/** A real browser for the tests of pages: one for each test file, a fresh profile for each visit, and an ear for its complaints. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'

const executablePath = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path !== '' && existsSync(path))

/** Why tests of pages are skipped, where they are. */
export const withoutBrowser: string | false = executablePath === undefined ? 'no Chromium is installed (CHROMIUM names one elsewhere)' : false

export type Look = Parameters<Browser['newContext']>[0]

export interface Opened {
  readonly page: Page
  /** What the console said (a refusal of the content policy among it), uncaught errors, and requests to other origins. */
  readonly complaints: string[]
}

/** Opens pages that may ask these origins, in a browser that starts with the first one and ends with the file. Resolves relay.test to this machine. */
export function browserFor (file: Test): (t: Test, origins: readonly string[], look?: Look) => Promise<Opened> {
  let browser: Promise<Browser> | undefined
  file.teardown(async () => { await (await browser)?.close() })
  return async (t, origins, look) => {
    browser ??= chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP relay.test 127.0.0.1']
    })
    const own = await (await browser).newContext(look)
    t.teardown(async () => { await own.close() })
    // A function that is sent to the page calls this: the transpiler keeps names that way.
    await own.addInitScript({ content: 'globalThis.__name = (named) => named' })
    const page = await own.newPage()
    const complaints: string[] = []
    page.on('console', (message) => { complaints.push(`${message.type()}: ${message.text()}`) })
    page.on('pageerror', (error) => { complaints.push(error.message) })
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith('data:') && !origins.some((origin) => url.startsWith(`${origin}/`))) complaints.push(`asks ${url}`)
    })
    return { page, complaints }
  }
}

/** Contrast of a part's text on what is behind it, as the accessibility guidelines count it. */
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
