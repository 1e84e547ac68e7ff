/** The state of a login. */
import { Type, type Static } from '@sinclair/typebox'
import { nullable, ref } from './common.ts'

export const AccountQuery = Type.Object({})

export const Vip = nullable(Type.Object({
  member: Type.Boolean({ description: 'Whether the account has a subscription of any kind.' }),
  luxury: Type.Boolean({ description: 'Whether it is the larger subscription.' }),
  level: Type.Integer({ description: 'Level of the subscription; 0 without one, or when unknown.' }),
  until: Type.String({ description: 'Last day of the larger subscription in China, YYYY-MM-DD; "" without one, or when unknown.' })
}, { $id: 'Vip', description: 'The subscription of an account; null if the upstream does not send it, or if the login is not valid.' }))

export const AccountState = Type.Object({
  alive: Type.Boolean({ description: 'Whether the upstream accepts the login. false: log in again. Only a login of the relay can be false; the cookie of a request is 401 then.' }),
  account: Type.String({ description: 'Name of the stored account in use, "default" for the global login; "" for the cookie of the request.' }),
  uin: Type.String({ description: 'Account number, digits. "" for the global login unless exposeGlobalCookie is on.' }),
  nickname: Type.String({ description: 'Name that the account shows to others; "" in the same cases as uin, or if the login is not valid.' }),
  picture: Type.String({ description: 'Address of its picture; "" in the same cases as nickname, or if there is none.' }),
  vip: ref(Vip),
  until: nullable(
    Type.Integer({
      description: 'When the login expires unless it is renewed, Unix seconds. null when unknown: it is known for stored logins only.'
    })
  )
}, { $id: 'AccountState', description: 'The login of a request: its account, whether it is valid, and its subscription.' })

export type Vip = Static<typeof Vip>
export type AccountState = Static<typeof AccountState>
