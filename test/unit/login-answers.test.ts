/** Login rules that need no connection: what the upstream's answers mean, and what each request must contain. */
import t from 'tap'
import { resolveIdentity } from '../../src/relay/identity.ts'
import {
  refusalReason, sessionOf, altStateOf, authorisationCodeOf, callArguments, loginOf, mainStateOf, qrPictureOf,
  qrsigOf, redirectOf, signCookiesOf, signValuesOf, uuidOf
} from '../../src/upstream/login/loginAnswers.ts'
import type { Credential } from '../../src/upstream/wire/credentials.ts'
import type { LoginAnswer } from '../../src/upstream/login/loginClient.ts'
import {
  altExchangeCall, altExchangeHosts, altPollCall, mainAuthoriseCall, mainExchangeCall, mainPollCall, mainQrCall,
  mainSignCall
} from '../../src/upstream/login/loginRequests.ts'
import { noopObserver } from '../../src/upstream/read/observer.ts'

const answer = (body: string | Buffer, more: Partial<LoginAnswer> = {}): LoginAnswer =>
  ({
    call: 'login', status: 200, contentType: undefined, location: undefined, cookies: new Map(),
    bytes: Buffer.from(body), ...more
  })
const withCookies = (cookies: Record<string, string>, body = ''): LoginAnswer =>
  answer(body, { cookies: new Map(Object.entries(cookies)) })

t.test('a picture is told by its first bytes', async (t) => {
  for (const [bytes, type] of [['89504e470d', 'image/png'], ['ffd8ffe000', 'image/jpeg'], ['4749463839', 'image/gif']] as const) {
    const picture = Buffer.from(bytes, 'hex')
    t.equal(qrPictureOf(answer(picture)), `data:${type};base64,${picture.toString('base64')}`)
    t.equal(qrPictureOf(answer(picture, { status: 403 })), undefined)
    for (let at = 0; at < (type === 'image/jpeg' ? 3 : 4); at++) {
      t.equal(qrPictureOf(answer(Buffer.from(picture).fill(0, at, at + 1))), undefined, `${type}, another byte ${at}`)
    }
  }
  t.equal(qrPictureOf(answer('')), undefined)
})

t.test('the signature of a code is taken when it fits into a cookie', async (t) => {
  t.equal(qrsigOf(withCookies({ qrsig: 'aZ0*_-' })), 'aZ0*_-')
  for (const bad of [{ qrsig: 'a b' }, { qrsig: 'a'.repeat(257) }, { other: 'a' }] as Record<string, string>[]) {
    t.equal(qrsigOf(withCookies(bad)), undefined)
  }
})

t.test('the state of a main code is the first argument of its call, and nothing else', async (t) => {
  t.same(callArguments(String.raw`ptuiCB('a\'b\\','\x26\x4A','','(', ')')`), ['a\'b\\', '&J', '', '(', ')'])
  t.same(callArguments(" \n ptuiCB ( '1' , '2' );'3'"), ['1', '2'])
  t.same(callArguments("ptuiCB('1' '2')"), ['1'])
  for (const none of ["xptuiCB('0')", "ptuiCB('0", 'ptuiCB(0)', '', "'0'"]) t.same(callArguments(none), [], none)
  t.equal(callArguments(`ptuiCB(${"'x',".repeat(40)}'x')`).length, 16)
  const state = (text: string, more?: Partial<LoginAnswer>) => mainStateOf(answer(text, more))
  t.same(state("ptuiCB('0','0','https://x/','0','y', 'nick')"), { code: '0', address: 'https://x/' })
  t.same(state("ptuiCB('66')"), { code: '66', address: '' })
  for (const bad of ["ptuiCB('x','0','')", "ptuiCB('')", "ptuiCB('1234567')", '<html>', '']) t.equal(state(bad), undefined, bad)
  t.strictSame([
    state("ptuiCB('66')", { status: 403 }), mainStateOf(answer(Buffer.from([0xff, 0xff])))
  ], [undefined, undefined], 'in no charset')
  for (const contentType of [undefined, 'text/html; charset=utf-8', 'text/html; charset=gbk']) {
    const cut = Buffer.concat([
      Buffer.from("ptuiCB('0','0','https://x/','0','y', '"), Buffer.from('🎧').subarray(0, 3), Buffer.from("')")
    ])
    t.same(mainStateOf(answer(cut, { contentType })), { code: '0', address: 'https://x/' }, 'a nickname that ends in the middle of a character')
  }
})

t.test('of an address only two values are taken, and only when it is exactly that of the sign host', async (t) => {
  const host = 'ssl.ptlogin2.graph.qq.com'
  const good = `https://${host}/check_sig?pttype=1&uin=123&ptsigx=ab_*-9`
  t.same(signValuesOf(good), { uin: '123', ptsigx: 'ab_*-9' })
  t.same(signValuesOf(good.replaceAll('&', '&amp;')), { uin: '123', ptsigx: 'ab_*-9' })
  for (const bad of [
    good.replace('https', 'http'), good.replace(host, `${host}:444`), good.replace(host, `user@${host}`),
    good.replace(host, `:pass@${host}`), good.replace(host, `x.${host}`), good.replace('check_sig', 'other'),
    good.replace('123', '12x'), good.replace('123', ''), good.replace('123', '1'.repeat(21)),
    good.replace('ab_*-9', ''), good.replace('ab_*-9', 'a b'), good.replace('uin=', 'x='),
    good.replace('ptsigx=', 'x='),
    `${good}\\`, `${good} `, `${good}&x=${'x'.repeat(4096)}`, `/check_sig?uin=123&ptsigx=ab`, 'nonsense', ''
  ]) t.equal(signValuesOf(bad), undefined, bad.slice(0, 100))
})

t.test('of the cookies of a sign-on five are passed on, and without the one that counts none', async (t) => {
  t.same(signCookiesOf(withCookies({ pt_oauth_token: 'o', skey: 's', p_skey: 'k', p_uin: 'u', superkey: 'x' })), {
    header: 'p_uin=u; p_skey=k; pt_oauth_token=o', p_skey: 'k'
  })
  t.equal(signCookiesOf(withCookies({ p_uin: 'u', skey: 's' })), undefined)
})

t.test('a redirect is a status with an address, and its code counts only on the music site', async (t) => {
  const redirect = (status: number, location?: string) => redirectOf(answer('', { status, location }))
  t.same([300, 302, 399].map((status) => redirect(status, 'x')), ['x', 'x', 'x'])
  t.same([
    redirect(200, 'x'), redirect(299, 'x'), redirect(400, 'x'), redirect(302, ''), redirect(302)
  ], Array(5).fill(undefined))
  const good = 'https://y.qq.com/portal/wx_redirect.html?login_type=1&code=aF0_-&state=state'
  t.equal(authorisationCodeOf(good), 'aF0_-')
  for (const bad of [
    good.replace('https', 'http'), good.replace('y.qq.com', 'y.qq.com:444'), good.replace('y.qq.com', 'u@y.qq.com'),
    good.replace('y.qq.com', ':p@y.qq.com'), good.replace('y.qq.com', 'evil.example'),
    good.replace('y.qq.com', 'y.qq.com\\@evil.example'), good.replace('y.qq.com', 'y.qq.com\t'),
    good.replace('state=state', 'state=other'), good.replace('&state=state', ''), good.replace('aF0_-', ''),
    good.replace('aF0_-', 'a%20b'), good.replace('code=', 'x='), '/portal/?code=a&state=state', ''
  ]) t.equal(authorisationCodeOf(bad), undefined, bad)
})

t.test('the id of an alternative code is found in three places, its state at the beginning of a script', async (t) => {
  for (const page of ['<img src="/connect/qrcode/id-1=">', '<script>x="https://x/?uuid=id-1="', '{"uuid" : "id-1="}', '/connect/qrcode/id-1=" uuid=other" "uuid":"third"']) t.equal(uuidOf(answer(page)), 'id-1=', page)
  for (const page of ['', '/connect/qrcode/id-1', '/connect/qrcode/a b"', `uuid=${'a'.repeat(129)}"`]) t.equal(uuidOf(answer(page)), undefined, page)
  t.equal(uuidOf(answer('"uuid":"a"', { status: 404 })), undefined)
  const state = (text: string, more?: Partial<LoginAnswer>) => altStateOf(answer(text, more))
  t.same(state("window.wx_errcode=405;window.wx_code='aF_-';"), { errcode: 405, code: 'aF_-' })
  t.same(state(' \nwindow.wx_errcode = 405 ; window.wx_code = "aF_-" '), { errcode: 405, code: 'aF_-' })
  for (const text of [
    "window.wx_errcode=408;window.wx_code='';", 'window.wx_errcode=408', "window.wx_errcode=408;window.wx_code='a b';",
    "window.wx_errcode=408;x;window.wx_code='a';"
  ]) t.same(state(text), { errcode: 408, code: '' }, text)
  for (const text of ['', 'x;window.wx_errcode=405', 'window.wx_errcode=x']) t.equal(state(text), undefined, text)
  t.equal(state('window.wx_errcode=405', { status: 500 }), undefined)
})

t.test('a login is key and account of the record, else of the answer\'s cookies; without both it is a refusal', async (t) => {
  const outcome = (data: unknown, cookies: Record<string, string> = {}, code: unknown = 0, type: 1 | 2 = 2) => {
    const { renewal: _, ...rest } =
      loginOf(withCookies(cookies, JSON.stringify({ code: 0, req: { code, data } })), type, noopObserver) ?? {}
    return rest
  }
  const others = { qqmusic_key: 'c1', qm_keyst: 'c2', qqmusic_uin: 'o5', uin: '6', wxuin: '7', euin: 'ce' }
  t.same(outcome({ musickey: 'k', str_musicid: '1152921504600000203', musicid: 3, encryptUin: 'e' }, others, 0, 1), {
    login: { uin: '1152921504600000203', key: 'k', loginType: 1, euin: 'e' }
  })
  t.same(outcome({ musickey: 'k', musicid: 3 }), { login: { uin: '3', key: 'k', loginType: 2, euin: undefined } })
  t.same(outcome({}, others), { login: { uin: '5', key: 'c1', loginType: 2, euin: 'ce' } })
  t.same(
    outcome(undefined, { qm_keyst: 'c2', uin: '6' }), { login: { uin: '6', key: 'c2', loginType: 2, euin: undefined } }
  )
  t.same(outcome({ musickey: 'k', encryptUin: 'a b' }, { wxuin: '7' }), {
    login: { uin: '7', key: 'k', loginType: 2, euin: undefined }
  }, 'an id that no cookie may hold is left out')
  for (const [data, cookies] of [
    [{ musickey: 'k' }, {}], [{ musicid: 3 }, { p_skey: 'never' }], [{ musickey: 'a;b', musicid: 3 }, {}],
    [{ musickey: 'k', str_musicid: '0' }, {}]
  ] as const) t.same(outcome(data, cookies), { refused: 0 }, JSON.stringify(data))
  t.same(outcome({ musickey: 'k', musicid: 3 }, {}, 1000), { refused: 1000 })
  t.same(outcome({ musickey: 'k', musicid: 3 }, {}, 1), { refused: 1 })
  for (const text of ['<html>', 'null', '{}', '']) t.equal(loginOf(answer(text), 2, noopObserver), undefined, text)
  t.same(loginOf(answer('{"code":20450}'), 2, noopObserver), { refused: 20450 }, 'a refusal may stand outside')
  t.equal(loginOf(withCookies(others, '{"code":0}'), 2, noopObserver), undefined, 'a yes may not')
  const cut =
    Buffer.concat([Buffer.from('{"code":0,"req":{"code":0,"data":{"musickey":"k","musicid":3,"nick":"'), Buffer.from('🎧').subarray(0, 3), Buffer.from('"}}}')])
  t.match(
    loginOf(answer(cut, { contentType: 'application/json; charset=utf-8' }), 2, noopObserver),
    { login: { uin: '3', key: 'k' } }, 'a nickname that ends in the middle of a character'
  )
  t.same(outcome({ musickey: 'k'.repeat(2049), musicid: 3 }), { refused: 0 }, 'a key that no cookie could bring back')
  t.match(
    outcome({ musickey: 'k', musicid: 3, encryptUin: 'e'.repeat(2049) }), { login: { key: 'k', euin: undefined } },
    'an id as long is left out'
  )
  const longest = sessionOf(
    (outcome({ musickey: 'k'.repeat(2048), musicid: 3, encryptUin: 'e'.repeat(2048) }) as { login: Credential }).login
  )
  t.equal(
    resolveIdentity({ query: longest.cookie }, { fallbackMode: true, useGlobalCookie: false }).credential?.key.length,
    2048, 'the longest can'
  )
  t.equal(loginOf(answer('{"code":0,"req":{"code":0,"data":{"musickey":"k","musicid":3}}}', { status: 500 }), 2, noopObserver), undefined)
})

t.test('what a renewal will need is taken from the record, as far as it is usable', async (t) => {
  const renewalIn = (data: object, type: 1 | 2 = 2) =>
    loginOf(answer(`{"code":0,"req":{"code":0,"data":${JSON.stringify(data).replaceAll(/"#(\d+)"/g, '$1')}}}`), type, noopObserver)?.renewal
  const record = {
    openid: 'OPEN', unionid: 'UNION', access_token: 'ACCESS', refresh_token: 'REFRESH', refresh_key: 'RKEY',
    expired_at: 1793484000, musicid: '#1152921504600000203', musickey: 'W_X_k', musickeyCreateTime: 1788300000,
    keyExpiresIn: 259200, nick: 'n', phoneNo: '1', userip: '192.0.2.1', sessionKey: 's', token: 't'
  }
  t.same(renewalIn(record, 1), {
    loginType: 1, musicId: '1152921504600000203', musicKey: 'W_X_k', keyCreatedAt: 1788300000, keyExpiresIn: 259200,
    openId: 'OPEN', unionId: 'UNION', accessToken: 'ACCESS',
    accessTokenExpiresAt: 1793484000, refreshToken: 'REFRESH', refreshKey: 'RKEY'
  }, 'and nothing else')
  t.same(renewalIn({
    musickey: 'k', str_musicid: '7', musicid: 3, refresh_key: '', expired_at: 0, openid: 'a b', unionid: 5,
    access_token: 'x'.repeat(4097), keyExpiresIn: -1
  }), { loginType: 2, musicId: '7', musicKey: 'k' })
  t.equal(renewalIn({ refresh_token: 'r' }), undefined, 'without a login there is nothing to renew')
})

t.test('each refusal that is known is said in words, each other by its number', async (t) => {
  for (const [code, words] of [
    [1000, /^code 1000: .*already used$/], [104400, /already used/], [104401, /already used/], [20261, /parameters/],
    [20271, /verification code/], [20272, /binding of/], [20274, /lacks a binding/],
    [20277, /restricted/], [20278, /restricted/], [20279, /devices/], [20450, /banned/], [104604, /frequent/],
    [0, /^it gave no usable key$/], [7, /^code 7$/]
  ] as const) t.match(refusalReason(code), words, String(code))
  const login = { uin: '7', key: 'k', loginType: 1, euin: 'e' } as const
  t.same(sessionOf(login), {
    loginUin: 'o7', uin: 'o7', cookie: 'uin=o7; provider_key=k; provider_keyst=k; euin=e; providerLoginType=1', cookieList: ['uin=o7', 'provider_key=k', 'provider_keyst=k', 'euin=e', 'providerLoginType=1'],
    cookieObject: { uin: 'o7', provider_key: 'k', provider_keyst: 'k', euin: 'e', providerLoginType: '1' }
  })
  t.same(sessionOf({ ...login, euin: undefined }).cookieList, ['uin=o7', 'provider_key=k', 'provider_keyst=k', 'providerLoginType=1'])
})

t.test('each question of a login says what the upstream wants to hear', async (t) => {
  const query = (path: string): Record<string, string> => Object.fromEntries(new URL(path, 'https://x').searchParams)
  t.match(mainPollCall('abc', 5), {
    name: 'login.main.poll', request: { host: 'mainQr', method: 'GET', headers: { cookie: 'qrsig=abc' } }
  })
  t.match(query(mainPollCall('abc', 5).request.path), { ptqrtoken: '108966', action: '0-0-5' })
  t.equal(mainQrCall().headersOnly, undefined)
  t.match(mainSignCall({ uin: '1', ptsigx: 'p' }), { headersOnly: true, request: { host: 'mainSign' } })
  const cookies = { header: 'p_skey=abc', p_skey: 'abc' }
  const authorise = mainAuthoriseCall(cookies, 5)
  t.match(authorise, {
    headersOnly: true, request: { host: 'mainAuthorise', method: 'POST', headers: { cookie: 'p_skey=abc' } }
  })
  t.match(Object.fromEntries(new URLSearchParams(authorise.request.body)), {
    g_tk: '193485963', auth_time: '5', state: 'state'
  })
  t.match(JSON.parse(mainExchangeCall('C', cookies).request.body ?? ''), {
    comm: { ct: 24, cv: 0, platform: 'yqq', g_tk: 193485963, tmeLoginType: 2 },
    req: { method: 'QQLogin', param: { code: 'C' } }
  })
  for (const host of altExchangeHosts) {
    const { request } = altExchangeCall('C', host)
    t.match(request, { host, headers: { cookie: 'login_type=2' } })
    t.same(JSON.parse(request.body ?? ''), {
      comm: { ct: 24, cv: 0, platform: 'yqq', tmeAppID: 'qqmusic', tmeLoginType: '1', g_tk: 5381 },
      req: { module: 'music.login.LoginServer', method: 'Login', param: { code: 'C', strAppid: 'wx48db31d50e334801' } }
    })
  }
  t.same([query(altPollCall('u', false, 5).request.path), query(altPollCall('u', true, 5).request.path)], [
    { uuid: 'u', _: '5' }, { uuid: 'u', last: '404', _: '5' }
  ])
})
