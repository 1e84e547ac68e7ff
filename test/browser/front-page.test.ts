/** The page / in a real browser: search, charts, and playing a song with its lyric, by keyboard only, at any width. */
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { calls } from '../../src/doctor/calls.ts'
import { browserFor, contrast, pagesFor, withoutBrowser } from '../support/browser.ts'
import type { Visit, VisitOptions } from '../support/browser.ts'
import { cookieOf, demoFor, until } from '../support/helper.ts'

const open = browserFor(t)

/** Opens the page on the demo. `search` resolves once the page shows its result. */
async function visit (t: Test, { options, ...rest }: Omit<VisitOptions, 'options'> & { readonly options?: AppOptions } = {}): Promise<Visit & { search (words: string): Promise<void> }> {
  const visit = await open(t, '/', { options: { docs: true, demo: true, ...options }, media: true, ...rest })
  return {
    ...visit,
    async search (words) {
      await visit.page.getByRole('searchbox', { name: 'Song, singer or album' }).fill(words)
      await visit.page.getByRole('button', { name: 'Search' }).click()
      await visit.says(`for “${words}”.`)
    }
  }
}

/** Resolves once the song is playing. */
const plays = async (page: Page): Promise<unknown> => await page.evaluate(`new Promise((resolve) => {
  const audio = document.querySelector('audio')
  const look = () => { if (!audio.paused && audio.currentTime > 0.3) resolve(true) }
  audio.addEventListener('timeupdate', look)
  look()
})`)
const lit = (page: Page, text: string): ReturnType<Page['locator']> => page.locator('#lyric [aria-current=true]', { hasText: text })
const song = (page: Page, name: string): ReturnType<Page['getByRole']> => page.locator('#list').getByRole('button', { name }).first()

t.test('the page is strict about what runs on it, is never kept, answers GET and HEAD only, and can be switched off', async (t) => {
  const demo = await demoFor(t)
  const server = await pagesFor(t, demo)
  for (const [path, type] of [['/', 'text/html'], ['/front/script.js', 'text/javascript'], ['/front/player.js', 'text/javascript'], ['/front/relay.js', 'text/javascript'], ['/front/state.js', 'text/javascript'], ['/front/controls.js', 'text/javascript'], ['/front/style.css', 'text/css']] as const) {
    const { status, headers, text } = await server.get(path)
    t.same([status, headers.get('content-type'), headers.get('cache-control')], [200, `${type}; charset=utf-8`, 'no-store'])
    t.same(headers.get('content-security-policy')?.split('; '), ["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src 'self' data: https: ${demo.origin}`, 'media-src https: http:', "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
    t.notMatch(text, /(?:src|href)="(?:https?:)?\/\/|url\(|@import|style="|<style|\son\w+=|innerHTML/)
    const head = await server.get(path, { method: 'HEAD' })
    t.same([head.status, head.text], [200, ''])
    const wrong = await server.post(path, {})
    t.same([wrong.status, wrong.headers.get('allow'), wrong.body.code], [405, 'GET, HEAD, OPTIONS', 'METHOD_NOT_ALLOWED'])
  }
  const locked = await pagesFor(t, demo, { accessToken: 'open-sesame', pages: false })
  t.equal((await locked.get('/')).status, 401)
  t.match(await locked.get('/', { headers: { authorization: 'Bearer open-sesame' } }), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
})

t.test('each file is sent whole, whatever the request says of an older copy', async (t) => {
  const server = await pagesFor(t, await demoFor(t))
  for (const path of ['/', '/front/script.js', '/front/style.css', '/login', '/login/script.js']) {
    const { text } = await server.get(path)
    for (const [name, value] of [['if-match', '"a"'], ['if-none-match', '*'], ['if-modified-since', 'Wed, 21 Oct 2099 07:28:00 GMT'], ['if-unmodified-since', 'Wed, 21 Oct 2015 07:28:00 GMT'], ['range', 'bytes=0-9']] as const) {
      const again = await server.get(path, { headers: { [name]: value } })
      t.same([again.status, again.text === text], [200, true], `${path} with ${name}`)
      for (const none of ['etag', 'last-modified', 'accept-ranges']) t.equal(again.headers.get(none), null)
    }
  }
})

t.test('every script and style of public/ is served, and pages find their parts below the path of a proxy', async (t) => {
  const server = await pagesFor(t, await demoFor(t), { docs: true })
  // guide.js is for relays that have the documentation site: guide-page.test.ts.
  const files = readdirSync(new URL('../../public/', import.meta.url), { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\/guide)\.(?:js|css)$/.test(file))
  t.ok(files.length > 5)
  for (const file of files) t.equal((await server.get(`/${file}`)).text, readFileSync(new URL(`../../public/${file}`, import.meta.url), 'utf8'), file)
  const linked = async (page: string, pattern: RegExp): Promise<void> => {
    const links = [...(await server.get(page)).text.matchAll(pattern)].map(([, link]) => new URL(link ?? '', `http://proxy.example/music${page}`).pathname)
    t.ok(links.length > 0, page)
    for (const path of links) {
      t.match(path, /^\/music\//, `${page} links ${path}`)
      t.equal((await server.get(path.replace('/music', ''))).status, 200, path)
    }
  }
  for (const page of ['/', '/login']) await linked(page, /(?:href|src)="(?!data:)([^"]+)"/g)
  for (const script of ['/front/script.js', '/front/state.js', '/front/player.js', '/login/script.js']) await linked(script, /^import .* from '([^']+)'/gm)
})

t.test('it names what is in front of and behind the relay, and links only what is there', async (t) => {
  const demo = await demoFor(t)
  const text = async (options: AppOptions): Promise<string> => (await (await pagesFor(t, demo, options)).get('/')).text
  t.match(await text({ demo: true, docs: true }), /<strong>Demo<\/strong>[^]*href="login"/)
  t.match(await text({ docs: true }), /href="docs"[^]*<strong>Another origin<\/strong>/)
  const live = await text({ upstreamOrigin: '', imageOrigin: '', fallbackMode: false })
  t.match(live, '<strong>Live</strong>')
  t.notMatch(live, /href="docs"|Play with an account/)
})

t.test('a person searches, plays a song, and sees its lyric line by line, on a plain http name', { skip: withoutBrowser }, async (t) => {
  const { page, complaints, says, search } = await visit(t, { host: 'relay.test' })
  await search('First Light')
  t.match(await page.locator('#list img').first().getAttribute('src'), /\/music\/photo_new\//)
  await song(page, 'First Light').click()
  await says('Playing First Light by The Paper Lanterns.')
  await plays(page)
  await page.getByRole('button', { name: 'Lyric, volume and queue' }).click()
  await lit(page, 'First Light - The Paper Lanterns').waitFor()
  await page.evaluate("document.querySelector('audio').currentTime = 4.3")
  await lit(page, '词').waitFor()
  t.equal(await page.locator('#lyric [aria-current]').count(), 1)
  t.ok(await page.evaluate("document.querySelector('#cover').naturalWidth") as number > 0, 'the cover is there')
  t.equal(await song(page, 'First Light').getAttribute('aria-current'), 'true')
  t.same(await page.locator('.source a').allTextContents(), ['GET /getSearchByKey?key=First+Light&limit=20', 'GET /getMusicPlay?songmid=00DemoSong0001', 'GET /getLyric?songmid=00DemoSong0001&isFormat=1'])
  await page.getByText('all working').waitFor()
  t.same(complaints, [])
})

t.test('charts show their songs; a song that cannot be played says why, and its short part plays', { skip: withoutBrowser }, async (t) => {
  const { page, complaints, says, search } = await visit(t, { look: { viewport: { width: 1200, height: 900 } } })
  await page.getByRole('button', { name: /Soaring/ }).click()
  await page.getByRole('heading', { name: /Soaring/ }).waitFor()
  t.equal(await page.evaluate('document.activeElement.id'), 'stage-title', 'a screen reader is taken along')
  t.equal(await page.locator('#list li').count(), 50)
  await song(page, '驿航线慢板').click()
  await page.getByRole('region', { name: '驿航线慢板' }).locator('#singers', { hasText: 'The Paper Lanterns' }).waitFor()
  await page.getByRole('button', { name: 'All charts' }).click()
  await page.getByRole('heading', { name: 'Charts', exact: true }).waitFor()

  await search('Velvet Toll')
  await song(page, 'Velvet Toll').click()
  await says('cannot be played: Log in to play this song.')
  t.match(await page.locator('#hint').textContent(), 'pass the cookie of an account')
  t.equal(await page.getByRole('slider', { name: 'Position' }).isDisabled(), true)
    await page.getByRole('button', { name: 'Play a preview' }).click()
  await plays(page)
  t.match(await page.locator('#file').textContent(), 'preview')
  t.same(complaints, [])
})

t.test('with a pasted cookie the account\'s songs play, and who comes back finds no cookie', { skip: withoutBrowser }, async (t) => {
  const { demo, server, page, complaints, says, search } = await visit(t)
  const cookie = cookieOf(demo, 'member')
  await page.getByText('not logged in').waitFor()
  await page.getByText('Play with an account').click()
  await page.getByLabel('Cookie').fill('nonsense=1')
  await page.getByLabel('Cookie').press('Enter')
  await page.getByText('contains no usable cookie').waitFor()
  await page.getByLabel('Cookie').fill(cookie)
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByText('the login of this page').waitFor()
  await search('Velvet Toll')
  await song(page, 'Velvet Toll').click()
  await says('Playing Velvet Toll')
  await plays(page)
  t.match(await page.locator('#file').textContent(), /^128 kbit\/s · [\d.]+ [kM]B$/)
  t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''])
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /demoMember|vkey|http/)
  t.notMatch(page.url(), 'demoMember')
  await page.goto('about:blank')
  await page.goBack()
  await page.getByText('not logged in').waitFor()
  t.equal(await page.locator('#key').inputValue(), '')
  t.notMatch(server.log.join(''), 'demoMember0')
  t.same(complaints, [])
})

t.test('by keyboard alone: search, choose, pause', { skip: withoutBrowser }, async (t) => {
  const { page, complaints, says } = await visit(t, { host: 'localhost' })
  await page.getByRole('button', { name: /Soaring/ }).waitFor()
  await page.getByRole('list', { name: 'Trending searches' }).getByRole('button').first().waitFor()
  const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.id || document.activeElement.textContent")
  const tabTo = async (wanted: RegExp): Promise<void> => {
    for (let steps = 0; steps < 40; steps++) {
      await page.keyboard.press('Tab')
      if (wanted.test(String(await focused()))) {
        t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none', `the focus on ${wanted} can be seen`)
        return
      }
    }
    t.fail(`${wanted} is not reached`)
  }
  await tabTo(/^words$/)
  await page.keyboard.type('First Light')
  await page.keyboard.press('Enter')
  await says('1 song for “First Light”.')
  await tabTo(/^♪?First LightThe Paper Lanterns/)
  await page.keyboard.press('Enter')
  await says('Playing First Light')
  await plays(page)
  t.match(await focused(), /First Light/, 'the keyboard stays where it was')
  await tabTo(/^toggle$/)
  await page.keyboard.press('Space')
  t.equal(await page.evaluate("new Promise((resolve) => { const audio = document.querySelector('audio'); if (audio.paused) resolve(true); audio.addEventListener('pause', () => resolve(true)) })"), true)
  await tabTo(/^more$/)
  await page.keyboard.press('Enter')
  await tabTo(/^lyric$/)
  await page.keyboard.press('Escape')
  t.equal(await focused(), 'more')
  t.same(complaints, [])
})

t.test('a song that an account has no right to says what helps: no login does', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says, search } = await visit(t, { look: { viewport: { width: 1200, height: 900 } } })
  await page.getByText('Play with an account').click()
  await page.getByLabel('Cookie').fill(cookieOf(demo, 'ordinary'))
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByText('the login of this page').waitFor()
  await search('Velvet Toll')
  await song(page, 'Velvet Toll').click()
  await says('cannot be played: This song needs a subscription or a purchase.')
  await page.locator('#hint').getByText('Get a subscription for the account from the provider, or buy the song there.').waitFor()
  t.equal(await page.locator('#refusal .login').isVisible(), false)
  t.equal(await page.getByRole('button', { name: 'Play a preview' }).isVisible(), true)
})

t.test('every call has a family of words, and a call of a newer relay its own name', async (t) => {
  const { families, troublesIn } = await import(new URL('../../public/front/troubles.js', import.meta.url).href) as { families: Record<string, string>, troublesIn: (calls: readonly object[]) => string }
  const known = Object.keys(calls).map((name) => name.split('.', 1)[0] as string)
  t.same([...new Set(known)].filter((family) => families[family] === undefined), [])
  t.same(Object.keys(families).filter((family) => !known.includes(family)), [])
  t.equal(troublesIn([{ name: 'search.a', verdict: 'refused' }, { name: 'search.b', verdict: 'refused' }, { name: 'chart.a', verdict: 'drift' }, { name: 'new.a', verdict: 'unreachable' }, { name: 'song.a', verdict: 'retired' }]),
    'Search: refused, Charts: answers that this version cannot read, new: no answer')
})

t.test('a failure is shown in the relay\'s own words, and in its health', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says } = await visit(t, { options: { useGlobalCookie: true, globalCookie: () => 'uin=1000000101; qm_keyst=Q_H_L_demoOrdinary00000000000000000000000000000000000000000001' } })
  await page.getByText('used for requests without a cookie').waitFor()
  await page.getByText('all working').waitFor()
  await demo.close()
  await page.getByRole('searchbox').fill('anything')
  await page.keyboard.press('Enter')
  await says('The upstream')
  await page.getByText(/kinds of calls failing/).waitFor()
  await page.locator('#health').getByText(/^Search: no answer/).waitFor()
  t.equal(await page.getByRole('heading', { name: 'Charts', exact: true }).isVisible(), true, 'what was there stays')
})

t.test('an answer that comes late does not speak for a later question, and a cover that was refused is asked for again', { skip: withoutBrowser }, async (t) => {
  const { demo, page, says, search } = await visit(t)
  await page.getByText('not logged in').waitFor()
  const asked: Array<() => Promise<void>> = []
  await page.route('**/user/getCookie', async (route) => {
    const response = await route.fetch()
    asked.push(async () => { await route.fulfill({ response }).catch(() => {}) })
    if (asked.length > 1) await asked[1]?.()
  })
  await page.getByText('Play with an account').click()
  for (const cookie of ['nonsense=1', cookieOf(demo, 'member')]) {
    const seen = page.waitForRequest('**/user/getCookie')
    await page.getByLabel('Cookie').fill(cookie)
    await page.getByLabel('Cookie').press('Enter')
    await seen
    await until(() => asked.length > 0)
  }
  await page.getByText('the login of this page').waitFor()
  await asked[0]?.()
  await page.route('**/getImageUrl?*', async (route) => { await route.fulfill({ status: 429, contentType: 'application/json', body: '{"error":"Too much.","code":"OVERLOADED"}' }) })
  await search('Velvet Toll')
  await page.unroute('**/getImageUrl?*')
  t.equal(await page.locator('#list .cover img').count(), 0)
  await search('Velvet Toll')
  await page.locator('#list .cover img').first().waitFor()
  await says('Velvet Toll')
  t.match(await page.locator('#account').innerText(), 'the login of this page')
})

t.test('texts of the upstream stay texts', { skip: withoutBrowser }, async (t) => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
  const { page, complaints } = await visit(t, { before: (demo) => { demo.next('music.musicToplist.Toplist/GetAll', { mutate: (answer) => { answer.data.group[0].toplist[0].title = evil } }) } })
  await page.getByText('document.title=1').first().waitFor()
  t.equal(await page.title(), 'music-relay')
  t.equal(await page.locator('#list script, #list img[src=x]').count(), 0)
  t.same(complaints, [])
})

t.test('it fits from 320 px on, light and dark, with text that can be read, and works behind Basic', { skip: withoutBrowser }, async (t) => {
  const colours = new Set<unknown>()
  for (const [width, colorScheme] of [[320, 'dark'], [360, 'light'], [1200, 'light']] as const) {
    const { page, complaints, says, search } = await visit(t, { options: { accessToken: 'open-sesame' }, look: { viewport: { width, height: 740 }, colorScheme, httpCredentials: { username: 'me', password: 'open-sesame' } } })
    const fits = async (what: string): Promise<void> => { t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${what} at ${width}`) }
    await page.getByRole('button', { name: /Soaring/ }).waitFor()
    await fits('charts')
    await search('The Paper Lanterns')
    await fits('songs')
    await song(page, 'Velvet Toll').click()
    await says('cannot be played')
    await fits('a refusal')
    if (width < 832) await page.getByRole('button', { name: 'Lyric, volume and queue' }).click()
    for (const part of ['#reason', '#hint', '#part']) t.ok(await page.evaluate(contrast, part) >= 4.5, `${colorScheme} ${part}`)
    await song(page, 'First Light').click()
    await says('Playing')
    await lit(page, 'First Light').waitFor()
    await fits('a song')
    t.equal(await page.evaluate('document.getAnimations().length'), 0)
    for (const part of ['h1', ...width < 832 ? [] : ['.lead'], 'nav a', '#language', '#at', '#share', '#queue .name', '#queue-count', '.facts dt', '.facts dd span', '.status', '.primary', '.chips button', '.row:not([aria-current]) .name', '.row:not([aria-current]) .singers', '.row[aria-current] .name', '.row[aria-current] .singers', '.tail', '#file', '#lyric li:not([aria-current])', '#lyric li[aria-current]', 'summary']) {
      const ratio = await page.evaluate(contrast, part)
      t.ok(ratio >= 4.5, `${colorScheme} ${part}: ${ratio.toFixed(1)}`)
    }
    colours.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
    t.same(complaints.filter((line) => !line.includes('401')), [])
  }
  t.equal(colours.size, 2)
})

t.test('a page of another origin can revalidate what it has, and ask for a fresh answer', { skip: withoutBrowser }, async (t) => {
  const { server, page } = await visit(t, { options: { cache: true } })
  const other = createServer((_request, answer) => { answer.setHeader('content-type', 'text/html').end('<p>a player') }).listen(0, '127.0.0.1')
  t.teardown(() => { other.close() })
  await once(other, 'listening')
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  const ask = async (headers: Record<string, string>): Promise<{ status: number, etag: string, cached: string }> => await page.evaluate(async ([address, sent]) => {
    const answer = await fetch(address as string, { headers: sent as Record<string, string> })
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', cached: answer.headers.get('x-cache') ?? '' }
  }, [`${server.address}/getRanks?topId=62&limit=1`, headers] as const)
  const first = await ask({ accept: 'application/json' })
  t.match(first, { status: 200, etag: /^"/, cached: 'MISS' })
  t.same(await ask({ 'if-none-match': first.etag }), { status: 304, etag: first.etag, cached: 'HIT' })
  t.match(await ask({ 'if-none-match': '"another"' }), { status: 200, cached: 'HIT' })
  t.match(await ask({ 'cache-control': 'no-cache', 'pragma': 'no-cache' }), { status: 200, etag: first.etag })
})
