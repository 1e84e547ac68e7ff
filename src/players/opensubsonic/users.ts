/** The user of a request: a stored account by its secret or a key, or the operator by the setting's password. */
import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { RelayError } from '../../common/errors.ts'
import { defaultAccount, type AccountKey } from '../../relay/accountBook.ts'
import { resolveIdentity, type Identity } from '../../relay/identity.ts'
import type { Runtime } from '../../relay/runtime.ts'
import { getUserAvatar } from '../../endpoints/user/account.ts'
import { tokenCheck } from '../../edge/access.ts'
import type { Caller } from '../../edge/caller.ts'
import { Refused, failureCodes } from './subsonicErrors.ts'
import { method, mediaMethod, noInput, type AnyMethod } from './method.ts'

export interface User {
  readonly name: string
  readonly account: string
  readonly identity: Identity
}

export interface Proof {
  readonly u?: string
  readonly p?: string
  readonly t?: string
  readonly s?: string
  readonly apiKey?: string
}

/** Options. `playerCookie`: returns the cookie of the login behind the setting's password. */
export interface UsersOptions { readonly playerCookie: () => string | undefined }

/** Wrong attempts per minute: of an address for one user, and in total. A household shares an address. */
const mostTries = 20
const mostTriesInAll = 200
const minuteMs = 60_000
/** Maximum number of addresses and users whose wrong attempts are counted. */
const mostCounted = 20_000
const longestName = 64

type Secrets = Pick<Runtime, 'settings' | 'accounts'>

/** Whether the identity has a login, and a key that may use it. */
export const mayUseLogin = ({ credential, key }: Identity): boolean =>
  credential !== undefined && key?.noLoginEndpoints !== true

/** Throws ROUTE_NOT_FOUND while there is neither a stored account nor a password. */
export function refuseUnlessServed ({ settings, accounts }: Secrets): void {
  if (
    settings.subsonicPassword !== '' || accounts?.states().some(({ name }) => name !== defaultAccount) === true
  ) { return }
  throw new RelayError('ROUTE_NOT_FOUND', 'No player can log in here yet: store an account with music-relay login --as <name>, or set SUBSONIC_PASSWORD.')
}

/** The secret of a stored account, or the setting's password for all other names. "": there is none. */
export const secretOf = (name: string, { settings, accounts }: Secrets): string =>
  accounts?.secretOf(name) ?? settings.subsonicPassword

/** What signs addresses for a user. It ends with the secret of the account, and with the key. "": there is none. */
export function signingSecretOf (name: string, keyId: string | undefined, secrets: Secrets): string {
  const secret = secretOf(name, secrets)
  if (keyId === undefined || secret === '') return secret
  const { hash } = secrets.accounts?.keyOf(name, keyId) ?? {}
  return hash === undefined ? '' : `${secret} ${hash}`
}

/** Returns the login of a stored account, or the operator's for all other names, with the key and its limits. */
export function loginOf (
  name: string,
  key: AccountKey | undefined,
  { settings, accounts }: Secrets,
  { playerCookie }: UsersOptions
): Identity {
  const login = accounts?.secretOf(name) === undefined
    ? resolveIdentity({ global: playerCookie() }, { fallbackMode: false, useGlobalCookie: true })
    : resolveIdentity({ account: { name, cookie: accounts.cookieOf(name) } }, settings)
  return key === undefined ? login : { ...login, key }
}

/** Makes a user the caller of a request: the account is charged, whatever address its players have. */
export function callAs (request: FastifyRequest, { account, identity }: Pick<User, 'account' | 'identity'>): Caller {
  const client = request.caller.client && request.server.clientNamed(`account ${account}`)
  return request.calledAs = { ...request.caller, account, identity, client }
}

export function createUsers (runtime: Pick<Runtime, 'settings' | 'accounts' | 'now'>, options: UsersOptions) {
  const { settings: { subsonicPassword }, accounts, now } = runtime
  const tries = new LRUCache<string, Tries>({ max: mostCounted })
  const triesOf = (key: string): Tries => {
    const before = tries.get(key)
    return before !== undefined && before.until > now() ? before : { count: 0, until: now() + minuteMs }
  }
  const isPassword = subsonicPassword === '' ? () => false : tokenCheck(subsonicPassword)
  const userOf = (name: string, key?: AccountKey): User => ({
    name,
    account: accounts?.secretOf(name) === undefined ? defaultAccount : name,
    identity: loginOf(name, key, runtime, options)
  })

  function byKey (apiKey: string): User | undefined {
    const found = accounts?.bySecret(apiKey)
    return found === undefined ? undefined : userOf(found.name, found.key)
  }

  function byPassword (name: string, password: string): User | undefined {
    const found = accounts?.bySecret(password)
    if (found !== undefined) return found.name === name ? userOf(name, found.key) : undefined
    // The names of accounts are reserved for these accounts.
    return isPassword(password) && accounts?.secretOf(name) === undefined ? userOf(name) : undefined
  }

  /** Keys are stored as hashes, so only the account's own secret can be proven in this way. */
  function byToken (name: string, token: string, salt: string): User | undefined {
    const secret = secretOf(name, runtime)
    // Compared even if there is nothing to prove: names without an account take as long as others.
    return tokenCheck(md5(secret + salt))(token.toLowerCase()) && secret !== '' ? userOf(name) : undefined
  }

  function found ({ u, p, t, s, apiKey }: Proof): User | Refused {
    if (apiKey !== undefined) {
      if (u !== undefined || p !== undefined || t !== undefined) {
        return new Refused(failureCodes.twoMechanisms, 'apiKey is sent alone: leave u, p, t and s out.')
      }
      return byKey(apiKey) ?? new Refused(failureCodes.wrongKey, 'This key is unknown or revoked: music-relay accounts lists the valid keys.')
    }
    if (u === undefined) return new Refused(failureCodes.missing, 'u: is required, or apiKey.')
    if (t !== undefined && s !== undefined) return byToken(u, t, s) ?? wrong()
    if (p === undefined) return new Refused(failureCodes.missing, 'p: is required, or t and s, or apiKey.')
    return byPassword(u, plainOf(p)) ?? wrong()
  }

  /** Throws Refused, RATE_LIMITED after too many wrong attempts, or ROUTE_NOT_FOUND if there are no users. */
  return (proof: Proof, request: FastifyRequest): User => {
    const user = found(proof)
    // Secrets are too long to guess: a player with an old one must not lock out others at its address.
    if (!(user instanceof Refused) && user.account !== defaultAccount) return user
    // Names with an account and without one are counted alike, because a difference would tell which accounts exist.
    const { u = '', apiKey } = proof
    const address = request.caller.client?.[0] ?? request.ip
    const keys = apiKey === undefined ? [`${address} ${u.slice(0, longestName)}`, address] : []
    const counted = keys.map((key) => triesOf(key))
    const full = counted.find(({ count }, at) => count >= (at === 0 ? mostTries : mostTriesInAll))
    if (full !== undefined) {
      const retryAfter = Math.ceil((full.until - now()) / 1000)
      throw new RelayError('RATE_LIMITED', `Too many wrong passwords from this address; try again in ${retryAfter} s.`, { retryAfter })
    }
    if (!(user instanceof Refused)) return user
    refuseUnlessServed(runtime)
    if (user.number === failureCodes.wrongPassword) {
      keys.forEach((key, at) => {
        tries.set(key, { ...counted[at] as Tries, count: (counted[at] as Tries).count + 1 })
      })
    }
    throw user
  }
}

/** Wrong attempts in the minute that ends at `until`, on the clock of the relay. */
interface Tries { readonly count: number, readonly until: number }

const wrong = (): Refused =>
  new Refused(
    failureCodes.wrongPassword,
    'Wrong user or password. The user is the name of an account of this relay, the password its secret; who runs the relay has it (music-relay accounts secret <name>). 用户名是本服务的账户名，密码是该账户的密钥。'
  )

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** Returns a password in plain text. Clients may send it as hexadecimal digits to hide it from view. */
function plainOf (p: string): string {
  return /^enc:(?:[0-9a-f]{2})+$/i.test(p) ? Buffer.from(p.slice(4), 'hex').toString('utf8') : p
}

const ownInput = Type.Object({ username: Type.Optional(Type.String({ description: 'The user that asks; no other.' })) })

function refuseOthers (username: string | undefined, own: string): void {
  if (username === undefined || username === own) return
  throw new Refused(failureCodes.notAllowed, 'username: users see themselves only.')
}

export const userMethods = {
  getUser: method({
    summary: 'Permissions of the user: play, download and see covers. Everything else is off, because the relay changes nothing.',
    input: ownInput,

    run ({ username }, { user: { name } }) {
      refuseOthers(username, name)
      return {
        user: {
          username: name,
          scrobblingEnabled: false,
          adminRole: false,
          settingsRole: false,
          downloadRole: true,
          uploadRole: false,
          playlistRole: false,
          coverArtRole: false,
          commentRole: false,
          podcastRole: false,
          streamRole: true,
          jukeboxRole: false,
          shareRole: false,
          videoConversionRole: false,
          folder: [1]
        }
      }
    }
  }),
  getAvatar: mediaMethod({
    summary: 'A redirect to the picture of the account.',
    input: ownInput,

    async send ({ username }, { user, call, reply }) {
      refuseOthers(username, user.name)
      // The address of the picture has the account's number.
      const uin = mayUseLogin(user.identity) ? user.identity.credential?.uin : undefined
      if (uin === undefined) throw new RelayError('NOT_FOUND', 'username: without a login there is no picture.')
      const { avatarUrl } = await call(getUserAvatar, { uin })
      return await reply.code(302).headers({ 'location': avatarUrl, 'cache-control': 'private, max-age=86400' }).send()
    }
  }),
  tokenInfo: method({
    summary: 'The user of an API key.',
    input: noInput,
    run: (_input, { user }) => ({ tokenInfo: { username: user.name } })
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic-users opensubsonic opensubsonic-methods
