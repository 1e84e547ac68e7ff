/** Logins and their renewal at the demo upstream, as other clients go through them. Facts and dates: src/demo/WIRE.md. */
import t from 'tap'
import { hash33 } from '../src/demo/accounts.ts'
import type { DemoUpstream } from '../src/demo/upstream.ts'
import { demoFor } from './helper.ts'
import { ask, gateway } from './demoClient.ts'

t.test('a renewal gives a new key to both kinds of login, and the old key dies', async (t) => {
  const demo = await demoFor(t)
  const renew = 'music.login.LoginServer/Login'
  const alive = async (uin: string, authst: string): Promise<boolean> => (await gateway(demo, 'music.UserInfo.userInfoServer/GetLoginUserInfo', {}, { uin, authst })).code === 0
  /** The record of a login, as a code is exchanged for it. */
  async function login (channel: 'main' | 'alt'): Promise<any> {
    const id = demo.login.open(channel)
    demo.login.confirm(id)
    const param = channel === 'main' ? { code: await mainCode(demo, id) } : { strAppid: 'wx48db31d50e334801', code: await altCode(demo, id) }
    return (await gateway(demo, channel === 'main' ? 'QQConnectLogin.LoginServer/QQLogin' : renew, param, {})).data
  }
  const web = { ct: 24, cv: 0, tmeAppID: 'qqmusic' }
  for (const [channel, tmeLoginType, comm] of [['main', 2, web], ['alt', 1, web], ['main', '2', { ct: 11, cv: 14090008, tmeAppID: 'qqmusic' }]] as const) {
    const record = await login(channel)
    const { openid, access_token, refresh_token, unionid, musickey, str_musicid: uin, expired_at } = record
    const param = channel === 'main'
      ? { openid, access_token, refresh_token, expired_in: expired_at, musicid: Number(uin), musickey, refresh_key: '', loginMode: 2 }
      : { openid, refresh_token, str_musicid: uin, musickey, unionid, refresh_key: '', loginMode: 2 }
    const asked = async (change: object = {}, type: unknown = tmeLoginType): Promise<any> => await gateway(demo, renew, { ...param, ...change }, { ...comm, tmeLoginType: type })

    for (const wrong of [{ openid: 5 }, { musickey: 5 }, { refresh_key: null }, channel === 'main' ? { musicid: uin } : { str_musicid: 1 }, channel === 'main' ? { expired_in: '1' } : { unionid: 7 }]) {
      t.same(await asked(wrong), { code: 10006 }, JSON.stringify(wrong))
    }
    t.same((await asked({ openid: 'nobody' })).code, 1000)
    t.same((await asked({ refresh_token: 'dead' })).code, 104400)
    t.same((await asked({ refresh_key: 'dead' })).code, 104401)
    t.same((await asked({}, 0)).code, 20261)
    t.same((await asked({}, tmeLoginType === 1 ? 2 : 1)).code, 1000, 'a login of the other kind')
    t.ok(await alive(uin, musickey), 'a refusal leaves the key alone')

    const { code, data: renewed } = await asked()
    t.match({ code, renewed }, { code: 0, renewed: { str_musicid: uin, openid, keyExpiresIn: 259200, loginType: Number(tmeLoginType), refresh_token: '', access_token: '', unionid: '' } })
    t.not(renewed.musickey, musickey)
    t.same([await alive(uin, musickey), await alive(uin, renewed.musickey)], [false, true])
    t.same(Object.keys(renewed), Object.keys(record), 'the same fields as a login')
    const again = await asked({ musickey: renewed.musickey, refresh_key: renewed.refresh_key })
    t.equal(again.code, 0)
    t.equal((await asked({ refresh_key: renewed.refresh_key })).code, 104401, 'a refresh key of the key before')
    t.equal((await login(channel)).musickey, again.data.musickey, 'a later login gets the newest key')
  }
})

t.test('an expired key is renewed like any other', async (t) => {
  const demo = await demoFor(t)
  const id = demo.login.open('main')
  demo.login.confirm(id, 'expired')
  const { data: { openid, access_token, refresh_token, musickey, expired_at } } = await gateway(demo, 'QQConnectLogin.LoginServer/QQLogin', { code: await mainCode(demo, id) }, {})
  const { code, data } = await gateway(demo, 'music.login.LoginServer/Login', { openid, access_token, refresh_token, expired_in: expired_at, musicid: 1000000303, musickey, refresh_key: '', loginMode: 2 }, { tmeLoginType: 2 })
  t.equal(code, 0)
  t.equal((await gateway(demo, 'music.srfDissInfo.DissInfo/CgiGetDiss', { disstid: 0, dirid: 201 }, { uin: '1000000303', authst: musickey })).code, 1000)
  t.equal((await gateway(demo, 'music.UserInfo.userInfoServer/GetLoginUserInfo', {}, { uin: '1000000303', authst: data.musickey })).code, 0)
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

/** Goes the way of the main login to its code: poll, check_sig, authorize. */
async function mainCode (demo: DemoUpstream, qrsig: string, signOn = 'p_skey', kind: 'urlencoded' | 'multipart' = 'urlencoded'): Promise<string> {
  const poll = await ask(demo, `/ptqrlogin?ptqrtoken=${hash33(qrsig, 0)}&aid=716027609`, { host: 'ssl.ptlogin2.qq.com', headers: { cookie: `qrsig=${qrsig}` } })
  const sign = new URL(/'(https:[^']+)'/.exec(poll.text)?.[1] ?? '')
  const { headers } = await ask(demo, `${sign.pathname}${sign.search}`, { host: sign.host })
  const lines = headers['set-cookie'] as string[]
  const proof = lines.map((line) => new RegExp(`^${signOn}=([^;]+)`).exec(line)?.[1]).find((value) => value !== undefined) ?? ''
  const fields = { response_type: 'code', client_id: '100497308', redirect_uri: 'https://y.qq.com/portal/wx_redirect.html?login_type=1&surl=https://y.qq.com/', state: 'state', switch: '', g_tk: String(hash33(proof)) }
  const boundary = '----demo'
  const multipart = `${Object.entries(fields).map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`
  const answer = await ask(demo, '/oauth2.0/authorize', {
    host: 'graph.qq.com',
    headers: { 'cookie': `${signOn}=${proof}`, 'content-type': kind === 'multipart' ? `multipart/form-data; boundary=${boundary}` : 'application/x-www-form-urlencoded' },
    body: kind === 'multipart' ? multipart : new URLSearchParams(fields).toString()
  })
  return new URL(String(answer.headers['location'])).searchParams.get('code') ?? ''
}

async function altCode (demo: DemoUpstream, uuid: string): Promise<string> {
  const { text } = await ask(demo, `/connect/l/qrconnect?uuid=${uuid}`, { host: 'lp.open.weixin.qq.com' })
  return /wx_code='([^']+)'/.exec(text)?.[1] ?? ''
}
