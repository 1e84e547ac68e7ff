/** Requests with the secret of a stored account: whose answers they get, from which cache, and what the secret never opens. */
import t, { type Test } from 'tap'
import { cookieOf, endpoints, memberUin, serverFor, until, type Server } from '../support/helper.ts'
import { household, people, type Household } from '../support/household.ts'
import { bearer } from '../support/loginPages.ts'
import { seeded, shuffled, twoKeepers } from '../support/sixtyDays.ts'
import { sampleOf, whole } from '../support/whole.ts'

type Options = NonNullable<Parameters<typeof serverFor>[2]>

/** A household and a relay with its accounts. */
async function home (t: Test, options: Options = {}): Promise<Household & { server: Server }> {
  const all = await household(t)
  return { ...all, server: await serverFor(t, all.demo, { accounts: all.accounts, ...options } as Options) }
}

const encoded = (pair: string): string => Buffer.from(pair).toString('base64')
const basic = (secret: string): { headers: Record<string, string> } =>
  ({ headers: { authorization: `Basic ${encoded(`anybody:${secret}`)}` } })
const liked = '/user/getUserLikedSongs?limit=5'
const song = '/getLyric/00DemoSong0001'
const refused = { status: 401, body: { code: 'TOKEN_REQUIRED' } }
const textOf = ({ text }: { text: string }): string => text

t.test('a secret is its account, as Bearer and as the password of Basic', async (t) => {
  const { demo, secrets, server } = await home(t, { cache: true })
  const seen = new Set<string>()
  for (const name of people) {
    const own = await server.get(liked, { headers: { 'x-custom-cookie': cookieOf(demo, name) } })
    t.equal(own.status, 200)
    for (const ask of [bearer, basic]) {
      const answer = await server.get(liked, ask(secrets[name]))
      t.same([answer.status, textOf(answer)], [200, textOf(own)], name)
      const chart = await server.get('/getRanks?topId=4', ask(secrets[name]))
      t.match([answer.headers.get('cache-control'), chart.headers.get('vary'), chart.headers.get('cache-control')], [
        /no-store/, /authorization/, /^private/
      ])
    }
    seen.add(textOf(own))
  }
  t.equal(seen.size, people.length, 'their answers differ')
  t.equal((await server.get(liked)).status, 401, 'nobody in particular has no account')
  const shown = await server.get('/user/getCookie', bearer(secrets.member))
  t.equal(shown.status, 200)
  t.notOk(shown.text.includes(String(/keyst=([^;]+)/.exec(cookieOf(demo, 'member'))?.[1])), 'the cookie stays here')
  const kept = [...server.log, ...server.cacheKeys()].join('\n')
  for (const secret of Object.values(secrets)) t.notOk(kept.includes(secret))
})

t.test('only a personal answer says that a stored login works, only a refused login that it ended, and a cookie of the request says nothing about either', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  await accounts.save('default', { loginUin: '1152921504600000203', cookie: cookieOf(demo, 'member') })
  const dead = await accounts.save('dead', { loginUin: '1000000303', cookie: cookieOf(demo, 'expired') }) ?? ''
  const said: string[] = []
  const server = await serverFor(t, demo, { accounts: {
    ...accounts,
    answered (name: string) { said.push(`${name} works`) },
    async replaced (...of: Parameters<typeof accounts.replaced>) {
      said.push(`${of[0]} ended`)
      return await accounts.replaced(...of)
    }
  } } as Options)
  const own = (name: 'member' | 'expired'): ReturnType<typeof bearer> =>
    ({ headers: { 'x-custom-cookie': cookieOf(demo, name) } })
  const asked = async (path: string, as: ReturnType<typeof bearer>): Promise<unknown[]> => {
    const { status, body } = await server.get(path, as)
    return [status === 200 ? 200 : body.code, ...said.splice(0)]
  }
  for (const [path, as, ...expected] of [
    [liked, bearer(secrets.member), 200, 'member works'], ['/account', bearer(secrets.member), 200, 'member works'],
    [song, bearer(secrets.member), 200], ['/getSongInfo?songmid=unknownmid', bearer(secrets.member), 'NOT_FOUND'],
    ['/account', bearer(dead), 200, 'dead ended'], [liked, bearer(dead), 'COOKIE_REJECTED', 'dead ended'],
    // the login of the relay does not stand in
    [liked, own('member'), 200], ['/account', own('expired'), 'COOKIE_REJECTED'], [liked, own('expired'), 'COOKIE_REJECTED']
  ] as const) t.same(await asked(path, as), expected, `${path} ${JSON.stringify(as).slice(0, 60)}`)
})

t.test('an unknown secret is refused, and one that was replaced or removed', async (t) => {
  const { accounts, secrets, server } = await home(t)
  const isRefused = async (secret: string): Promise<void> => {
    for (const ask of [bearer, basic]) t.match(await server.get(song, ask(secret)), refused)
  }
  await isRefused(`mr_${'x'.repeat(43)}`)
  const fresh = await accounts.newSecret('member')
  await isRefused(secrets.member)
  t.equal((await server.get(liked, bearer(fresh))).status, 200)
  await accounts.remove('member')
  await isRefused(fresh)
  t.equal((await server.get('/health/live', bearer(fresh))).status, 200)
})

t.test('a secret in a wrong form is refused with the right one, and never acts as the global login', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const global = { useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'child') }
  const key = await accounts.addKey('member', 'radio', {})
  for (const accessToken of ['', 'operator-token']) {
    const server = await serverFor(t, demo, { accounts, ...global, accessToken } as Options)
    for (const secret of [secrets.member, key]) {
      const forms = [
        secret, `Token ${secret}`, `Bearer: ${secret}`, `Bearer "${secret}"`, `Bearer\t${secret}`, `Bearer=${secret}`,
        `Bearer <${secret}>`, `Bearer Bearer ${secret}`, `Bearer ${secret.toUpperCase()}`,
        `Digest username="${secret}"`, `Basic ${secret}`, `Basic any:${secret}`, `Basic ${encoded(`${secret}:x`)}`,
        `Basic: ${encoded(`any:${secret}`)}`, encoded(`any:${secret}`), `Basic ${encoded(`any: ${secret}`)}`
      ]
      const asks = forms.flatMap((authorization) => [liked, song, '/health/upstream']
        .map((path) => [authorization, path] as const))
      for (const [authorization, path] of sampleOf(asks, 4, accessToken.length)) {
        t.match(await server.get(path, { headers: { authorization } }), { status: 401, body: {
          code: 'TOKEN_REQUIRED', error: /Authorization: Bearer <secret>, or as the password of Basic/
        } }, authorization)
      }
      t.equal(
        (await server.get(liked, { headers: { authorization: `Basic ${encoded(`${secret}:`)}` } })).text,
        (await server.get(liked, bearer(secret))).text, 'as the user name without a password'
      )
      for (const line of server.log) t.notMatch(line.toLowerCase(), secret.slice(3).toLowerCase())
    }
  }
  const server = await serverFor(t, demo, { accounts, ...global } as Options)
  for (const authorization of [
    `Basic ${encoded('mr_smith:of a proxy')}`, 'Bearer eyJhbGciOiJub25lIn0.e30.mr_x', 'Token formr_', 'Bearer'
  ]) t.equal((await server.get(liked, { headers: { authorization } })).status, 200, authorization)
})

t.test('with an access token, a secret opens the relay too; the token is nobody\'s account; a page of another site brings a secret that it knows, not one that the browser sends by itself', async (t) => {
  const { secrets, server } = await home(t, { accessToken: 'operator-token' })
  t.equal((await server.get(song)).status, 401)
  for (const path of [song, liked]) t.equal((await server.get(path, bearer(secrets.child))).status, 200)
  t.match(await server.get(liked, bearer('operator-token')), { status: 401, body: { code: 'LOGIN_REQUIRED' } })
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await server.get(liked, { headers: { ...bearer(secrets.member).headers, ...foreign } })).status, 200)
  t.match(await server.get(liked, { headers: { ...basic(secrets.member).headers, ...foreign } }), {
    status: 403, body: { code: 'CROSS_SITE', error: /Basic.*secret as Bearer/ }
  })
})

t.test('each account has its own rate limit, whatever address asks', async (t) => {
  const { secrets, server } = await home(t, { host: '0.0.0.0', trustProxy: ['127.0.0.1'], rateLimit: 2 })
  const ask = async (address: string, secret?: string): Promise<number> => (await server.get(
    '/getImageUrl?id=00DemoAlbu0001',
    { headers: { 'x-forwarded-for': address, ...(secret === undefined ? {} : bearer(secret).headers) } }
  )).status
  t.same([
    await ask('203.0.113.1', secrets.member), await ask('203.0.113.2', secrets.member),
    await ask('203.0.113.3', secrets.member)
  ], [200, 200, 429])
  t.same([
    await ask('203.0.113.1', secrets.child), await ask('203.0.113.1'), await ask('203.0.113.1'),
    await ask('203.0.113.1')
  ], [200, 200, 200, 429])
})

t.test('a key may do what its account may, within its limits, until it is revoked', async (t) => {
  // On loopback, where addresses are not counted, too.
  const { demo, accounts, secrets, server } = await home(t, { accessToken: 'operator-token' })
  const keys = {
    full: await accounts.addKey('member', 'full', {}),
    reading: await accounts.addKey('member', 'reading', { readOnly: true }),
    playing: await accounts.addKey('member', 'playing', { noLoginEndpoints: true }),
    slow: await accounts.addKey('member', 'slow', { perMinute: 12 })
  }
  const answer = async (path: string, key: string, more: Record<string, string> = {}): Promise<string> => {
    const { status, body } = await server.get(path, { headers: { ...bearer(key).headers, ...more } })
    return status === 200 ? '200' : `${status} ${body.code}`
  }
  const whose = async (key: string): Promise<string> => textOf(await server.get(liked, bearer(key)))
  t.same(
    [await whose(keys.full), await whose(keys.reading)], [await whose(secrets.member), await whose(secrets.member)]
  )
  const limited = '403 KEY_LIMITED'
  for (const [path, ...expected] of [
    [song, '200', '200', '200'], [liked, '200', '200', limited], ['/getAltLoginQr', '200', limited, limited],
    ['/user/getMainLoginQr', '200', limited, limited]
  ] as const) {
    for (const [at, key] of (['full', 'reading', 'playing'] as const).entries()) {
      t.equal(await answer(path, keys[key]), expected[at], `${key} ${path}`)
    }
  }
  t.match(await server.post('/checkMainLoginQr', { qrsig: 'x', ptqrtoken: '1' }, bearer(keys.reading)), {
    status: 403, body: { code: 'KEY_LIMITED' }
  })
  t.equal(await answer(liked, keys.playing, { 'x-custom-cookie': cookieOf(demo, 'member') }), limited, 'with a cookie of its own it is the same key')
  const lists = `/user/getUserPlaylists?uin=${memberUin}`
  const { body: { data: { playlists } } } = await server.get(lists, bearer(keys.full))
  const { dissid } = playlists.find(({ dirid }: { dirid: number }) => dirid === 201)
  const folder = `/getSongListDetail/${dissid}`
  t.same(
    [await answer(folder, keys.full), await answer(folder, keys.playing), await answer(folder, 'operator-token')],
    ['200', '404 NOT_FOUND', '404 NOT_FOUND'], 'the liked songs as a playlist are for those who may read them'
  )
  t.same(
    (await server.get(lists, bearer(keys.playing))).body, (await server.get(lists, bearer('operator-token'))).body,
    'of the lists, such a key sees what anybody sees'
  )
  t.equal(
    await answer(folder, keys.playing, { 'x-custom-cookie': cookieOf(demo, 'member') }), '404 NOT_FOUND',
    'also with a cookie of its own'
  )
  const slow: string[] = []
  for (let times = 0; times < 13; times++) slow.push(await answer(song, keys.slow))
  t.same(slow, [...Array(12).fill('200'), '429 RATE_LIMITED'])
  t.equal(await answer(song, keys.full), '200', 'only this key is slow')
  t.ok(await accounts.revokeKey('member', 'full'))
  t.equal(await answer(song, keys.full), '401 TOKEN_REQUIRED')
  t.equal(await answer(liked, secrets.member), '200', 'the account goes on')
  await accounts.remove('member')
  t.equal(await answer(song, keys.reading), '401 TOKEN_REQUIRED')
  for (const line of server.log) for (const key of Object.values(keys)) t.notOk(line.includes(key))
})

t.test('a key without login endpoints: the provider hears of its account where the answer is the same for all, and to play', async (t) => {
  const { demo, accounts, server } = await home(t)
  const key = await accounts.addKey('member', 'guest', { noLoginEndpoints: true })
  const musicKey = accounts.credentialOf('member')?.key ?? 'no key'
  const told: string[] = []
  for (const [name, { method, path, example, login }] of Object.entries(endpoints)) {
    const before = demo.received.length
    const { status } = await (method === 'POST' ? server.post(path, example, bearer(key))
      : server.get(`${path}?${new URLSearchParams(example as Record<string, string>)}`, bearer(key)))
    const isAsked = JSON.stringify(demo.received.slice(before)).includes(musicKey)
    if (login === 'required') t.same([status, isAsked], [403, false], name)
    else if (login === 'optional' && isAsked) told.push(name)
  }
  t.same(told.sort(), ['downloadProviderMusic', 'getMusicPlay', 'getMvPlay', 'stream'])
})

t.test('a request that meets the renewal of its key is asked once more with the new one, in this relay and in another', async (t) => {
  const { demo, way, renewing, behind, secret } = await twoKeepers(t)
  const [one, two] = [
    await serverFor(t, demo, { accounts: renewing } as Options),
    await serverFor(t, demo, { accounts: behind } as Options)
  ]
  const own = textOf(await one.get(liked, { headers: { 'x-custom-cookie': cookieOf(demo, 'partner') } }))
  /** What was asked so far, without renewals, which both relays begin by themselves. */
  const asked = (): number =>
    demo.received.flatMap((each) => each.calls).filter((call) => !/LoginServer\//.test(call)).length
  const asks = async (server: Server): Promise<[number, boolean, number]> => {
    const before = asked()
    const answer = await server.get(liked, bearer(secret))
    return [answer.status, textOf(answer) === own, asked() - before]
  }
  const [, , calls] = await asks(two)

  t.equal(await renewing.renewNow('partner'), 'renewed')
  const [status, isOwn, more] = await asks(two)
  t.same([status, isOwn], [200, true], 'a relay that has not looked since')
  t.ok(more > calls && more <= 2 * calls, `${more} calls`)
  t.same(await asks(two), [200, true, calls])

  // The upstream has renewed, and its answer is on its way.
  let arrives: (() => void) | undefined
  way.watch = async (moment) => moment === 'request' ? 'pass'
    : await new Promise((resolve) => { arrives = () => { resolve('pass') } })
  const renewal = renewing.renewNow('partner')
  await until(() => arrives !== undefined)
  const earlier = asked()
  const pending = one.get(liked, bearer(secret))
  await until(() => asked() > earlier)
  arrives?.()
  const answer = await pending
  t.same([answer.status, textOf(answer) === own], [200, true], 'a request under way')
  t.equal(await renewal, 'renewed')
  way.watch = undefined

  demo.keys.revoke('partner')
  const dead = await asks(two)
  t.equal(dead[1], false, 'without another key it is asked no more')
  t.ok(dead[2] <= 2 * calls)
  t.equal(await behind.renewNow('partner'), 'refused')
  // The key before the last one is tried, too, if this relay has heard of the last one just now: each is refused for
  // itself.
  for (let times = 0; times < 2; times++) t.ok((await asks(two))[2] <= 2 * calls)
  const before = asked()
  t.match(await two.get(liked, bearer(secret)), { body: { code: 'COOKIE_REJECTED' } })
  t.ok(asked() - before <= calls, `${asked() - before} calls`)
})

t.test('in any mix, everybody gets their own answers, from memory and from the upstream', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server: Server = await serverFor(t, demo, {
    accounts, cache: true, useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'child'), deadlineMs: 60_000,
    tuning: { upstreamQueueMs: 60_000, headersTimeoutMs: 60_000 }
  } as Options)
  const ways: Record<string, Record<string, string>> = { global: {} }
  for (const name of people) Object.assign(ways, {
    [`secret of ${name}`]: bearer(secrets[name]).headers,
    [`cookie of ${name}`]: { 'x-custom-cookie': cookieOf(demo, name) }
  })
  const paths = [liked, '/user/getUserPlaylists?uin=1000000505', '/getDailyRecommend', '/getPersonalRecommend', '/getRanks?topId=4', '/user/getUserAvatar?uin=1000000505&size=140']
  const expected = new Map<string, string>()
  const lone = await serverFor(t, demo, { deadlineMs: 60_000 })
  for (const path of paths) for (const name of people) expected.set(
    `${name} ${path}`, textOf(await lone.get(path, { headers: { 'x-custom-cookie': cookieOf(demo, name) } }))
  )
  for (const [asked, text] of expected) t.notMatch(text, /"code":"[A-Z_]+"/, asked)
  const asks = Object.keys(ways).flatMap((way) => paths.map((path) => [way, path] as const))
  for (let round = 0; round < (whole ? 4 : 2); round++) {
    const mixed = shuffled(asks, seeded(round))
    const answers =
      await Promise.all(mixed.map(async ([way, path]) => textOf(await server.get(path, { headers: ways[way] ?? {} }))))
    const wrong = mixed.flatMap(([way, path], at) => answers[at] === expected.get(
      `${way === 'global' ? 'child' : way.split(' ').at(-1)} ${path}`
    ) ? [] : [`${way}, ${path}: ${answers[at]?.slice(0, 200)}`])
    t.same(wrong, [], `round ${round}`)
  }
})
