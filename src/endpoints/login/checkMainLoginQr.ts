import { bare } from '../../../schemas/envelopes.ts'
import { CheckMainLoginQrBody, MainLoginCheck } from '../../../schemas/login.ts'
import { endpoint } from '../../core/endpoint.ts'

export const checkMainLoginQr = endpoint({
  method: 'POST',
  path: '/checkMainLoginQr',
  aliases: ['/user/checkMainLoginQr'],
  tag: 'login',
  summary: 'State of a main QR login, and its session once confirmed',
  description: 'Answers at once; ask every two seconds. While isOk is false, status says whether to go on. The check that finds the login confirmed finishes it and has the session: success is said only with a usable key. Checks of one qrsig at the same time share one exchange. A step that fails ends in one of the LOGIN_ codes, and needs a new QR code. 503 UPSTREAM_PAUSED: ask again after the seconds in Retry-After, with the same qrsig.',
  example: { qrsig: 'demo-unknown-qrsig' },
  probe: ({ mainQrCodes }) => mainQrCodes.map((qrsig) => ({ qrsig })),
  input: CheckMainLoginQrBody,
  record: MainLoginCheck,
  envelope: bare,
  loginStep: 'check',
  run: async ({ qrsig }, { login }) => await login.checkMain(qrsig)
})
