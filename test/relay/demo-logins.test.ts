/** Logins and their renewal at the demo upstream, as other clients go through them. Facts and dates: src/demo/WIRE.md. */
import t from 'tap'
import { demoFor } from '../support/helper.ts'
import { gateway, loginAs, mainCode } from '../support/demoClient.ts'

t.test('a renewal gives a new key to both kinds of login, and the old key dies', async (t) => {
  const demo = await demoFor(t)
  const renew = 'music.login.LoginServer/Login'
  const alive = async (uin: string, authst: string): Promise<boolean> => (await gateway(demo, 'music.UserInfo.userInfoServer/GetLoginUserInfo', {}, { uin, authst })).code === 0
  const web = { ct: 24, cv: 0, tmeAppID: 'qqmusic' }
  for (const [channel, tmeLoginType, comm] of [['main', 2, web], ['alt', 1, web], ['main', '2', { ct: 11, cv: 14090008, tmeAppID: 'qqmusic' }]] as const) {
    const record = await loginAs(demo, channel)
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
    t.equal((await loginAs(demo, channel)).musickey, again.data.musickey, 'a later login gets the newest key')
  }
})

t.test('an expired key is renewed like any other', async (t) => {
  const demo = await demoFor(t)
  const { openid, access_token, refresh_token, musickey, expired_at } = await loginAs(demo, 'main', 'expired')
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
