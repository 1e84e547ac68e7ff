export type AccountName = 'ordinary' | 'member' | 'expired' | 'partner' | 'child'

/** An invented account. `cookie` is the Cookie header that a browser would send. */
export interface DemoAccount {
  name: AccountName
  uin: string
  cookie: string
}

/** The caller as the upstream sees it. `expired` means that the key in the cookie is expired or unknown. */
export interface Identity {
  state: 'anonymous' | 'ordinary' | 'member' | 'expired'
  uin: string
  nick: string
}

/**
 * `key` is the account's first key; `Keys` has the current one. `about` (English, Chinese) is for the page that
 * simulates the scan.
 */
export interface Registered {
  name: AccountName
  uin: string
  key: string
  euin: string
  loginType: number
  nick: string
  vip: boolean
  about: readonly [string, string]
}

/**
 * A household with both kinds of login, with and without a subscription. An alternative login has a number above 2^53
 * and a key that starts with W_X_.
 */
const registered: readonly Registered[] = [
  {
    name: 'ordinary',
    uin: '1000000101',
    key: 'Q_H_L_demoOrdinary00000000000000000000000000000000000000000001',
    euin: 'demoOrdinary0**',
    loginType: 2,
    nick: 'Demo ordinary 🎧',
    vip: false,
    about: ['plays what needs a login', '能听需要登录的歌']
  },
  {
    name: 'member',
    uin: '1152921504600000203',
    key: 'W_X_demoMember000000000000000000000000000000000000000000000002',
    euin: 'demoMember000**',
    loginType: 1,
    nick: '演示会员',
    vip: true,
    about: ['plays what needs a subscription', '能听需要会员的歌']
  },
  {
    name: 'expired',
    uin: '1000000303',
    key: 'Q_H_L_demoExpired000000000000000000000000000000000000000000003',
    euin: 'demoExpired00**',
    loginType: 2,
    nick: 'Demo expired',
    vip: false,
    about: ['its key is dead from the start', '登录从一开始就已失效']
  },
  {
    name: 'partner',
    uin: '1000000505',
    key: 'Q_H_L_demoPartner000000000000000000000000000000000000000000005',
    euin: 'demoPartner00**',
    loginType: 2,
    nick: 'Demo partner',
    vip: true,
    about: ['plays what needs a subscription, likes other songs', '能听需要会员的歌，喜欢的歌不一样']
  },
  {
    name: 'child',
    uin: '1152921504600000607',
    key: 'W_X_demoChild0000000000000000000000000000000000000000000000006',
    euin: 'demoChild0000**',
    loginType: 1,
    nick: '演示小朋友',
    vip: false,
    about: ['plays what needs a login, has two playlists', '能听需要登录的歌，有两个歌单']
  }
]

export function demoAccounts (): DemoAccount[] {
  return registered.map(({ name, uin, key, euin, loginType }) => ({
    name,
    uin,
    cookie: `uin=${uin}; qqmusic_uin=${uin}; qm_keyst=${key}; qqmusic_key=${key}; euin=${euin}; tmeLoginType=${loginType}`
  }))
}

export const accounts = (): readonly Registered[] => registered

export function accountNamed (name: AccountName): Registered {
  const account = registered.find((known) => known.name === name)
  if (!account) throw new RangeError(`no account ${name}`)
  return account
}

/** Finds an account by its number or its encrypted id. */
export function accountOf (id: string): Registered | undefined {
  return registered.find(({ uin, euin }) => id === uin || id === euin)
}

/** Returns the token that the upstream derives from a music key: h*33 + character, seed 5381, 31 bits. */
export function hash33 (text: string, seed = 5381): number {
  let hash = seed
  for (const character of text) hash = (hash * 33 + character.charCodeAt(0)) % 0x80000000
  return hash
}
