import { accountOf, type Identity } from '../accounts.ts'
import type { MusicuTable } from '../types.ts'

/** The days of a subscription are Beijing's, some with a time (observed 2026-09). */
function subscriptionOf ({ state, uin }: Identity): Record<string, unknown> {
  const isMember = state === 'member'
  // Some answers spell the fields of the larger subscription differently (observed 2026-09-19): here those of one
  // account.
  const dates = accountOf(uin)?.name === 'partner'
    ? { huge_vip: 1, huge_vip_start: '2026-01-01', huge_vip_end: '2027-06-30' }
    : {
      HugeVip: isMember ? 1 : 0,
      HugeVipStart: isMember ? '2026-03-01 00:00:00' : '',
      HugeVipEnd: isMember ? '2027-03-01 23:59:59' : ''
    }
  return {
    identity: {
      vip: isMember ? 1 : 0,
      yearflag: 0,
      HugeYearFlag: 0,
      level: isMember ? 5 : 0,
      nextlevel: isMember ? 6 : 0,
      icon: '',
      ...dates
    },
    userinfo: { score: 0, expire: '', music_level: 0 },
    svip: isMember ? 1 : 0,
    star: 0,
    ystar: 0,
    maxdirnum: 100,
    maxsongnum: 1000,
    canRenew: 1
  }
}

/**
 * The caller's own account: the best test of a cookie. Without a valid key the code is 1000 (2026-09). The module ends
 * in `Server`.
 */
export const userCalls: MusicuTable = {
  'music.UserInfo.userInfoServer/GetLoginUserInfo': (_param, { catalogue, identity }) => {
    if (identity.state === 'anonymous' || identity.state === 'expired') return { code: 1000 }
    const logo = `${catalogue.origin}/music/photo_new/T001R150x150M000${accountOf(identity.uin)?.name ?? ''}.jpg`
    return {
      code: 0,
      data: { info: { nick: identity.nick, logo, gender: 0, birthday: 0 }, isVip: identity.state === 'member' ? 1 : 0 }
    }
  },
  // All callers get an answer. Without a valid key it is all zeros, so it does not prove a valid login (observed
  // 2026-09).
  'VipLogin.VipLoginInter/vip_login_base': (_param, { identity }) => ({ code: 0, data: subscriptionOf(identity) })
}
