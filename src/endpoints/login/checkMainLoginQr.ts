import { bare, endpoint } from '../kit.ts'
import { CheckMainLoginQrBody, MainLoginCheck } from '../../../schemas/login.ts'

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
