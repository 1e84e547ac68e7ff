/**
 * /account: whether a login is alive, whose it is, its subscription and its end; for each way to bring a login, and for
 * nobody else.
 */
import t from 'tap'
import { commOf, cookieOf, paramOf, serverFor } from '../support/helper.ts'
import { household } from '../support/household.ts'
import { bearer } from '../support/loginPages.ts'
import { sharedStage } from '../support/stage.ts'
import { twoKeepers } from '../support/sixtyDays.ts'

const test = sharedStage('/account')

const who = 'music.UserInfo.userInfoServer/GetLoginUserInfo'
const vip = 'VipLogin.VipLoginInter/vip_login_base'
const member = {
  alive: true, account: '', uin: '1152921504600000203', nickname: '演示会员',
  vip: { member: true, luxury: true, level: 5, until: '2027-03-01' }, until: null
}
const noVip = { member: false, luxury: false, level: 0, until: '' }

test('the cookie of a request: alive or dead, whose, with which subscription, in one request', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  const state = async (name: Parameters<typeof cookieOf>[1]): Promise<any> => {
    const { headers, body } = await server.get('/account', { headers: { 'x-custom-cookie': cookieOf(demo, name) } })
    t.same([headers.get('cache-control'), headers.get('etag'), headers.get('x-cache')], ['no-store', null, null], 'nobody may store it')
    return body.data
  }
  t.match(await state('member'), member)
  t.same(demo.received.map(({ calls }) => calls), [[who, vip]])
  t.same([commOf(demo.received[0]).uin, paramOf(demo.received[0])], [member.uin, {}])
  t.match(
    await state('partner'), { nickname: 'Demo partner', vip: { member: true, luxury: true, until: '2027-06-30' } }
  )
  t.match(await state('ordinary'), { alive: true, uin: '1000000101', nickname: 'Demo ordinary 🎧', vip: noVip })
  t.match(await server.get('/account', { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } }), {
    status: 401, body: { code: 'COOKIE_REJECTED' }
  })
  t.match(await state('member'), member)
  t.same([demo.calls(who).length, server.cacheKeys()], [5, []], 'nothing is cached: each answer is asked for')
  t.match(await server.get('/account'), { status: 401, body: { code: 'LOGIN_REQUIRED' } })
})

test('the subscription is what the upstream says, in each spelling, and null when it says nothing', async ({ t, demo, relay }) => {
  const vipOf = async (data: object): Promise<unknown> => {
    demo.next(vip, { mutate: () => ({ code: 0, data }) })
    return (await relay.account({}, { cookie: cookieOf(demo, 'ordinary') })).vip
  }
  for (const [said, seen] of [
    [
      { identity: { vip: 1, HugeVip: 0, HugeVipEnd: '2024-01-01' } },
      { member: true, luxury: false, level: 0, until: '' }
    ],
    [
      { identity: { vip: 0, huge_vip: 1, huge_vip_end: '2028-02-29', level: 7 } },
      { member: true, luxury: true, level: 7, until: '2028-02-29' }
    ],
    [{ identity: { vip: 0 }, svip: 1 }, { member: true, luxury: true, level: 0, until: '' }],
    [
      { identity: { vip: 1, HugeVip: 1, HugeVipEnd: '0000-00-00 00:00:00' } },
      { member: true, luxury: true, level: 0, until: '' }
    ],
    [{}, null]
  ] as const) t.same(await vipOf(said), seen)
  for (const fault of [{ code: 500003 }, { code: 1000 }] as const) {
    demo.next(vip, fault)
    t.match(
      await relay.account({}, { cookie: cookieOf(demo, 'member') }), { ...member, vip: null }, 'and the login is alive'
    )
  }
})

test('what says nothing about the login is a failure, not a dead login', async ({ t, demo, relay }) => {
  for (const [fault, code] of [
    [{ code: 500003 }, 'UPSTREAM_REFUSED'], [{ code: 2001 }, 'UPSTREAM_REFUSED'],
    [{ status: 500 }, 'UPSTREAM_UNREACHABLE'], [{ body: '<html>' }, 'UPSTREAM_UNREADABLE']
  ] as const) {
    demo.next(who, fault, 5)
    await t.rejects(relay.account({}, { cookie: cookieOf(demo, 'member') }), { code }, JSON.stringify(fault))
    demo.reset()
  }
  for (const code of [1000, 104400, 104401]) {
    demo.next(who, { code })
    await t.rejects(relay.account({}, { cookie: cookieOf(demo, 'member') }), { code: 'COOKIE_REJECTED' }, String(code))
  }
})

t.test('the secret of a stored account: its name, and until when its key holds; not for a key without personal endpoints', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server = await serverFor(t, demo, { accounts } as Parameters<typeof serverFor>[2])
  const expiresAt = accounts.get('member')?.expiresAt
  t.match((await server.get('/account', bearer(secrets.member))).body.data, {
    ...member, account: 'member', until: expiresAt ?? null
  })
  const limited = await accounts.addKey('member', 'radio', { noLoginEndpoints: true })
  t.match(await server.get('/account', bearer(limited)), { status: 403, body: { code: 'KEY_LIMITED' } })
  t.match(
    (await server.get('/account', bearer(await accounts.addKey('member', 'lamp', { readOnly: true })))).body.data,
    { account: 'member' }
  )
})

t.test('a login of the relay says when it ends, and a request that meets its renewal is answered with the new key', async (t) => {
  const { demo, renewing, behind, secret } = await twoKeepers(t)
  const server = await serverFor(t, demo, { accounts: behind } as Parameters<typeof serverFor>[2])
  const state = async (): Promise<any> => {
    const { body } = await server.get('/account', bearer(secret))
    return body.data ?? body
  }
  const first = await state()
  t.match(first, { alive: true, account: 'partner' })
  t.ok(first.until > Date.now() / 1000)
  t.equal(await renewing.renewNow('partner'), 'renewed')
  t.match(await state(), { alive: true, account: 'partner' }, 'this relay has not looked since')
  demo.keys.revoke('partner')
  t.match(await state(), { alive: false, account: 'partner', nickname: '', vip: null })
})

test('the global login says that it is alive to everybody who may use it, and whose it is only if its cookie is shown', async ({ t, demo }) => {
  const global = { useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'member') }
  const hidden = await serverFor(t, demo, global)
  const { body, text } = await hidden.get('/account')
  t.match(body.data, { alive: true, uin: '', nickname: '', picture: '', vip: member.vip, until: null })
  t.notMatch(text, /1152921504600000203|演示/)
  t.match((await (await serverFor(t, demo, { ...global, exposeGlobalCookie: true })).get('/account')).body.data, member)
  t.match(
    await hidden.get('/account', { headers: { 'origin': 'https://evil.example', 'sec-fetch-site': 'cross-site' } }),
    { status: 403, body: { code: 'CROSS_SITE' } }
  )
})
