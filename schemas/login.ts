/** QR logins: a start and a check for each channel, and the resulting session. */
import { Type, type Static } from '@sinclair/typebox'
import { ref, wordOf } from './common.ts'

export const LoginSession = Type.Object({
  loginUin: Type.String({ description: 'The account: "o" followed by its number, without padding.' }),
  uin: Type.String({ description: 'The same.' }),
  cookie: Type.String({
    description: 'Cookie text, pairs separated by "; ": pass it as ?cookie= or X-Custom-Cookie. Treat it like a password.'
  }),
  cookieList: Type.Array(Type.String(), { description: 'The pairs, each name=value.' }),
  cookieObject: Type.Record(Type.String(), Type.String(), {
    description:
      'The pairs by name: uin, provider_key, provider_keyst, euin (when the upstream gives one), providerLoginType (1 alternative channel, 2 main channel).'
  })
}, { $id: 'LoginSession', description: 'The result of a login; present when isOk is true.' })

export type LoginSession = Static<typeof LoginSession>

export const NoInput = Type.Object({})

const img = Type.String({ description: 'The QR code as a data URL (data:image/…;base64,…): show it and scan it with the provider\'s app.' })

export const MainLoginQr = Type.Object({
  img,
  qrsig: Type.String({ description: 'Signature of this QR code; store it and send it to the check.' }),
  ptqrtoken: Type.String({ description: 'Check value of qrsig, decimal digits. The relay computes it itself, so sending it back is optional.' })
}, { $id: 'MainLoginQr', description: 'A QR code of the main channel, valid for about two minutes.' })

export type MainLoginQr = Static<typeof MainLoginQr>

export const AltLoginQr = Type.Object({
  img,
  uuid: Type.String({ description: 'Session of this QR code; store it and send it to the check.' })
}, { $id: 'AltLoginQr', description: 'A QR code of the alternative channel.' })

export type AltLoginQr = Static<typeof AltLoginQr>

const ignored = 'Accepted and ignored: it is computed from qrsig.'

export const CheckMainLoginQrBody = Type.Object({
  qrsig: Type.String({ pattern: '^[0-9A-Za-z*_-]{1,256}$', 'x-allowed': 'the qrsig of /getMainLoginQr', description: 'The qrsig of /getMainLoginQr.' }),
  ptqrtoken: Type.Optional(Type.Unsafe<string | number>({
    anyOf: [{ type: 'string', maxLength: 64, 'x-allowed': 'a text of digits or a whole number' }, {
      type: 'integer',
      'x-allowed': 'a text of digits or a whole number'
    }],
    description: `The ptqrtoken of /getMainLoginQr, as text or number. ${ignored}`
  }))
})

export const CheckAltLoginQrBody = Type.Object({
  uuid: Type.String({ pattern: '^[0-9A-Za-z_=-]{1,128}$', 'x-allowed': 'the uuid of /getAltLoginQr', description: 'The uuid of /getAltLoginQr.' })
})

const message = Type.String({ description: 'What happened and what to do, in one sentence.' })
/** Present when isOk is true. */
const session = Type.Optional(ref(LoginSession))

export const MainLoginCheck = Type.Object({
  isOk: Type.Boolean({ description: 'true: logged in, session is present. false: not yet, or expired; see status.' }),
  message,
  status: Type.Optional(
    wordOf(['waiting', 'scanned', 'expired', 'refused'], {
      description:
        'waiting: nobody scanned yet, ask again in two seconds. scanned: waits for the confirmation on the phone, ask again. expired, refused: get a new QR code. Absent after success.'
    })
  ),
  refresh: Type.Optional(Type.Boolean({ description: 'true: this QR code can no longer be used, get a new one. Absent after success.' })),
  error: Type.Optional(Type.String({ description: 'The failure in one sentence; present when the QR code is expired or the login was refused on the phone.' })),
  session
}, { $id: 'MainLoginCheck', description: 'State of a main QR login.' })

export type MainLoginCheck = Static<typeof MainLoginCheck>

export const AltLoginCheck = Type.Object({
  errcode: Type.Integer({
    description:
      '408 nobody scanned within the time of one call (ask again), 404 scanned and waiting for the confirmation (ask again), 405 confirmed, 402 expired, 403 cancelled on the phone (402 and 403: get a new QR code).'
  }),
  isOk: Type.Boolean({ description: 'true: logged in, session is present.' }),
  status: wordOf(['waiting', 'scanned', 'confirmed', 'expired', 'cancelled'], {
    description: 'The state as a word. With errcode 408 it is "scanned" if an earlier call reported that.'
  }),
  message,
  refresh: Type.Optional(Type.Boolean({ description: 'true: this QR code can no longer be used, get a new one. Present with errcode 402 and 403.' })),
  session
}, { $id: 'AltLoginCheck', description: 'State of an alternative QR login.' })

export type AltLoginCheck = Static<typeof AltLoginCheck>
