import { bare, endpoint } from '../kit.ts'
import { MainLoginQr, NoInput } from '../../../schemas/login.ts'

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
