import { bare, endpoint } from '../kit.ts'
import { AltLoginCheck, CheckAltLoginQrBody } from '../../../schemas/login.ts'

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
