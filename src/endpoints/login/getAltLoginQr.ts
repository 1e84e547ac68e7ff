import { bare, endpoint } from '../kit.ts'
import { AltLoginQr, NoInput } from '../../../schemas/login.ts'

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
