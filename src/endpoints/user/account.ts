/**
 * The account of a request. /account sends two calls in one POST: the identity, which requires a valid key, and the
 * subscription, which returns zeros without one and so proves nothing (2026-09). Cookie and picture need no upstream
 * request.
 */
import { AccountQuery, AccountState, type Vip } from '../../../schemas/accountState.ts'
import { CookieInfo, GetCookieQuery, GetUserAvatarQuery, UserAvatar } from '../../../schemas/user.ts'
import {
  InvalidInput, RelayError, codeMsgData, data, endpoint, maybe, need, noteMissing, pictureOf, responseCodeData,
  textOf, type MusicuCall
} from '../kit.ts'
import { whoAmI } from '../shared/accountCalls.ts'
import { accountDigits, type Credential } from '../../upstream/wire/credentials.ts'

const profile: MusicuCall<Pick<AccountState, 'nickname' | 'picture'>> = {
  ...whoAmI,
  read: (answer) => ({ nickname: textOf(answer, 'info.nick'), picture: pictureOf(answer, 'info.logo') })
}

/** Names of its fields vary (2026-09). `svip` is the larger subscription. Days are China's, with or without a time. */
const subscription: MusicuCall<Vip> = {
  name: 'user.vip',
  request: { module: 'VipLogin.VipLoginInter', method: 'vip_login_base', param: {} },
  read (answer) {
    const identity = need.at(answer, 'identity')
    const luxury = (maybe.int(identity, 'HugeVip', 'huge_vip') ?? 0) > 0 || (maybe.int(answer, 'svip') ?? 0) > 0
    const day = /^(?!0000)\d{4}-\d\d-\d\d/.exec(maybe.text(identity, 'HugeVipEnd', 'huge_vip_end') ?? '')?.[0] ?? ''
    return {
      member: luxury || need.int(identity, 'vip') > 0,
      luxury,
      level: maybe.int(identity, 'level') ?? 0,
      until: luxury ? day : ''
    }
  }
}

export const account = endpoint({
  method: 'GET',
  path: '/account',
  tag: 'user',
  summary: 'Whether the login is valid, its account and its subscription',
  summaryInChinese: '登录是否有效、是谁的账户、会员状态',
  description: 'For the cookie of the request, the secret of a stored account, and the global login. If the upstream no longer accepts a login of the relay (a stored account, the global login), alive is false; endpoints that require a login then fail with COOKIE_REJECTED. So does this one, with 401, for the cookie of the request. The subscription is what the upstream reports; it is not inferred from what plays. The fields of the subscription were seen by two clients of 2026, its larger kind in both.',
  example: {},
  probe: ({ accounts }) => accounts.map(() => ({})),
  input: AccountQuery,
  record: AccountState,
  envelope: codeMsgData,
  login: 'required',

  async run (_input, context) {
    const { uin } = context.credential as Credential // `login: 'required'` guarantees it
    const { stored, upstream, loginEnded } = context
    const [who, vip] = await upstream.sendAll([profile, subscription])
    const refused = who.error instanceof RelayError && who.error.code === 'COOKIE_REJECTED'
    if (refused) await loginEnded(who.error)
    else if (who.error !== undefined) throw who.error
    else if (vip.error !== undefined) noteMissing(context, vip.error, 'the state of an account comes without its subscription')
    const { nickname, picture } = context.isShown && who.value !== undefined ? who.value : { nickname: '', picture: '' }
    return {
      alive: !refused,
      account: stored?.name ?? '',
      uin: context.isShown ? uin : '',
      nickname,
      picture,
      vip: refused ? null : vip.value ?? null,
      until: stored?.expiresAt ?? null
    }
  }
})

export const getCookie = endpoint({
  method: 'GET',
  path: '/user/getCookie',
  tag: 'user',
  summary: 'The cookie of this request, in neutral names',
  summaryInChinese: '本次请求使用的 cookie，字段名已统一',
  description: 'Shows which parts of the given cookie the relay understood; other names are dropped. Without a cookie everything is empty. The values of the global cookie are hidden unless exposeGlobalCookie is on.',
  example: {},
  probe: 'none',
  input: GetCookieQuery,
  record: CookieInfo,
  envelope: data,
  login: 'optional',

  run (_input, { shownCookie }) {
    const cookieList = shownCookie.map(([name, value]) => `${name}=${value}`)
    return {
      code: 200 as const,
      cookie: cookieList.join('; '),
      cookieList,
      cookieObject: Object.fromEntries(shownCookie)
    }
  }
})

// Addresses of account pictures: constants from public clients, checked to answer without a login (2026). Never
// contacted.

/** Returns the address of a picture. `k` is an opaque key from an address that the upstream sent. `size`: pixels. */
function avatarByKey (k: string, size: number): string {
  return `https://thirdqq.qlogo.cn/g?b=sdk&k=${encodeURIComponent(k)}&s=${size}`
}

/** The address of an account's picture, a silhouette in the alternative channel. `size`: pixels. */
function avatarByAccount (digits: string, size: number): string {
  return `https://q.qlogo.cn/headimg_dl?dst_uin=${digits}&spec=${size}`
}

export const getUserAvatar = endpoint({
  method: 'GET',
  path: '/user/getUserAvatar',
  tag: 'user',
  summary: 'Address of an account\'s picture',
  summaryInChinese: '用户头像地址',
  description: 'Built from k or uin without an upstream call, so it needs no login. One of them is required; if both are given, k is used.',
  example: { uin: '1000000101', size: 140 },
  probe: 'none',
  input: GetUserAvatarQuery,
  record: UserAvatar,
  envelope: responseCodeData,

  run ({ k, uin, size }) {
    if (k !== undefined) return { avatarUrl: avatarByKey(k, size), message: 'ok' }
    const digits = accountDigits(uin ?? '')
    if (digits === undefined) throw new InvalidInput('uin: is required when k is not given.', 'missing')
    return { avatarUrl: avatarByAccount(digits, size), message: 'ok' }
  }
})
