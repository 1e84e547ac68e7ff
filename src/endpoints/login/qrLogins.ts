/** The QR logins of both channels. Their steps are in src/upstream/login. */
import {
  AltLoginCheck, AltLoginQr, CheckAltLoginQrBody, CheckMainLoginQrBody, MainLoginCheck, MainLoginQr, NoInput
} from '../../../schemas/login.ts'
import { bare, endpoint } from '../kit.ts'

export const getMainLoginQr = endpoint({
  method: 'GET',
  path: '/getMainLoginQr',
  aliases: ['/user/getMainLoginQr'],
  tag: 'login',
  summary: 'A QR code to log in with, main channel',
  summaryInChinese: '获取登录二维码（main 渠道）',
  description: 'Show img, store qrsig, then call /checkMainLoginQr every two seconds.',
  example: {},
  probe: () => [{}],
  samples: ({ qrsig }) => ({ mainQrCodes: [qrsig] }),
  input: NoInput,
  record: MainLoginQr,
  envelope: bare,
  loginStep: 'start',
  run: async (_input, { login }) => await login.startMain()
})

export const checkMainLoginQr = endpoint({
  method: 'POST',
  path: '/checkMainLoginQr',
  aliases: ['/user/checkMainLoginQr'],
  tag: 'login',
  summary: 'State of a main QR login, and its session once confirmed',
  summaryInChinese: '查询扫码状态，确认后返回登录信息（main 渠道）',
  description: 'Answers at once; repeat it every two seconds. While isOk is false, status says whether to continue. The check that finds the login confirmed completes it and returns the session, always with a usable key. Concurrent checks of one qrsig share one exchange. If a step fails, the answer has one of the LOGIN_ codes; start again with a new QR code. 503 UPSTREAM_PAUSED: repeat after the seconds in Retry-After, with the same qrsig.',
  example: { qrsig: 'demo-unknown-qrsig' },
  probe: ({ mainQrCodes }) => mainQrCodes.map((qrsig) => ({ qrsig })),
  input: CheckMainLoginQrBody,
  record: MainLoginCheck,
  envelope: bare,
  loginStep: 'check',
  run: async ({ qrsig }, { login }) => await login.checkMain(qrsig)
})

export const getAltLoginQr = endpoint({
  method: 'GET',
  path: '/getAltLoginQr',
  aliases: ['/user/getAltLoginQr'],
  tag: 'login',
  summary: 'A QR code to log in with, alternative channel',
  summaryInChinese: '获取登录二维码（alt 渠道）',
  description: 'Show img, store uuid, then call /checkAltLoginQr, which waits for news.',
  example: {},
  probe: () => [{}],
  samples: ({ uuid }) => ({ altQrCodes: [uuid] }),
  input: NoInput,
  record: AltLoginQr,
  envelope: bare,
  loginStep: 'start',
  run: async (_input, { login }) => await login.startAlt()
})

export const checkAltLoginQr = endpoint({
  method: 'POST',
  path: '/checkAltLoginQr',
  aliases: ['/user/checkAltLoginQr'],
  tag: 'login',
  summary: 'State of an alternative QR login, and its session once confirmed',
  summaryInChinese: '查询扫码状态，确认后返回登录信息（alt 渠道）',
  description: 'Waits for news up to about 35 seconds; errcode says what happened. Repeat the check on 408 (it may come early when many people wait), and a second later on 404. 503 UPSTREAM_PAUSED: repeat after the seconds in Retry-After, with the same uuid. Concurrent checks of one uuid share one wait and one exchange; if all callers disconnect, the wait ends. If too many checks wait, the answer is 503 OVERLOADED.',
  example: { uuid: 'demo-unknown-uuid' },
  probe: ({ altQrCodes }) => altQrCodes.map((uuid) => ({ uuid })),
  input: CheckAltLoginQrBody,
  record: AltLoginCheck,
  envelope: bare,
  loginStep: 'check',
  run: async ({ uuid }, { login }) => await login.checkAlt(uuid)
})
