import QRCode from 'qrcode'
import { hash33 } from './accounts.ts'
import { notFound, type Asked, type HostHandler, type Stage } from './hostHandler.ts'
import type { HttpFault } from './faults.ts'
import { signOnNames } from './login.ts'
import { pagesHandler, script } from './pagesHandler.ts'

const html = (status: number, body: string): HttpFault => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body
})
const forbidden = html(403, '<html><body>403 Forbidden</body></html>')

const qrPicture = async (url: string, width: number): Promise<Buffer> =>
  await QRCode.toBuffer(url, { width, margin: 2 })

/** The cookies of a request, by name. */
function jarOf ({ headers }: Asked): Map<string, string> {
  return new Map((headers['cookie'] ?? '').split('; ').flatMap((pair): Array<[string, string]> => {
    const cut = pair.indexOf('=')
    return cut < 1 ? [] : [[pair.slice(0, cut), pair.slice(cut + 1)]]
  }))
}

const said = (code: number, address: string, text: string, nick = ''): HttpFault =>
  script(`ptuiCB('${code}','0','${address}','0','${text}', '${nick}')`)

/**
 * Answers 66 waiting, 67 scanned, 65 expired, 68 refused, and once 0 confirmed. If the check value does not match the
 * cookie, the status is 403.
 */
function pollMain (asked: Asked, { logins }: Stage): HttpFault {
  const qrsig = jarOf(asked).get('qrsig') ?? ''
  if (asked.query['ptqrtoken'] !== String(hash33(qrsig, 0)) || asked.query['aid'] !== '716027609') return forbidden
  const session = logins.find('main', qrsig)
  switch (session?.state) {
    case 'waiting': return said(66, '', '二维码未失效。')
    case 'scanned': return said(67, '', '二维码认证中。')
    case 'cancelled': return said(68, '', '本次登录已被拒绝')
    case 'confirmed': {
      session.state = 'spent'
      const { uin, nick } = session.account
      const address = new URL('https://ssl.ptlogin2.graph.qq.com/check_sig')
      address.search = new URLSearchParams({
        pttype: '1',
        uin,
        service: 'ptqrlogin',
        nodirect: '0',
        ptsigx: logins.issue('sign', session.account),
        s_url: jump,
        f_url: '',
        ptlang: '2052',
        ptredirect: '100',
        aid: '716027609',
        daid: '383',
        pt_3rd_aid: '100497308'
      }).toString()
      return said(0, address.href, '登录成功！', nick.replaceAll('\'', '\\\''))
    }
    default: return said(65, '', '二维码已失效。')
  }
}

const jump = 'https://graph.qq.com/oauth2.0/login_jump'
const landing = 'https://y.qq.com/portal/wx_redirect.html?login_type=1&surl=https://y.qq.com/'

/** Sends the deletions of old cookies first, then new cookies with the same names. */
function checkSign ({ query }: Asked, { logins }: Stage): HttpFault {
  const account = logins.redeem('sign', query['ptsigx'] ?? '')
  const signOn = logins.signOnName()
  const gone = ['p_uin', signOn, 'pt4_token'].map((name) => `${name}=; Path=/; Domain=qq.com; Expires=Thu, 01 Jan 1970 00:00:00 GMT`)
  const fresh = account === undefined || account.uin !== query['uin']
    ? []
    : [
        `p_uin=o${account.uin.padStart(10, '0')}; Path=/; Domain=graph.qq.com; Secure; SameSite=None`,
        'pt4_token=demoPt4*token_; Path=/; Domain=graph.qq.com; Secure; HttpOnly',
        `${signOn}=${logins.issue('key', account)}_; Path=/; Domain=graph.qq.com; Secure; SameSite=None`,
        'pt_oauth_token=demoOauth*-_; Path=/; Domain=graph.qq.com',
        'pt_login_type=3; Path=/; Domain=graph.qq.com',
        'superkey=demoSuperKey; Path=/; Domain=qq.com',
        'RK=demoRk; Path=/; Domain=qq.com; Expires=Fri, 01 Jan 2100 00:00:00 GMT'
      ]
  return { status: 302, headers: { location: jump, 'set-cookie': [...gone, ...fresh] } }
}

/** The fields of a form, in either of its two encodings (both are accepted, reported 2026). */
function formOf ({ headers, text }: Asked): Record<string, string> {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) return Object.fromEntries(new URLSearchParams(text))
  return Object.fromEntries(text.split(`--${boundary}`).flatMap((part): Array<[string, string]> => {
    const { name, value } = /name="(?<name>[^"]*)"\r\n(?:[^\r\n]+\r\n)*\r\n(?<value>.*)\r\n$/s.exec(part)?.groups ?? {}
    return name === undefined ? [] : [[name, value ?? '']]
  }))
}

/** A caller that is not signed on gets the sign-on page instead of a redirect. */
function authorise (asked: Asked, { logins }: Stage): HttpFault {
  const form = formOf(asked)
  const jar = jarOf(asked)
  const proof = signOnNames.map((name) => jar.get(name)).find((value) => value !== undefined) ?? ''
  const account = logins.redeem('key', proof.replace(/_$/, ''))
  if (
    account === undefined || form['g_tk'] !== String(hash33(proof)) || form['client_id'] !== '100497308'
    || form['redirect_uri'] !== landing
  ) {
    return html(200, '<!DOCTYPE html><title>login</title>')
  }
  return {
    status: 302,
    headers: { location: `${landing}&code=${logins.issue('main-code', account)}&state=${encodeURIComponent(form['state'] ?? '')}` }
  }
}

function altPage ({ query }: Asked, { logins }: Stage): HttpFault {
  if (query['appid'] !== 'wx48db31d50e334801' || query['scope'] !== 'snsapi_login') return html(200, '<!DOCTYPE html><html><body>Scope</body></html>')
  const { id } = logins.begin('alt')
  return html(200, `<!DOCTYPE html>
<html><head><title>login</title></head><body>
<div class="wrp_code"><img class="js_qrcode_img web_qrcode_img" src="/connect/qrcode/${id}"/></div>
<script>var pollUrl="https://lp.open.weixin.qq.com/connect/l/qrconnect?uuid=${id}";</script>
</body></html>
`)
}

const pollAnswer = (errcode: number, code = ''): HttpFault => script(`window.wx_errcode=${errcode};window.wx_code='${code}';`)

/**
 * A long poll: open until the state changes. `last=404` means that the client already received the scan. An unknown
 * code is 500.
 */
async function pollAlt ({ query }: Asked, { logins, gone }: Stage): Promise<HttpFault> {
  const session = logins.find('alt', query['uuid'] ?? '')
  if (session === undefined) return pollAnswer(500)
  const heard = session.state
  if (heard === 'waiting' || (heard === 'scanned' && query['last'] === '404')) await logins.change(session, gone)
  switch (session.state) {
    case 'waiting': return pollAnswer(408)
    case 'scanned': return heard === 'scanned' && query['last'] === '404' ? pollAnswer(408) : pollAnswer(404)
    case 'cancelled': return pollAnswer(403)
    case 'confirmed':
      session.state = 'spent'
      return pollAnswer(405, logins.issue('alt-code', session.account))
    default: return pollAnswer(402)
  }
}

/** Request handlers for the hosts of both login channels. */
export const loginHandlers: Readonly<Record<string, HostHandler>> = {
  'ssl.ptlogin2.qq.com': pagesHandler({
    '/ptqrshow': async (_asked, { logins }) => {
      const { id } = logins.begin('main')
      return {
        body: await qrPicture(logins.scanUrl(id), 147),
        headers: { 'content-type': 'image/png', 'set-cookie': [`qrsig=${id}; Path=/; Domain=ptlogin2.qq.com; Secure; HttpOnly; SameSite=None`] }
      }
    },
    '/ptqrlogin': pollMain
  }),
  'ssl.ptlogin2.graph.qq.com': pagesHandler({ '/check_sig': checkSign }),
  'graph.qq.com': pagesHandler({
    '/oauth2.0/authorize': (asked, stage) => asked.method === 'POST' ? authorise(asked, stage) : notFound
  }),
  'open.weixin.qq.com': pagesHandler({
    '/connect/qrconnect': altPage,
    '/connect/qrcode/': async ({ path }, { logins }) => {
      const session = logins.find('alt', path.slice('/connect/qrcode/'.length))
      return session === undefined ? notFound
        : { body: await qrPicture(logins.scanUrl(session.id), 235), headers: { 'content-type': 'image/png' } }
    }
  }),
  'lp.open.weixin.qq.com': pagesHandler({ '/connect/l/qrconnect': pollAlt })
}
