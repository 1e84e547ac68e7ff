/** Stored accounts: their files, `accounts/<name>.json`, and the data that the pages show of them. */
import { Type, type Static } from '@sinclair/typebox'
import { UserInfo } from './config.ts'
import { CheckAltLoginQrBody, CheckMainLoginQrBody } from './login.ts'

/** Names of accounts. They are also file names. */
export const accountNamePattern = '^[a-z0-9][a-z0-9-]{0,31}$'

/** Maximum number of keys of one account, and the highest limit of a key. */
export const mostKeys = 50
export const mostPerMinute = 1_000_000

const { loginUin, renewal } = UserInfo.properties

/** A key that acts for an account within limits. Its text is shown once and not stored. */
export const StoredKey = Type.Object({
  id: Type.String({
    pattern: accountNamePattern,
    'x-allowed': 'a name of 1 to 32 lower-case letters, digits and hyphens',
    description: 'Name of the key within its account.'
  }),
  hash: Type.String({ pattern: '^[0-9A-Za-z_-]{43}$', 'x-allowed': 'a hash that the relay made', description: 'SHA-256 of the key, base64url.' }),
  createdAt: Type.Integer({ minimum: 0, description: 'When the key was made, Unix seconds.' }),
  readOnly: Type.Optional(Type.Boolean({ description: 'The key cannot start or check logins.' })),
  noLoginEndpoints: Type.Optional(Type.Boolean({ description: 'The key cannot call endpoints that need a login, nor start or check logins.' })),
  perMinute:
    Type.Optional(Type.Integer({
      minimum: 1,
      maximum: mostPerMinute,
      description: 'Requests per minute of this key alone.'
    }))
}, { additionalProperties: false })

export type StoredKey = Static<typeof StoredKey>

/** A stored account: a login as in `user-info.json`, with the secret and the keys that give access to it here. */
export const StoredAccount = Type.Object({
  secret: Type.String({
    pattern: '^mr_[0-9A-Za-z_-]{43}$',
    'x-allowed': 'a secret that the relay made',
    description: 'Secret of this account on this relay: mr_ and 32 random bytes.'
  }),
  createdAt: Type.Integer({ minimum: 0, description: 'When the account was stored for the first time, Unix seconds.' }),
  nickname: Type.Optional(Type.String({ maxLength: 200, description: 'Name that the account shows to others.' })),
  keys:
    Type.Optional(Type.Array(StoredKey, {
      maxItems: mostKeys,
      description: 'Keys for single apps, which can be revoked.'
    })),
  loginUin: Type.Required(loginUin),
  cookie: Type.String({
    maxLength: 8192,
    pattern: '^[\\x20-\\x7e]*$',
    'x-allowed': 'a text of at most 8192 printable ASCII characters, without line breaks',
    description: 'Cookie text: name=value pairs separated by "; ".'
  }),
  renewal
}, { additionalProperties: false })

export type StoredAccount = Static<typeof StoredAccount>

/** The body that the page /login sends to store a login: a check of its QR code, and the name of the account. */
export const StoreLoginBody = Type.Object({
  name: Type.String({
    pattern: accountNamePattern,
    'x-allowed': 'a name of 1 to 32 lower-case letters, digits and hyphens, not beginning with a hyphen',
    description: 'Name of the account.'
  }),
  uuid: Type.Optional(CheckAltLoginQrBody.properties.uuid),
  qrsig: Type.Optional(CheckMainLoginQrBody.properties.qrsig),
  stay: Type.Optional(Type.Boolean({ description: 'Keep this browser logged in as the account.' }))
})

export type StoreLoginBody = Static<typeof StoreLoginBody>

/** The data of a stored account that the pages show. */
export const ShownAccount = Type.Object({
  name: Type.String({ description: 'Name of the account on this relay.' }),
  nickname: Type.Optional(Type.String({ description: 'Name that the account shows to others.' })),
  state: Type.Unsafe<'ok' | 'log in again'>({
    type: 'string',
    enum: ['ok', 'log in again'],
    description: 'log in again: the upstream refuses to renew the login, it has expired, or the stored cookie is no login.'
  }),
  expiresAt: Type.Optional(Type.Integer({ description: 'When the login expires unless it is renewed, Unix seconds.' }))
})

export type ShownAccount = Static<typeof ShownAccount>

/** The account that the requests of a page use. */
export const AccountInUse = Type.Object({
  account: Type.Union([ShownAccount, Type.Null()], { description: 'null: none is stored, or the caller may not see it.' })
})

export type AccountInUse = Static<typeof AccountInUse>

/** What a page learns about its browser. */
export const SessionState = Type.Object({
  account: Type.Union([ShownAccount, Type.Null()], { description: 'The account that the requests of the page use.' }),
  others: Type.Array(ShownAccount, { description: 'The other accounts that the browser is logged in to.' }),
  endsAt: Type.Optional(Type.Integer({ description: 'When the browser is logged out unless it is used before, Unix seconds. Absent without a session.' })),
  operator: Type.Boolean({ description: 'The request is the operator\'s: by the session or the access token.' }),
  storesLogins: Type.Boolean({ description: 'The caller can store logins on the page /login.' })
})

export type SessionState = Static<typeof SessionState>

/** The state of a QR code, without a session, and the account once the login is stored. */
export const StoredLoginCheck = Type.Object({
  isOk: Type.Boolean(),
  message: Type.String(),
  status: Type.Optional(Type.String()),
  refresh: Type.Optional(Type.Boolean()),
  account: Type.Optional(Type.Composite([ShownAccount, Type.Object({
    secret: Type.Optional(Type.String({ description: 'Secret of the account, if the account is new.' })),
    others: Type.Array(Type.String(), { description: 'Names of the accounts with the same account number.' })
  })]))
})

export type StoredLoginCheck = Static<typeof StoredLoginCheck>

const base64url = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ pattern: '^[0-9A-Za-z_-]+$', 'x-allowed': 'base64url', description })

/** An encrypted account: AES-256-GCM, with a key of HKDF-SHA256. The name of the account is authenticated too. */
export const SealedAccount = Type.Object({
  sealed: Type.Literal(1, { 'x-allowed': '1; other numbers belong to other versions', description: 'Version of this form.' }),
  salt: base64url('Salt of the key, 32 bytes.'),
  nonce: base64url('Nonce of this text, 12 bytes.'),
  data: base64url('Encrypted JSON text, followed by its tag of 16 bytes.')
}, { additionalProperties: false })

export type SealedAccount = Static<typeof SealedAccount>
