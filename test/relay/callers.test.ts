/**
 * Who asks: the secret of an account, its session and the access token, in each of their places, alone and beside each
 * other, at each interface. Each cell is the status of the answer and whose login was used upstream.
 */
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { openSessions } from '../../src/accounts/sessions.ts'
import type { AppOptions } from '../../src/app.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { cookieOf, serverFor, song } from '../support/helper.ts'
import { household, people } from '../support/household.ts'
import { queryOf, tokenOf } from '../support/opensubsonicPlayer.ts'
import { sampleOf } from '../support/whole.ts'

type Names = Readonly<Record<string, string>>
/** What a request brings. `proof`: parameters of a player. */
interface Place { readonly headers?: Names, readonly query?: Names, readonly proof?: Names }

const accessToken = 'operator-token'
const encoded = (pair: string): string => Buffer.from(pair).toString('base64')
const bearer = (secret: string): Names => ({ authorization: `Bearer ${secret}` })
const basic = (pair: string): Names => ({ authorization: `Basic ${encoded(pair)}` })
const ownPage = { 'sec-fetch-site': 'same-origin' }
const otherPage = { 'sec-fetch-site': 'cross-site', 'origin': 'https://other.example' }

/** A relay on which each login is another person: the member's account, the child's global login, the partner's player. */
async function scene (t: Test, token: string) {
  const { demo, accounts, secrets } = await household(t)
  const sessions = await openSessions({ folder: folderFor(t), secret: '', accounts, log: { error () {} } })
  t.teardown(() => { sessions.close() })
  const options: AppOptions = {
    accounts,
    sessions,
    accessToken: token,
    pages: true,
    meting: true,
    useGlobalCookie: true,
    globalCookie: () => cookieOf(demo, 'child'),
    subsonicPassword: 'of the house',
    playerCookie: () => cookieOf(demo, 'partner'),
    linkSecret: async () => 'a secret of this test',
    beforeRoutes: fp(async (app) => {
      const first = new WeakMap<object, object>()
      app.addHook('preParsing', async (request) => { first.set(request, request.caller) })
      app.addHook('onResponse', async (request) => {
        const { caller } = request
        if (first.has(request) && (first.get(request) !== caller || !Object.isFrozen(caller))) {
          t.fail('a caller was overwritten')
        }
        t.throws(() => { Object.assign(request, { caller: { ...caller, admitted: true } }) }, TypeError)
      })
    })
  }
  const server = await serverFor(t, demo, options)
  const [key, limited] = [
    await accounts.addKey('member', 'full', {}), await accounts.addKey('member', 'limited', { noLoginEndpoints: true })
  ]
  const session = { cookie: `music_relay_session=${await sessions.begin({ account: 'member' })}` }
  const operator = { cookie: `music_relay_session=${await sessions.begin({ operator: true })}` }
  const own = cookieOf(demo, 'ordinary')
  const places: Readonly<Record<string, Place>> = {
    'nothing': {},
    'Bearer': { headers: bearer(secrets.member) },
    'Basic': { headers: basic(`anybody:${secrets.member}`) },
    'Basic, as the user': { headers: basic(`${secrets.member}:`) },
    'Bearer, a key': { headers: bearer(key) },
    'Bearer, a limited key': { headers: bearer(limited) },
    'Bearer, wrong': { headers: bearer(`mr_${'x'.repeat(43)}`) },
    'Bearer, the token': { headers: bearer(accessToken) },
    'Bearer of something else': { headers: bearer('something else') },
    'Bearer beside ?cookie': { headers: bearer(secrets.member), query: { cookie: own } },
    'Bearer beside X-Custom-Cookie': { headers: { ...bearer(secrets.member), 'x-custom-cookie': own } },
    'Bearer beside Cookie': { headers: { ...bearer(secrets.member), cookie: own } },
    'limited key beside X-Custom-Cookie': { headers: { ...bearer(limited), 'x-custom-cookie': own } },
    'Bearer beside a cookie too long': { headers: { ...bearer(secrets.member), 'x-custom-cookie': 'x'.repeat(9000) } },
    'session': { headers: { ...session, ...ownPage } },
    'session beside the token': { headers: { ...session, ...ownPage, ...basic(`:${accessToken}`) } },
    'session beside another secret': { headers: { ...session, ...ownPage, ...bearer(secrets.child) } },
    'session beside X-Custom-Cookie': { headers: { ...session, ...ownPage, 'x-custom-cookie': own } },
    'session beside a proxy\'s password': { headers: { ...session, ...ownPage, ...basic('guest:of a proxy') } },
    'session of the operator': { headers: { ...operator, ...ownPage } },
    'the operator\'s beside a proxy\'s': { headers: { ...operator, ...ownPage, ...basic('guest:of a proxy') } },
    'another page: Bearer': { headers: { ...bearer(secrets.member), ...otherPage } },
    'another page: Basic': { headers: { ...basic(`anybody:${secrets.member}`), ...otherPage } },
    'another page: session': { headers: { ...session, ...otherPage } },
    'p': { proof: { u: 'member', p: secrets.member } },
    't and s': { proof: tokenOf('member', secrets.member) as Names },
    'apiKey': { proof: { apiKey: key } },
    'apiKey, limited': { proof: { apiKey: limited } },
    'p, of the house': { proof: { u: 'guest', p: 'of the house' } },
    'p beside Bearer of another': { headers: bearer(secrets.child), proof: { u: 'member', p: secrets.member } },
    'p beside session and cookie': {
      headers: { ...session, ...ownPage, 'x-custom-cookie': own }, proof: { u: 'partner', p: secrets.partner }
    },
    'p beside the token': { headers: bearer(accessToken), proof: { u: 'member', p: secrets.member } }
  }

  let guests = 0
  const keys = people.map((name) => [name, String(/keyst=([^;]+)/.exec(cookieOf(demo, name))?.[1])] as const)
  const whose = (): string => {
    const sent = JSON.stringify(demo.received)
    return [
      ...keys.flatMap(([name, of]) => sent.includes(of) ? [name] : []),
      ...demo.received.length === 0 ? ['nothing asked'] : []
    ].join(' and ') || 'nobody'
  }
  async function cell (path: string, { headers = {}, query = {} }: Place, more: Names = {}): Promise<string> {
    demo.received.length = 0
    const asked = `${path}${path.includes('?') ? '&' : '?'}${queryOf({ ...query, ...more })}`
    const { status, body, text } = await server.get(asked, { headers: { accept: '*/*', ...headers } })
    const line = JSON.parse(server.log.filter((each) => !each.includes('/radio/')).at(-1)
      ?? '{}') as { readonly cookie_source: string, readonly failed?: string }
    const player = /^\{"subsonic-response":.*?"code":(\d+)/.exec(text)?.[1]
    if (path === '/login/session' && status === 200) {
      const { account, operator } =
        body as { readonly account: { readonly name: string } | null, readonly operator: boolean }
      return `${account?.name ?? 'no account'}${operator ? ', operator' : ''}`
    }
    const failed = player !== undefined ? `failed ${player}`
      : status === 403 ? line.failed : line.failed === 'NOT_PLAYABLE' || status < 400 ? undefined : status
    if (failed !== undefined) t.same(demo.received, [], `${path} is refused before anything is asked`)
    return `${failed ?? whose()}/${line.cookie_source}`
  }

  /** Whose login plays a station. The answer begins with its first song, and has no end. */
  async function station ({ headers = {}, query = {} }: Place): Promise<string> {
    demo.received.length = 0
    const { statusCode, body } = await request(`${server.address}/radio/199.mp3?${queryOf(query)}`, { headers })
    body.on('error', () => {}).destroy()
    return statusCode === 200 ? whose() : `${statusCode}`
  }

  const { body: [{ url: link }] } = await server.get(
    `/meting?type=song&id=${song(2)}`, { headers: { origin: 'http://127.0.0.1', ...bearer(accessToken) } }
  ) as { body: readonly [{ readonly url: string }] }
  const wrong = (): Names => ({ u: `guest ${++guests}`, p: 'wrong' })
  const columns: Readonly<Record<string, (place: Place) => Promise<string>>> = {
    'own list': async (place) => await cell('/user/getUserLikedSongs?limit=2', place),
    'M3U': async (place) => await cell('/user/getUserLikedSongs?limit=2&format=m3u', place),
    'catalogue': async (place) => await cell(`/getMusicPlay?songmid=${song(2)}`, place),
    'stream': async (place) => await cell(`/stream/${song(2)}`, place),
    'widget': async (place) => await cell(`/meting?type=song&id=${song(2)}`, place),
    'widget link': async (place) => await cell(link.replace(server.address, ''), place),
    'radio': station,
    'player': async (place) => await cell('/rest/getStarred2', place, { f: 'json', ...place.proof ?? wrong() }),
    'audio': async (place) =>
      await cell('/rest/stream', place, { f: 'json', id: `so-${song(2)}`, ...place.proof ?? wrong() }),
    'page': async (place) => await cell('/login/session', place)
  }
  return { places, columns }
}

const expected = `
                                   | own list            | catalogue       | widget          | widget link     | radio    | player            | page
nothing                            | child/global        | child/global    | child/global    | nobody/none     | child    | failed 40/global  | no account
Bearer                             | member/account      | member/account  | member/account  | member/account  | member   | failed 40/account | member
Basic                              | member/account      | member/account  | member/account  | nobody/none     | member   | failed 40/account | member
Basic, as the user                 | member/account      | member/account  | member/account  | nobody/none     | member   | failed 40/account | member
Bearer, a key                      | member/account      | member/account  | member/account  | member/account  | member   | failed 40/account | member
Bearer, a limited key              | KEY_LIMITED/account | member/account  | member/account  | member/account  | member   | failed 40/account | no account
Bearer, wrong                      | 401/none            | 401/none        | 401/none        | 401/none        | 401      | failed 40/none    | 401/none
Bearer, the token                  | child/global        | child/global    | child/global    | nobody/none     | child    | failed 40/global  | no account
Bearer of something else           | child/global        | child/global    | child/global    | nobody/none     | child    | failed 40/global  | no account
Bearer beside ?cookie              | ordinary/query      | ordinary/query  | ordinary/query  | ordinary/query  | ordinary | failed 40/query   | no account
Bearer beside X-Custom-Cookie      | ordinary/header     | ordinary/header | ordinary/header | ordinary/header | ordinary | failed 40/header  | no account
Bearer beside Cookie               | ordinary/cookie     | ordinary/cookie | ordinary/cookie | nobody/none     | ordinary | failed 40/cookie  | no account
limited key beside X-Custom-Cookie | KEY_LIMITED/header  | ordinary/header | ordinary/header | ordinary/header | ordinary | failed 40/header  | no account
Bearer beside a cookie too long    | 400/none            | 400/none        | 400/none        | 400/none        | 400      | failed 0/none     | 400/none
session                            | member/account      | member/account  | child/global    | nobody/none     | child    | failed 40/global  | member
session beside the token           | member/account      | member/account  | child/global    | nobody/none     | child    | failed 40/global  | member
session beside another secret      | child/account       | child/account   | child/account   | child/account   | child    | failed 40/account | child
session beside X-Custom-Cookie     | ordinary/header     | ordinary/header | ordinary/header | ordinary/header | ordinary | failed 40/header  | no account
session beside a proxy's password  | member/account      | member/account  | child/global    | nobody/none     | child    | failed 40/global  | member
session of the operator            | child/global        | child/global    | child/global    | nobody/none     | child    | failed 40/global  | no account, operator
the operator's beside a proxy's    | child/global        | child/global    | child/global    | nobody/none     | child    | failed 40/global  | no account, operator
another page: Bearer               | member/account      | member/account  | member/account  | member/account  | member   | failed 40/account | CROSS_SITE/none
another page: Basic                | CROSS_SITE/none     | nobody/none     | nobody/none     | nobody/none     | nobody   | failed 40/none    | CROSS_SITE/none
another page: session              | CROSS_SITE/none     | nobody/none     | nobody/none     | nobody/none     | nobody   | failed 40/none    | CROSS_SITE/none
p                                  | -                   | -               | -               | -               | -        | member/account    | -
t and s                            | -                   | -               | -               | -               | -        | member/account    | -
apiKey                             | -                   | -               | -               | -               | -        | member/account    | -
apiKey, limited                    | -                   | -               | -               | -               | -        | failed 50/account | -
p, of the house                    | -                   | -               | -               | -               | -        | partner/global    | -
p beside Bearer of another         | -                   | -               | -               | -               | -        | member/account    | -
p beside session and cookie        | -                   | -               | -               | -               | -        | partner/account   | -
p beside the token                 | -                   | -               | -               | -               | -        | member/account    | -
`

/** With an access token, these are different. */
const expectedWithToken = `
nothing                            | 401/none            | 401/none        | nobody/global   | nobody/none     | 401      | failed 40/global  | 401/none
Bearer, the token                  | child/global        | child/global    | child/global    | nobody/none     | child    | failed 40/global  | no account, operator
Bearer of something else           | 401/none            | 401/none        | 401/none        | 401/none        | 401      | failed 40/none    | 401/none
session                            | member/account      | member/account  | nobody/global   | nobody/none     | 401      | failed 40/global  | member
session beside the token           | member/account      | member/account  | child/global    | nobody/none     | child    | failed 40/global  | member, operator
session beside X-Custom-Cookie     | ordinary/header     | ordinary/header | ordinary/header | ordinary/header | 401      | failed 40/header  | no account
session beside a proxy's password  | 401/none            | 401/none        | 401/none        | 401/none        | 401      | failed 40/none    | 401/none
session of the operator            | 401/none            | 401/none        | nobody/global   | nobody/none     | 401      | failed 40/global  | 401/none
the operator's beside a proxy's    | 401/none            | 401/none        | 401/none        | 401/none        | 401      | failed 40/none    | 401/none
another page: session              | 401/none            | 401/none        | nobody/none     | nobody/none     | 401      | failed 40/none    | 401/none
`

/** Rows of a table by their names. */
const rowsOf = (table: string): Record<string, string[]> => Object.fromEntries(table.trim().split('\n').map((line) => {
  const [place = '', ...cells] = line.split('|').map((cell) => cell.trim())
  return [place, cells]
}))

const [names = [], ...rows] = Object.values(rowsOf(expected))

for (const token of ['', accessToken]) {
  t.test(token === '' ? 'without an access token' : 'with an access token', async (t) => {
    const { places, columns } = await scene(t, token)
    const table = { ...rowsOf(expected), ...token === '' ? {} : rowsOf(expectedWithToken) }
    t.same(Object.keys(places), Object.keys(rowsOf(expected)).slice(1))
    t.equal(rows.length, Object.keys(places).length)
    // With a token, what is the same as without is tried in part.
    const some = [
      ...token === '' ? Object.keys(places) : Object.keys(rowsOf(expectedWithToken)),
      ...sampleOf(Object.keys(places), 3)
    ]
    for (const [place, given] of Object.entries(places).filter(([place]) => some.includes(place))) {
      const cells: string[] = []
      // What a player sends in its query is nothing to other interfaces.
      for (const name of names) {
        cells.push(given.proof === undefined || name === 'player' ? await columns[name]?.(given) ?? '' : '-')
      }
      t.same(cells, table[place], place)
      const [list, catalogue, , , , player] = cells
      if (given.proof === undefined) t.same([
        await columns['M3U']?.(given), await columns['stream']?.(given)
      ], [list, catalogue], `${place}: as M3U, and as audio`)
      t.equal(await columns['audio']?.(given), place === 'apiKey, limited' ? 'member/account' : player, `${place}: the audio of a player`)
    }
  })
}
