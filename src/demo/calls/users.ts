import { accountOf } from '../accounts.ts'
import type { MusicuTable } from '../types.ts'

/**
 * The caller's own account: the best test of a cookie. Without a valid key 1000 (2026-09). The module ends in `Server`.
 */
export const userCalls: MusicuTable = {
  'music.UserInfo.userInfoServer/GetLoginUserInfo': (_param, { catalogue, identity }) => {
    if (identity.state === 'anonymous' || identity.state === 'expired') return { code: 1000 }
    const logo = `${catalogue.origin}/music/photo_new/T001R150x150M000${accountOf(identity.uin)?.name ?? ''}.jpg`
    return { code: 0, data: { info: { nick: identity.nick, logo, gender: 0, birthday: 0 }, isVip: identity.state === 'member' ? 1 : 0 } }
  }
}
