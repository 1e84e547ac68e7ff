/** Pages of another origin: audio that they process, the remote client under a strict policy, and answers that they revalidate. */
import t from 'tap'
import type { CallOptions, RelayError } from '../../src/index.ts'
import { bundleClient } from '../../build/client.ts'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import { cookieOf, demoFor, endpoints, serverOnWire, song } from '../support/helper.ts'
import { alike, answering, callOf, clientFor, outcome, standing, type AnyCall } from '../support/remote.ts'

const open = browserFor(t)

/** A page whose button plays `address`, and that looks at the sound on its way. */
const pageOf = (address: string): string => `<title>A blog</title><button>play</button><script>
  const audio = Object.assign(new Audio(), { crossOrigin: 'anonymous', src: '${address}', preload: 'none' })
  let analyser
  document.querySelector('button').addEventListener('click', () => {
    const context = new AudioContext()
    analyser = context.createAnalyser()
    context.createMediaElementSource(audio).connect(analyser).connect(context.destination)
    audio.play().catch(() => {})
  })
  function heard () {
    if (analyser === undefined) return false
    const data = new Float32Array(analyser.fftSize)
    analyser.getFloatTimeDomainData(data)
    return data.some((value) => Math.abs(value) > 0.01)
  }
</script>`

t.test('an audio element of another origin plays through WebAudio, goes to a place in the song, and reads the headers of ranges', { skip: withoutBrowser }, async (t) => {
  for (const stream of ['relay', 'redirect'] as const) {
    const { page, server } = await open(t, '/health/live', { options: { stream } })
    const address = `${server.address}/stream/${song(1)}`
    await page.goto(await answering(t, (_request, response) => {
      response.setHeader('content-type', 'text/html').end(pageOf(address))
    }))
    await page.click('button')
    if (stream === 'redirect') {
      await page.waitForFunction('audio.error !== null')
      t.equal(await page.evaluate('heard()'), false, 'the host of the file lets no page read it')
      continue
    }
    await page.waitForFunction('heard() && audio.currentTime > 0.5')
    await page.evaluate('audio.currentTime = 100')
    await page.waitForFunction('audio.currentTime > 100.5')
    t.equal(await page.evaluate('Math.round(audio.duration)'), 113, 'in whole frames')
    const seen = await page.evaluate(async (url) => {
      const { status, headers } = await fetch(url, { headers: { range: 'bytes=0-99' } })
      return [status, headers.get('content-range'), headers.get('accept-ranges'), headers.get('content-length')]
    }, address)
    t.match(seen, [206, /^bytes 0-99\//, 'bytes', '100'])
  }
})

t.test('in a page of another origin, under a strict policy, the client gives what it gives elsewhere', { skip: withoutBrowser }, async (t) => {
  const demo = await demoFor(t, standing)
  const text = await bundleClient()
  const page = await answering(t, ({ url }, response) => {
    response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*")
    if (url === '/client.js') response.setHeader('content-type', 'text/javascript').end(text)
    else response.setHeader('content-type', 'text/html').end('<title>A page</title>')
  })
  const moved = await answering(t, (_request, response) => {
    response.writeHead(302, { location: page, 'access-control-allow-origin': '*' }).end()
  })
  const { address } = await serverOnWire(t, demo, { corsOrigins: [page] })
  const closed = await serverOnWire(t, demo)
  const remote = clientFor(t, address)
  const { page: tab } = await open(t, '/health/live')
  await tab.goto(page)
  const cookie = cookieOf(demo, 'member')
  const inPage = async (
    base: string, name: string, input: unknown, options: CallOptions = {}
  ): Promise<unknown> => await tab.evaluate(async ([base, name, input, options]) => {
    const { createClient } =
      await import('/client.js' as string) as { createClient (base: string): Record<string, AnyCall> }
    try {
      return { value: await createClient(base)[name]?.(input, options) }
    } catch (error) {
      const { name, code, statusCode, retryAfter, message } = error as RelayError
      return { error: { name, code, statusCode, retryAfter, message } }
    }
  }, [base, name, input, options] as const)
  for (const [name, { example, login, envelope }] of Object.entries(endpoints)) {
    if (envelope.delivers === 'audio') continue // no policy of this page lets it load the file
    const options = login === undefined ? {} : { cookie }
    t.same(
      alike(name, await inPage(address, name, example, options)),
      alike(name, await outcome(callOf(remote, name)(example, options))), name
    )
  }
  for (const [name, input] of [
    ['getLyric', {}], ['getLyric', { songmid: '\ud800' }], ['getRanks', { limit: 101 }],
    ['batchGetSongInfo', { songs: 'x' }], ['getUserLikedSongs', {}], ['getAlbumInfo', { albummid: 'nothing' }]
  ] as const) {
    t.same(
      await inPage(address, name, input), await outcome(callOf(remote, name)(input)), `${name} ${JSON.stringify(input)}`
    )
  }
  for (const [name, { example, tag }] of Object.entries(endpoints)) {
    if (tag === 'login') t.match(await inPage(closed.address, name, example), {
      error: { code: 'CROSS_SITE', statusCode: 403 }
    }, `${name}: an origin that is not listed`)
  }
  t.match(await inPage(moved, 'getHotkey', {}), { error: { name: 'RelayUnreachable', code: 'UPSTREAM_UNREADABLE', message: /leads elsewhere: give the final address/ } })
})

t.test('a page of another origin can revalidate what it has, and ask for a fresh answer', { skip: withoutBrowser }, async (t) => {
  const { server, page } = await open(t, '/health/live', { options: { cache: true } })
  await page.goto(
    await answering(t, (_request, answer) => { answer.setHeader('content-type', 'text/html').end('<p>a player') })
  )
  const ask = async (headers: Record<string, string>): Promise<{ status: number, etag: string, cached: string }> =>
    await page.evaluate(async ([address, sent]) => {
      const answer = await fetch(address as string, { headers: sent as Record<string, string> })
      return {
        status: answer.status, etag: answer.headers.get('etag') ?? '', cached: answer.headers.get('x-cache') ?? ''
      }
    }, [`${server.address}/getRanks?topId=62&limit=1`, headers] as const)
  const first = await ask({ accept: 'application/json' })
  t.match(first, { status: 200, etag: /^"/, cached: 'MISS' })
  t.same(await ask({ 'if-none-match': first.etag }), { status: 304, etag: first.etag, cached: 'HIT' })
  t.match(await ask({ 'if-none-match': '"another"' }), { status: 200, cached: 'HIT' })
  t.match(await ask({ 'cache-control': 'no-cache', 'pragma': 'no-cache' }), { status: 200, etag: first.etag })
})
