/** The requests of both QR logins, by their names at the demo, and how a client of the relay goes through them. */

/** Hops of the main login, in their order. */
export const main = { show: '/ptqrshow', poll: '/ptqrlogin', sign: '/check_sig', authorise: '/oauth2.0/authorize', exchange: 'QQConnectLogin.LoginServer/QQLogin' } as const
/** Hops of the alternative login, in their order. */
export const alt = { page: '/connect/qrconnect', picture: '/connect/qrcode/', poll: '/connect/l/qrconnect', exchange: 'music.login.LoginServer/Login' } as const

/** For each channel its endpoints, the name of a code, the hops of a start and of a check, and how many hosts its exchange has. */
export const channels = {
  main: {
    start: '/getMainLoginQr', check: '/checkMainLoginQr', id: 'qrsig', starts: [main.show],
    checks: [main.poll, main.sign, main.authorise, main.exchange], hosts: 1
  },
  alt: {
    start: '/getAltLoginQr', check: '/checkAltLoginQr', id: 'uuid', starts: [alt.page, alt.picture],
    checks: [alt.poll, alt.exchange], hosts: 3
  }
} as const
export type ChannelName = keyof typeof channels

export const landing = 'https://y.qq.com/portal/wx_redirect.html?login_type=1&surl=https://y.qq.com/'
export const signHost = 'ssl.ptlogin2.graph.qq.com'
