/** The demo command as another machine sees it: pictures and songs come from the port and the host that it asked. */
import { networkInterfaces } from 'node:os'
import t, { type Test } from 'tap'
import { browserFor, handsOn, withoutBrowser } from '../support/browser.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { start } from '../support/commandProcess.ts'
import { endpoints } from '../support/helper.ts'
import { exchange, type RawAnswer } from '../support/raw.ts'

const open = browserFor(t)
const song = '/getMusicPlay?songmid=00DemoSong0001'
const picture = '/getImageUrl?id=00DemoAlbu0001'

/** Starts the demo on all addresses. Returns its port. */
async function startDemo (t: Test, env: Record<string, string> = {}): Promise<number> {
  const { address } = await start(
    t, undefined, { CONFIG_DIR: folderFor(t), HOST: '0.0.0.0', DOCS: 'true', ...env }, { args: ['demo', '--json'] }
  )
  return Number(new URL(address).port)
}

/** Sends one request with these header lines, Host among them. */
async function ask (port: number, line: string, headers: readonly string[], body = ''): Promise<RawAnswer> {
  const lines = [`${line} HTTP/1.1`, ...headers, ...body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`], 'Connection: close']
  const { answers } = await exchange(`http://127.0.0.1:${port}`, `${lines.join('\r\n')}\r\n\r\n${body}`, { head: line.startsWith('HEAD') })
  return answers[0] as RawAnswer
}

/** The first address in an answer with this path. */
const addressIn = (text: string, path: string): string => new RegExp(`https?://[^"]*${path}[^"]*`).exec(text)?.[0] ?? ''

t.test('addresses in answers have the host that was asked, and pictures and songs load from there', async (t) => {
  const port = await startDemo(t, { ACCESS_TOKEN: 'open-sesame', RATE_LIMIT: '20' })
  const outer = Object.values(networkInterfaces())
    .flat().find((each) => each?.internal === false && each.family === 'IPv4')?.address
  for (const host of ['127.0.0.2', ...outer === undefined ? [] : [outer]]) {
    const origin = `http://${host}:${port}`
    const told = async (path: string): Promise<string> =>
      await (await fetch(`${origin}${path}`, { headers: { authorization: 'Bearer open-sesame' } })).text()
    const [played, shown] =
      [addressIn(await told(song), '/audio/'), addressIn(await told(picture), '/music/photo_new/')]
    for (const address of [played, shown]) t.ok(address.startsWith(`${origin}/`), address)
    t.match(await told('/login'), `&quot;scanPages&quot;:&quot;${origin}/scan&quot;`)

    // A player has no token, and loads more pictures in a minute than it may send requests.
    for (let count = 0; count < 25; count++) t.equal((await fetch(shown)).status, 200)
    const image = await fetch(shown)
    t.match([
      image.status, image.headers.get('content-type'), (await image.arrayBuffer()).byteLength > 500
    ], [200, 'image/png', true])
    const part = await fetch(played, { headers: { range: 'bytes=0-3' } })
    const [first = 0, second = 0] = Buffer.from(await part.arrayBuffer())
    t.match([
      part.status, part.headers.get('content-range'), first, second & 0xe0
    ], [206, /^bytes 0-3\/\d+$/, 0xff, 0xe0], 'a frame of MP3')
    const head = await fetch(played, { method: 'HEAD' })
    t.same([head.status, head.headers.get('content-length')], [200, part.headers.get('content-range')?.split('/')[1]])
    t.ok(head.headers.get('x-request-id'))
    t.equal((await fetch(`${played.split('?')[0]}?vkey=wrong`)).status, 403, 'the demo decides about its files')

    // A widget of a blog has no token, either.
    const [{ url, pic }] =
      await (await fetch(`${origin}/meting?type=song&id=00DemoSong0001`)).json() as [{ url: string, pic: string }]
    for (const [link, type] of [[url, 'audio/mpeg'], [pic, 'image/png']] as const) {
      t.ok(link.startsWith(`${origin}/meting?`), link)
      const led = await fetch(link)
      t.ok(led.url.startsWith(`${origin}/`), led.url)
      t.match([led.status, led.headers.get('content-type')], [200, type])
    }
  }
})

t.test('only files of the demo are on the relay\'s port, and only their methods', async (t) => {
  const port = await startDemo(t)
  const status = async (line: string): Promise<number> => (await ask(port, line, ['Host: 127.0.0.2'])).status
  for (const path of ['/demo/moods', '/music/photo_new', '/audio', '/audio/../demo/moods', '/audio/%2e%2e/demo/moods', '/film/x', '/music/photo_new/..%2f..%2fdemo%2fmoods', '/scan/main/nothing', '/cgi-bin/musicu.fcg']) t.equal(await status(`GET ${path}`), 404, path)
  t.equal(await status('DELETE /audio/x'), 405)
  t.equal(await status('OPTIONS /audio/x'), 204)
  t.equal((await ask(port, 'POST /cgi-bin/musicu.fcg', ['Host: u.y.qq.com'], '{}')).status, 404)
})

t.test('hosts share cached answers, with the right length and a tag; no answer names the demo\'s own port', async (t) => {
  const port = await startDemo(t, { RATE_LIMIT: '0', UPSTREAM_RATE_PER_HOST: '0', TRUST_PROXY: '127.0.0.1' })
  const chart = 'GET /getRanks?topId=62&limit=1'
  const first = await ask(port, chart, ['Host: first.example:8080'])
  const second = await ask(port, chart, ['Host: [2001:db8::1]:3200'])
  t.same([first.headers.get('x-cache'), second.headers.get('x-cache')], ['MISS', 'HIT'])
  t.ok(addressIn(first.text, '/music/').startsWith('http://first.example:8080/'))
  t.ok(addressIn(second.text, '/music/').startsWith('http://[2001:db8::1]:3200/'))
  t.equal(second.text, first.text.replaceAll('first.example:8080', '[2001:db8::1]:3200'))
  for (const answer of [first, second]) {
    t.equal(Number(answer.headers.get('content-length')), Buffer.byteLength(answer.text))
  }
  const head = await ask(port, chart.replace('GET', 'HEAD'), ['Host: first.example:8080'])
  t.same([head.headers.get('content-length'), head.headers.get('etag')], [
    first.headers.get('content-length'), first.headers.get('etag')
  ])
  const again = await ask(port, chart, ['Host: first.example:8080', `If-None-Match: ${first.headers.get('etag')}`])
  t.same([again.status, again.text], [304, ''])
  t.ok(addressIn((await ask(port, chart, ['Host: music.example', 'X-Forwarded-Proto: https'])).text, '/music/').startsWith('https://music.example/'), 'behind a proxy with TLS')
  for (const odd of ['a"b', 'a,b', 'a/b', 'a@b', 'a b', 'a:b', '<b>']) {
    const { status, text } = await ask(port, chart, [`Host: ${odd}`])
    t.same([status, text.includes(odd)], [200, false], odd)
  }
  for (const [name, { method, path, example }] of Object.entries(endpoints)) {
    const query = new URLSearchParams(Object.entries(example as object)
      .map(([key, value]): [string, string] => [key, String(value)]))
    const { text } = method === 'GET' ? await ask(port, `GET ${path}?${String(query)}`, ['Host: first.example'])
      : await ask(port, `POST ${path}`, ['Host: first.example'], JSON.stringify(example))
    t.notMatch(text, '127.0.0.1', name)
  }
})

t.test('in a browser on another machine, songs play and covers show', { skip: withoutBrowser }, async (t) => {
  const port = await startDemo(t)
  const page = await (await open(t, '/')).page.context().newPage()
  const { search, choose, plays } = handsOn(page)
  const origins = new Set<string>()
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin)
  })
  page.on('console', (message) => { complaints.push(message.text()) })
  await page.goto(`http://relay.test:${port}/`)
  await search('First Light')
  await choose('First Light')
  await plays()
  t.ok(await page.evaluate("['#bar', 'main'].every((part) => document.querySelector(`${part} .cover img`).naturalWidth > 0)"))
  t.same([[...origins], complaints], [[`http://relay.test:${port}`], []])
})
