/** Cookie rules that need no connection: what a cookie contains, whose it is, and in which form it is sent. */
import t from 'tap'
import { parseCookie, type Pair } from '../../src/upstream/wire/pasted.ts'
import { authorize, resolveIdentity, shownCookies, type CookieOffers } from '../../src/relay/identity.ts'
import { lackInWords, plainCookie, withAccount, withKey } from '../../src/upstream/wire/cookies.ts'
import {
  accountDigits, cookieHeader, hash33, neutralNameOf, readCredential, tokenOf
} from '../../src/upstream/wire/credentials.ts'
import { createDevice, classicRequest, musicuRequest } from '../../src/upstream/wire/requests.ts'

const both = { fallbackMode: true, useGlobalCookie: true }
const resolve = (offers: CookieOffers, rules = both) => resolveIdentity(offers, rules)

t.test('a cookie text is pairs that split at their first =; what is no pair is left out', async (t) => {
  const login = [['uin', '1'], ['qm_keyst', 'k']]
  t.same(parseCookie(' a = b ;c=;c=d==;c=e;g=%41;uin=1;qm_keyst=k'), [['a', 'b'], ['c', 'd=='], ['c', 'e'], ['g', '%41'], ...login])
  t.same(parseCookie('yes; =x; =; z=; z= ; ;; f=g; uin=1; qm_keyst=k'), [['f', 'g'], ...login])
  t.same(parseCookie('__proto__=1; constructor=2; uin=1; qm_keyst=k'), [['__proto__', '1'], ['constructor', '2'], ...login], 'a name like any other')
  t.same(parseCookie(''), [])
})

t.test('the first cookie that is offered counts, by its known names and the first usable value of each', async (t) => {
  const [query, customHeader, cookieHeader, global] = ['uin=1; qm_keyst=q', 'uin=2; qm_keyst=h', 'uin=3; qm_keyst=c', 'uin=4; qm_keyst=g']
  const from = (offers: CookieOffers, rules?: typeof both) => {
    const { source, credential } = resolve(offers, rules)
    return [source, credential?.uin]
  }
  t.same(from({ query, customHeader, cookieHeader, global }), ['query', '1'])
  t.same(from({ query: ' ', customHeader, cookieHeader, global }), ['header', '2'])
  t.same(from({ query: [query], cookieHeader, global }), ['cookie', '3'], 'a parameter that is there twice is no text')
  t.same(from({ cookieHeader: 'euin=e; theme=dark', global }), ['global', '4'], 'a header without account and key is not ours')
  t.same(from({ global }), ['global', '4'])
  t.same(from({ query, global }, { ...both, fallbackMode: false }), ['global', '4'])
  t.same(from({ global }, { ...both, useGlobalCookie: false }), ['none', undefined])
  t.same(from({}), ['none', undefined])
  t.same(resolve({ query: 'uin=1; uin=2; other=3; qm_keyst=a b; euin=e' }).cookies, [['uin', '1'], ['euin', 'e']])
})

t.test('a cookie of 8192 characters is the longest, and a key that no header may hold is none', async (t) => {
  const long = (length: number): string => 'uin=1; qm_keyst='.padEnd(length, 'k')
  for (const place of ['query', 'customHeader', 'cookieHeader', 'global'] as const) {
    t.equal(resolve({ [place]: long(8192) }).credential?.uin, '1', place)
    if (place !== 'global') {
      t.throws(() => resolve({ [place]: long(8193) }), { code: 'INVALID_INPUT', message: /8192/ }, place)
    }
    t.match(
      resolve({ [place]: 'uin=1; qm_keyst=k\u0001' }), { source: /./, credential: undefined, lack: /no key/ }, place
    )
  }
  t.equal(resolve({ cookieHeader: 'uin=1; qm_keyst=k; theme=dünkel' }).credential?.uin, '1', 'what others keep in a browser is their business')
})

t.test('a cookie is shown in neutral names, each once, and the owner\'s without its values', async (t) => {
  const cookies: Pair[] = [['qqmusic_key', 'a'], ['provider_key', 'b'], ['uin', '1']]
  const shown = (source: 'query' | 'global', expose: boolean) =>
    shownCookies({ source, cookies, credential: undefined }, expose)
  t.same(shown('query', false), [['provider_key', 'a'], ['uin', '1']])
  t.same(shown('global', true), [['provider_key', 'a'], ['uin', '1']])
  t.same(shown('global', false), [['provider_key', '***'], ['uin', '***']])
  t.equal(neutralNameOf('constructor'), 'constructor')
})

t.test('whose cookie it is: key and account, and the channel by the key, else by the type', async (t) => {
  const read = (text: string) => readCredential(parseCookie(text))
  t.same(read('uin=o01; qqmusic_key=new; qm_keyst=old; euin=e'), { uin: '1', key: 'new', loginType: 2, euin: 'e' })
  t.same(read('uin=1; qm_keyst=old'), { uin: '1', key: 'old', loginType: 2, euin: undefined })
  for (const [rest, type] of [
    ['qm_keyst=W_X_k; tmeLoginType=2', 1], ['qm_keyst=Q_H_L_k; tmeLoginType=1', 2], ['qm_keyst=k; tmeLoginType=1; login_type=1', 1], ['qm_keyst=k; tmeLoginType=2; login_type=2', 2],
    ['qm_keyst=k; tmeLoginType=7; login_type=2', 1], ['qm_keyst=k; login_type=1', 2], ['qm_keyst=k', 2]
  ] as const) {
    const { uin, loginType } = read(`${rest}; wxuin=11; uin=22; qqmusic_uin=33; p_uin=44`) ?? {}
    t.same([loginType, uin], [type, type === 1 ? '11' : '22'], rest)
  }
  t.strictSame([read('qm_keyst=k; qqmusic_uin=33; p_uin=44')?.uin, read('qm_keyst=k; p_uin=o044')?.uin], ['33', '44'])
  t.equal(read('qm_keyst=W_X_k; p_uin=44'), undefined)
  t.match(read('wxuin=1; qm_keyst=k'), { uin: '1', loginType: 1 }, 'the only account decides')
  t.match(read('uin=0; qqmusic_uin=7; qm_keyst=W_X_a; qqmusic_key=Q_H_L_b'), { uin: '7', key: 'Q_H_L_b', loginType: 2 }, 'the first pair that fits')
  t.equal(readCredential([['qm_keyst', ''], ['qm_keyst', 'k'], ['uin', ''], ['uin', '5'], ['uin', '6'], ['skey', 's']])?.uin, '5')
  for (const none of ['uin=1', 'qm_keyst=k', 'uin=0; qm_keyst=k', 'uin=x; qm_keyst=k', 'wxuin=1; qm_keyst=Q_H_L_k', '']) t.equal(read(none), undefined, none)
})

t.test('an account is its digits, up to twenty', async (t) => {
  t.same(['123', 'o0123', 'O123', '9'.repeat(20)].map(accountDigits), ['123', '123', '123', '9'.repeat(20)])
  for (const bad of ['', 'o', 'o000', 'abc', '1'.repeat(21), '-5', '1e5', 'oo1', '1 ']) {
    t.equal(accountDigits(bad), undefined, bad)
  }
})

t.test('a cookie leaves in one form, and its key makes the token of each call', async (t) => {
  const credential = { uin: '7', key: 'abc', loginType: 1, euin: 'e' } as const
  t.equal(cookieHeader(credential), 'uin=7; qqmusic_uin=7; qm_keyst=abc; qqmusic_key=abc; tmeLoginType=1; euin=e; wxuin=7')
  t.equal(cookieHeader({ ...credential, loginType: 2, euin: undefined }), 'uin=7; qqmusic_uin=7; qm_keyst=abc; qqmusic_key=abc; tmeLoginType=2')
  t.same([hash33('abc', 0), hash33('abc', 5381), hash33('', 5381), hash33('@aBcDeFgHi', 0)], [
    108966, 193485963, 5381, 2037649997
  ])
  t.same([tokenOf(undefined), tokenOf(credential)], [5381, 193485963])
})

t.test('each program\'s calls are framed in its own way, with and without an account', async (t) => {
  const credential = { uin: '7', key: 'abc', loginType: 2, euin: undefined } as const
  const device = createDevice()
  const framed = (
    comm: 'web' | 'desktop' | 'mobile' | 'plaza' | 'feed' | undefined, who: typeof credential | undefined
  ): any => {
    const ask = { module: 'm', method: 'f', param: { a: 1 }, ...(comm === undefined ? {} : { comm }) }
    const { headers, body, ...rest } = musicuRequest([ask, { ...ask, method: 'g' }], who, device)
    const { comm: sent, ...calls } = JSON.parse(body ?? '')
    t.same(rest, { host: 'musicu', method: 'POST', path: '/cgi-bin/musicu.fcg' })
    t.same(calls, {
      req_0: { module: 'm', method: 'f', param: { a: 1 } }, req_1: { module: 'm', method: 'g', param: { a: 1 } }
    })
    t.strictSame(
      [headers['cookie'], headers['origin'], /Mozilla/.test(headers['user-agent'] ?? '')],
      [who && cookieHeader(who), 'https://y.qq.com', comm !== 'mobile']
    )
    return sent
  }
  const tokens = (token: number) => ({ g_tk: token, g_tk_new_20200303: token })
  const own = { uin: '7', authst: 'abc', tmeLoginType: 2, ...tokens(193485963) }
  const web = {
    ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8',
    notice: 0, need_new_code: 1
  }
  const feed =
    { ct: 20, cv: 1770, platform: 'wk_v17', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', uid: '', guid: '' }
  const mobile = { ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' }
  t.same(framed(undefined, undefined), { ...web, ...tokens(5381) })
  t.same(framed('web', credential), { ...web, ...own })
  t.same(framed('desktop', undefined), { ct: '19', cv: '1859', uin: '0' })
  t.same(framed('desktop', credential), { ct: '19', cv: '1859', ...own })
  t.same(framed('mobile', undefined), mobile)
  t.same(framed('mobile', credential), { ...mobile, uin: '7', qq: '7', authst: 'abc', tmeLoginType: 2 })
  t.same(framed('plaza', undefined), { ct: 20, cv: 1602 })
  t.same(framed('feed', credential), { ...feed, ...own })
  t.match(
    JSON.parse(musicuRequest([{ module: 'm', method: 'f', param: {}, comm: 'plaza' }], undefined, device).body ?? ''),
    { comm: { ct: 20, cv: 1602 } }, 'a call alone'
  )

  const classic = (query: Record<string, string>, more: object, who?: typeof credential): any => {
    const { path, ...rest } = classicRequest({ path: '/p', query, ...more }, who)
    return { ...rest, query: Object.fromEntries(new URL(path, 'https://x').searchParams) }
  }
  t.match(classic({ loginUin: '0', g_tk: '5381', a: 'b' }, {}), {
    host: 'classic', query: { loginUin: '0', g_tk: '5381', a: 'b' },
    headers: { referer: 'https://y.qq.com/', cookie: undefined }
  })
  t.match(classic({ loginUin: '0', g_tk: '5381', g_tk_new_20200303: '5381' }, {}, credential), {
    query: { loginUin: '7', g_tk: '193485963', g_tk_new_20200303: '193485963' }, headers: { cookie: /uin=7/ }
  })
  t.same(classic({ a: 'b' }, { host: 'profile', referer: 'https://r/' }, credential).query, { a: 'b' }, 'a call that names no account gets none')
  t.match(
    classic({}, { host: 'profile', referer: 'https://r/' }), { host: 'profile', headers: { referer: 'https://r/' } }
  )
})

t.test('what a cookie lacks is said: which half, and under which name a browser shows it', async (t) => {
  const either = 'uin, or wxuin after a WeChat login'
  for (const [key, account] of [['W_X_k', 'wxuin'], ['Q_H_L_k', 'uin'], ['k', either]] as const) {
    t.equal(lackInWords([['qm_keyst', key]]), `a key but no account: copy ${account}, too`)
  }
  t.equal(lackInWords([['uin', '5']]), 'an account but no key: copy qm_keyst or qqmusic_key, too')
  t.equal(lackInWords([['uin', '0']]), `neither account nor key: copy ${either}, and qm_keyst or qqmusic_key`)
  const refused = (offers: CookieOffers): void => { authorize({ login: 'required' }, resolve(offers)) }
  t.throws(() => { refused({}) }, { code: 'LOGIN_REQUIRED', message: /: pass a cookie with key and account/ })
  t.throws(() => { refused({ query: 'theme=dark' }) }, { code: 'LOGIN_REQUIRED', message: /the cookie has neither account nor key/ })
  t.throws(() => { refused({ query: 'uin=5' }) }, { code: 'LOGIN_REQUIRED', message: /the cookie has an account but no key/ })
  t.throws(() => { refused({ account: { name: 'kitchen', cookie: undefined } }) }, {
    code: 'LOGIN_REQUIRED', message: /^The account kitchen of this relay has no login: .* --as kitchen\.$/
  })
  t.equal(resolve({ query: 'uin=0', global: 'uin=4; qm_keyst=g' }).source, 'global', 'the number of nobody is no half of a login')
})

t.test('a cookie is stored as it is if it is plain, else as what is known of it; a new key replaces the old one everywhere', async (t) => {
  t.equal(plainCookie('theme=dark; uin=5'), 'theme=dark; uin=5')
  for (const text of ['theme=dark; uin=5; a="b c"', `theme=${'d'.repeat(8192)}; uin=5`]) t.equal(plainCookie(text), 'uin=5')
  t.equal(withKey('uin=5; qm_keyst=old; qqmusic_key=old; theme=dark', 'new'), 'uin=5; qm_keyst=new; qqmusic_key=new; theme=dark')
})

t.test('an account completes a key that has none, unless the cookie would be too long', async (t) => {
  const key = 'qm_keyst='.padEnd(8192 - 'uin=5; '.length, 'k')
  t.equal(withAccount(key, '5'), `uin=5; ${key}`)
  for (const cookie of [`${key}k`, 'uin=6; qm_keyst=k', 'theme=dark']) t.equal(withAccount(cookie, '5'), cookie)
})
