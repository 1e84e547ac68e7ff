/**
 * The state of the login of a request. One POST sends two calls: the identity, which requires a valid key, and the
 * subscription, which returns zeros without one and so proves nothing (2026-09).
 */
import { AccountQuery, AccountState, type Vip } from '../../../schemas/accountState.ts'
import {
  RelayError, codeMsgData, endpoint, maybe, need, noteMissing, pictureOf, textOf, type MusicuCall
} from '../kit.ts'
import type { Credential } from '../../upstream/wire/credentials.ts'
import { whoAmI } from '../shared/accountCalls.ts'

const profile: MusicuCall<Pick<AccountState, 'nickname' | 'picture'>> = {
  ...whoAmI,
  read: (answer) => ({ nickname: textOf(answer, 'info.nick'), picture: pictureOf(answer, 'info.logo') })
}

/**
 * The subscription. Names of its fields vary (2026-09). `svip` is the larger subscription here. Days are those of
 * China, with or without a time.
 */
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
