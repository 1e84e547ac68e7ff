/** The remote client in a page of another origin. */
import t from 'tap'
import type { CallOptions, RelayError } from '../../src/index.ts'
import { bundleClient } from '../../build/client.ts'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import { cookieOf, demoFor, endpoints, serverFor } from '../support/helper.ts'
import { alike, answering, callOf, clientFor, outcome, standing } from '../support/remote.ts'
import type { AnyCall } from '../support/remote.ts'

const open = browserFor(t)

t.test('in a page of another origin, under a strict policy, the client gives what it gives elsewhere', { skip: withoutBrowser }, async (t) => {
  const demo = await demoFor(t, standing)
  const text = await bundleClient()
  const page = await answering(t, ({ url }, response) => {
    response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*")
    if (url === '/client.js') response.setHeader('content-type', 'text/javascript').end(text)
    else response.setHeader('content-type', 'text/html').end('<title>A page</title>')
  })
  const moved = await answering(t, (_request, response) => { response.writeHead(302, { location: page, 'access-control-allow-origin': '*' }).end() })
  const { address } = await serverFor(t, demo, { corsOrigins: [page] })
  const closed = await serverFor(t, demo)
  const remote = clientFor(t, address)
  const { page: tab } = await open(t, '/health/live')
  await tab.goto(page)
  const cookie = cookieOf(demo, 'member')
  const inPage = async (base: string, name: string, input: unknown, options: CallOptions = {}): Promise<unknown> => await tab.evaluate(async ([base, name, input, options]) => {
    const { createClient } = await import('/client.js' as string) as { createClient (base: string): Record<string, AnyCall> }
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
    t.same(alike(name, await inPage(address, name, example, options)), alike(name, await outcome(callOf(remote, name)(example, options))), name)
  }
  for (const [name, input] of [['getLyric', {}], ['getLyric', { songmid: '\ud800' }], ['getRanks', { limit: 101 }], ['batchGetSongInfo', { songs: 'x' }], ['getUserLikedSongs', {}], ['getAlbumInfo', { albummid: 'nothing' }]] as const) {
    t.same(await inPage(address, name, input), await outcome(callOf(remote, name)(input)), `${name} ${JSON.stringify(input)}`)
  }
  for (const [name, { example, tag }] of Object.entries(endpoints)) {
    if (tag === 'login') t.match(await inPage(closed.address, name, example), { error: { code: 'CROSS_SITE', statusCode: 403 } }, `${name}: an origin that is not listed`)
  }
  t.match(await inPage(moved, 'getHotkey', {}), { error: { name: 'RelayUnreachable', code: 'UPSTREAM_UNREADABLE', message: /leads elsewhere: give the final address/ } })
})
