/** Logins at the demo upstream, the life of a music key, and its renewal in every form that other clients send. Facts and dates: src/demo/WIRE.md. */
import t from 'tap'
import type { DemoAccount, DemoUpstream, Fault } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor } from '../support/helper.ts'
import { ask, classic, gateway, loginAs, mainCode } from '../support/demoClient.ts'

const [day, second] = [86_400_000, 1000]
const start = 1_800_000_000_000
const login = 'music.login.LoginServer/Login'
const siteLogin = 'QQConnectLogin.LoginServer/QQLogin'
const channels = { ordinary: 'main', member: 'alt', expired: 'main', partner: 'main', child: 'alt' } as const
type Name = DemoAccount['name']

const demoOf = async (t: Parameters<typeof demoFor>[0], moods: string[] = []): Promise<DemoUpstream> =>
  await demoFor(t, { now: () => start, moods })
const recordFor = async (demo: DemoUpstream, name: Name): Promise<any> => await loginAs(demo, channels[name], name)

const web = { ct: 24, cv: 0, tmeAppID: 'qqmusic' }
const phone = ({ musickey: authst, str_musicid: qq }: any): object =>
  ({ ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic', qq, authst })

/** The answer to a renewal of this login record, in the form for its kind. `type`: the kind that is sent. */
async function renew (
  demo: DemoUpstream, record: any, change: object = {}, comm: object = web, type: unknown = record.loginType
): Promise<any> {
  const {
    openid, access_token, refresh_token, unionid, musickey, str_musicid, refresh_key, expired_at: expired_in, loginType
  } = record
  const own = loginType === 2 ? { access_token, expired_in, musicid: Number(str_musicid) }
    : { str_musicid, unionid, strAppid: 'wx48db31d50e334801' }
  const param: any = { openid, refresh_token, musickey, refresh_key, loginMode: 2, ...own, ...change }
  return await gateway(demo, login, param, { uin: str_musicid, authst: param.musickey, ...comm, tmeLoginType: type })
}

/** The answer to a renewal as the site does it: QQLogin with the cookie of the key. */
async function renewAtSite (
  demo: DemoUpstream, record: any, change: object = {},
  cookie = `uin=${record.str_musicid}; qm_keyst=${record.musickey}`
): Promise<any> {
  const {
    openid, access_token, refresh_token, unionid, musickey, str_musicid, expired_at, encryptUin, musickeyCreateTime
  } = record
  const param = {
    onlyNeedAccessToken: 0, forceRefreshToken: 0, psrf_qqopenid: openid, refresh_token, access_token, expired_at,
    musicid: Number(str_musicid), musickey, musickeyCreateTime, unionid, str_musicid, encryptUin
  }
  return await gateway(demo, siteLogin, { ...param, ...change }, {}, { cookie })
}

/** What a client keeps: the new record, with the old values of fields that came back empty. */
const merged = (record: any, renewed: any): any =>
  ({ ...record, ...Object.fromEntries(Object.entries(renewed).filter(([, value]) => value !== '' && value !== 0)) })

/** What the upstream says to a key: to the gateway, and to a classic path by its cookie. */
async function answers (demo: DemoUpstream, { str_musicid: uin, musickey: key }: any): Promise<number[]> {
  const { code } = await gateway(demo, 'music.UserInfo.userInfoServer/GetLoginUserInfo', {}, { uin, authst: key })
  const { body } = await classic(demo, '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg', { format: 'json', userid: uin }, {
    host: 'c6.y.qq.com', headers: { referer: 'https://y.qq.com/', cookie: `uin=${uin}; qqmusic_key=${key}` }
  })
  return [code, body.code]
}
const [alive, dead] = [[0, 0], [1000, 1000]]

t.test('a key lives three days of the demo\'s clock; then a login gives a new one', async (t) => {
  const demo = await demoOf(t)
  t.equal(demo.keys.of('expired').valid, false)
  for (const name of ['ordinary', 'member', 'partner', 'child'] as const) {
    const [, first = ''] = /qm_keyst=([^;]+)/.exec(cookieOf(demo, name)) ?? []
    const record = await recordFor(demo, name)
    const [isMain, seconds] = [channels[name] === 'main', demo.clock.now() / 1000]
    t.match(record, {
      musickey: first, musickeyCreateTime: seconds, keyExpiresIn: 259200, refresh_key: '', loginType: isMain ? 2 : 1,
      encryptUin: /\*\*$/
    }, name)
    t.equal(record.expired_at, seconds + (isMain ? 60 * 86400 : 7200))
    const { created } = demo.keys.of(name)
    demo.clock.move(created + 3 * day - second - demo.clock.now())
    t.same(await answers(demo, record), alive, name)
    t.match(demo.keys.of(name), { key: first, created, expires: created + 3 * day, valid: true, renewals: 0 })
    demo.clock.move(second)
    t.same([await answers(demo, record), demo.keys.of(name).valid, demo.keys.valid(first)], [dead, false, false], name)

    const next = await recordFor(demo, name)
    t.not(next.musickey, first)
    t.same([
      await answers(demo, next), demo.keys.valid(next.musickey), next.musickeyCreateTime
    ], [alive, true, demo.clock.now() / 1000], name)
    demo.clock.move(-3 * day)
  }
})

t.test('a renewal gives a new key to both kinds of login, in each form; what is wrong in it is refused, and leaves the key alone', async (t) => {
  const demo = await demoFor(t)
  for (const [name, comm, type] of [['ordinary', web, 2], ['member', web, 1], ['ordinary', phone, '2']] as const) {
    const record = await recordFor(demo, name)
    const asked = async (from: any, change = {}, kind: unknown = type): Promise<any> =>
      await renew(demo, from, change, typeof comm === 'function' ? comm(from) : comm, kind)
    const own = type === 1 ? [{ str_musicid: 1 }, { unionid: 7 }]
      : [{ musicid: record.str_musicid }, { expired_in: '1' }]
    for (const wrong of [{ openid: 5 }, { musickey: 5 }, { refresh_key: null }, ...own]) {
      t.same(await asked(record, wrong), { code: 10006 }, JSON.stringify(wrong))
    }
    for (const [code, change, kind] of [
      [1000, { openid: 'nobody' }], [104400, { refresh_token: 'dead' }], [104401, { refresh_key: 'dead' }],
      [20261, {}, 0], [1000, {}, type === 1 ? 2 : 1]
    ] as const) {
      t.equal((await asked(record, change, kind)).code, code, `${name} ${JSON.stringify(change)} ${kind}`)
    }
    t.same(await answers(demo, record), alive)

    const { code, data } = await asked(record)
    t.match({ code, data }, { code: 0, data: {
      str_musicid: record.str_musicid, openid: record.openid, keyExpiresIn: 259200, loginType: Number(type),
      refresh_token: '', access_token: '', unionid: ''
    } })
    t.same([await answers(demo, record), await answers(demo, data)], [dead, alive])
    t.same(Object.keys(data), Object.keys(record), 'the same fields as a login')
    const again = await asked(merged(record, data))
    t.equal(again.code, 0)
    t.equal((await asked(record, { refresh_key: data.refresh_key })).code, 104401, 'a refresh key of the key before')
    t.equal((await recordFor(demo, name)).musickey, again.data.musickey, 'a later login gets the newest key')
  }
})

t.test('the sign-on cookie has the name that was chosen, and the form may be of either kind', async (t) => {
  const demo = await demoFor(t)
  for (const name of ['p-skey', 'pskey', 'ptsigx', 'p_skey'] as const) {
    demo.login.nameSignOn(name)
    for (const kind of ['urlencoded', 'multipart'] as const) {
      const id = demo.login.open('main')
      demo.login.confirm(id)
      t.match(await mainCode(demo, id, name, kind), /^[0-9A-F]{32}$/, `${name} ${kind}`)
    }
  }
})

t.test('an expired key is renewed like any other, for sixty days from the login; then only a login helps', async (t) => {
  const demo = await demoOf(t)
  for (const name of ['partner', 'child', 'expired'] as const) {
    let record = await recordFor(demo, name)
    for (let days = 0; days < 60; days += 4) {
      const { code, data } = await renew(demo, record)
      t.same([
        code, await answers(demo, record), await answers(demo, data)
      ], [0, dead, alive], `${name} on day ${days}: the old key dies at once`)
      record = merged(record, data)
      demo.clock.move(4 * day)
      t.same(await answers(demo, record), dead)
    }
    t.equal(demo.keys.of(name).renewals, 15)
    t.same(await renew(demo, record), { code: 104400, data: {} })
    t.equal((await renew(demo, await recordFor(demo, name))).code, 0)
    demo.clock.move(-60 * day)
  }
})

t.test('only the key that counts can be renewed, with its refresh key; none is needed right after a login', async (t) => {
  const demo = await demoOf(t)
  for (const name of ['ordinary', 'member'] as const) {
    const record = await recordFor(demo, name)
    const first = merged(record, (await renew(demo, record)).data)
    t.equal((await renew(demo, record)).code, 104401, 'the key before')
    for (const change of [{ refresh_key: '' }, { musickey: record.musickey }, { musickey: 'unknown' }]) {
      t.equal((await renew(demo, first, change)).code, 104401, JSON.stringify(change))
    }
    t.same(await answers(demo, first), alive, 'a refusal leaves the key alone')
    const { code, data } = await renew(demo, first)
    t.equal(code, 0)
    t.match(await recordFor(demo, name), { musickey: data.musickey, refresh_key: '' })
    t.equal((await renew(demo, merged(first, data))).code, 0, 'who has renewed keeps the refresh key')
    t.equal((await renew(demo, await recordFor(demo, name))).code, 0, 'who has logged in needs none')
  }
})

t.test('the site\'s renewal needs a main login, its valid key and its cookie, and keeps the refresh key', async (t) => {
  const demo = await demoOf(t)
  const login = await recordFor(demo, 'partner')
  const record = merged(login, (await renew(demo, login)).data)
  for (const wrong of [{ musicid: record.str_musicid }, { musickey: 5 }, { refresh_token: 5 }, { expired_at: '1' }]) {
    t.same(await renewAtSite(demo, record, wrong), { code: 10006 }, JSON.stringify(wrong))
  }
  for (const [code, change, cookie] of [
    [1000, {}, ''], [1000, {}, cookieOf(demo, 'ordinary')], [1000, { musickey: login.musickey }],
    [104400, { refresh_token: 'dead' }]
  ] as const) {
    t.equal((await renewAtSite(demo, record, change, cookie)).code, code, JSON.stringify([change, cookie]))
  }
  t.equal((await renewAtSite(demo, await recordFor(demo, 'child'))).code, 10006, 'a number that no client can write')

  const { code, data } = await renewAtSite(demo, record)
  t.match({ code, data }, { code: 0, data: {
    openid: '', expired_at: 0, refresh_key: '', refresh_token: record.refresh_token, access_token: record.access_token,
    keyExpiresIn: 259200
  } })
  t.same([await answers(demo, record), await answers(demo, data)], [dead, alive])
  t.equal((await renewAtSite(demo, record)).code, 1000, 'the key before')
  const next = merged(record, data)
  t.same([next.openid, next.refresh_key], [record.openid, record.refresh_key])
  const renewed = await renew(demo, next)
  t.equal(renewed.code, 0)
  const last = merged(next, renewed.data)
  demo.clock.move(3 * day)
  t.equal((await renewAtSite(demo, last)).code, 1000, 'an expired key')
  t.equal((await renew(demo, last)).code, 0)
})

t.test('a lost answer: the old key is dead, nobody has the new one, and it happens once', async (t) => {
  const demo = await demoOf(t)
  for (const name of ['ordinary', 'member'] as const) {
    const record = await recordFor(demo, name)
    demo.moods.on('renewal-lost')
    t.equal((await answers(demo, record))[0], 0, 'nothing else is lost')
    await t.rejects(renew(demo, record), { code: 'ECONNRESET' })
    t.notOk(demo.moods.list().some(({ on }) => on))
    t.same(
      [await answers(demo, record), demo.keys.valid(record.musickey), demo.keys.of(name).renewals], [dead, false, 1]
    )
    t.ok(demo.keys.of(name).valid, 'a key that nobody has')
    t.same(await renew(demo, record), { code: 104401, data: {} }, 'the login has ended')
    t.same(await answers(demo, await recordFor(demo, name)), alive)
  }
})

t.test('an upstream that forgives renews the key of before for an hour, however many answers are lost', async (t) => {
  const demo = await demoOf(t, ['renewal-forgiving'])
  const record = await recordFor(demo, 'child')
  const loses: Fault = { lost: true }
  demo.next(login, loses, 2)
  for (let times = 0; times < 2; times += 1) await t.rejects(renew(demo, record), { code: 'ECONNRESET' })
  t.same(await answers(demo, record), dead, 'it is good for a renewal only')
  demo.clock.move(3600 * second - 1)
  const { code, data } = await renew(demo, record)
  t.same([code, await answers(demo, data), demo.keys.of('child').renewals], [0, alive, 3])
  demo.clock.move(1)
  t.equal((await renew(demo, record)).code, 104401, 'the hour counts from the first renewal')

  const next = merged(record, data)
  await renew(demo, next)
  demo.moods.off('renewal-forgiving')
  t.equal((await renew(demo, next)).code, 104401)
})

t.test('a mood refuses every renewal and no login', async (t) => {
  const outcomes = { 'renewal-refused': 104401, 'renewal-mistyped': 10006, 'renewal-busy': 104604 } as const
  const demo = await demoOf(t)
  const [record, other] = [await recordFor(demo, 'ordinary'), await recordFor(demo, 'member')]
  const codes = async (): Promise<number[]> =>
    [(await renew(demo, record)).code, (await renew(demo, other)).code, (await renewAtSite(demo, record)).code]
  for (const [mood, code] of Object.entries(outcomes)) {
    demo.moods.on(mood)
    t.same(await codes(), [code, code, code], mood)
    t.same(await recordFor(demo, 'ordinary'), record)
    t.same(await recordFor(demo, 'member'), other)
    demo.moods.off(mood)
  }
  demo.moods.on('renewal-500')
  for (const call of [login, siteLogin]) {
    const [module, method] = call.split('/')
    const { status, text } = await ask(demo, '/cgi-bin/musicu.fcg', {
      body: JSON.stringify({ req: { module, method, param: { musickey: record.musickey, loginMode: 2 } } })
    })
    t.same([status, text], [500, ''])
  }
  t.same(await recordFor(demo, 'ordinary'), record)
  demo.moods.off('renewal-500')
  t.same([
    await answers(demo, record), await answers(demo, other), (await renew(demo, record)).code
  ], [alive, alive, 0], 'and nothing was renewed')
})

t.test('the upstream may accept one form only', async (t) => {
  const demo = await demoOf(t)
  let record = await recordFor(demo, 'partner')
  const attempt = async (form: string): Promise<number> => {
    const { code, data } = form === 'site' ? await renewAtSite(demo, record) : await renew(
      demo, record, {}, form === 'web' ? web : form === 'phone' ? phone(record) : { ...phone(record), v: undefined }
    )
    if (code === 0) record = merged(record, data)
    return code
  }
  const forms = ['web', 'phone', 'site', 'bare']
  const codes = async (): Promise<number[]> => {
    const seen: number[] = []
    for (const form of forms) seen.push(await attempt(form))
    return seen
  }
  t.same(await codes(), [0, 0, 0, 0], 'all of them on a good day')
  for (const [mood, want] of [
    ['web', [0, 104403, 104403, 104403]], ['phone', [104403, 0, 104403, 104403]], ['site', [104403, 104403, 0, 104403]]
  ] as const) {
    demo.moods.on(`renewal-${mood}-only`)
    t.same(await codes(), want, mood)
    demo.moods.off(`renewal-${mood}-only`)
  }
})

t.test('a test can kill a key, or all that a login gave', async (t) => {
  const demo = await demoOf(t)
  const record = await recordFor(demo, 'member')
  demo.keys.kill('member')
  t.same([await answers(demo, record), demo.keys.of('member').valid], [dead, false])
  const renewed = await renew(demo, record)
  t.equal(renewed.code, 0, 'a dead key can be renewed')
  demo.keys.revoke('member')
  t.same([await answers(demo, renewed.data), (await renew(demo, merged(record, renewed.data))).code], [dead, 104400])
  const fresh = await recordFor(demo, 'member')
  t.same([await answers(demo, fresh), (await renew(demo, fresh)).code], [alive, 0], 'a login helps')
  t.same(await answers(demo, await recordFor(demo, 'ordinary')), alive, 'the others are left alone')
})

t.test('keys that a mood has rotated come back, except where somebody has renewed since', async (t) => {
  const demo = await demoOf(t)
  const [ordinary, member] = [await recordFor(demo, 'ordinary'), await recordFor(demo, 'member')]
  demo.moods.on('key-rotated')
  t.equal((await renew(demo, ordinary)).code, 104401)
  const login = await recordFor(demo, 'member')
  const renewed = await renew(demo, login)
  t.equal(renewed.code, 0)
  demo.moods.off('key-rotated')
  t.same([
    await answers(demo, ordinary), await answers(demo, member), await answers(demo, renewed.data)
  ], [alive, dead, alive])
})

t.test('a scan can be any account of the household, and each has its own profile, lists and songs', async (t) => {
  const demo = await demoOf(t)
  const { host } = new URL(demo.origin)
  const seen = new Map<string, Set<string>>()
  for (const name of ['ordinary', 'member', 'partner', 'child'] as const) {
    const id = demo.login.open('alt')
    const page = await ask(demo, `/scan/alt/${id}`, { host })
    t.match(page.text, new RegExp(`<button name="account" value="${name}">Log in as ${name}</button>`))
    const chinese = await ask(demo, `/scan/alt/${id}`, { host, headers: { 'accept-language': 'fr,zh-CN;q=0.9,en;q=0.8' } })
    t.match(chinese.text, `>用 ${name} 登录</button>`)
    t.match((await ask(demo, `/scan/alt/${id}`, { host, body: `account=${name}` })).text, 'Confirmed')
    const { text } = await ask(demo, `/connect/l/qrconnect?uuid=${id}`, { host: 'lp.open.weixin.qq.com' })
    const { data } =
      await gateway(demo, login, { strAppid: 'wx48db31d50e334801', code: /wx_code='([^']+)'/.exec(text)?.[1] }, {})
    const comm = { uin: data.str_musicid, authst: data.musickey }
    const own = async (call: string, param: object): Promise<any> => (await gateway(demo, call, param, comm)).data
    const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'
    const { info, isVip } = await own('music.UserInfo.userInfoServer/GetLoginUserInfo', {})
    t.match(page.text, info.nick)
    t.equal(isVip, name === 'member' || name === 'partner' ? 1 : 0, name)
    const [liked, daily] =
      [await own(diss, { disstid: 0, dirid: 201, song_num: 5 }), await own(diss, { disstid: 0, dirid: 202 })]
    t.equal(daily.songlist.length, 30)
    const lists = await own('music.musicasset.PlaylistBaseRead/GetPlaylistByUin', { uin: data.str_musicid })
    const facts = {
      nick: info.nick, logo: info.logo, euin: data.encryptUin, openid: data.openid, likedId: liked.dirinfo.id,
      liked: liked.total_song_num, songs: liked.songlist.map(({ mid }: any) => mid), lists: lists.total,
      firstList: lists.v_playlist[3].tid, daily: daily.dirinfo.id, creator: daily.dirinfo.creator.nick
    }
    for (const [fact, value] of Object.entries(facts)) {
      seen.set(fact, new Set([...seen.get(fact) ?? [], JSON.stringify(value)]))
    }
  }
  for (const [fact, values] of seen) t.equal(values.size, 4, `${fact} is different: ${[...values].join(' ')}`)
})

t.test('any call can lose its answer', async (t) => {
  const demo = await demoOf(t)
  const lost: Fault = { lost: true }
  demo.next('/splcloud/fcgi-bin/gethotkey.fcg', lost)
  await t.rejects(classic(demo, '/splcloud/fcgi-bin/gethotkey.fcg', { format: 'json' }), { code: 'ECONNRESET' })
  t.equal((await classic(demo, '/splcloud/fcgi-bin/gethotkey.fcg', { format: 'json' })).status, 200)
  const uuid = demo.login.open('alt')
  demo.login.confirm(uuid)
  const poll = { host: 'lp.open.weixin.qq.com' }
  demo.next('/connect/l/qrconnect', lost)
  await t.rejects(ask(demo, `/connect/l/qrconnect?uuid=${uuid}`, poll), { code: 'ECONNRESET' })
  t.match((await ask(demo, `/connect/l/qrconnect?uuid=${uuid}`, poll)).text, 'wx_errcode=402', 'the code was spent')
})
