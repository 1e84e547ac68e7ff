/** Requests as any client of the provider would send them to the demo upstream, without the relay. */
import { request } from 'node:http'
import { hash33 } from '../../src/demo/accounts.ts'
import type { DemoAccount, DemoUpstream } from '../../src/demo/upstream.ts'

interface Foreign { host?: string, method?: string, headers?: Record<string, string>, body?: string }

export interface ForeignReply { status: number, headers: Record<string, unknown>, text: string, body: any }

/** Sends one request to a host of the upstream. `body` of the reply is the parsed JSON, or undefined. */
export async function ask (
  demo: Pick<DemoUpstream, 'origin'>, path: string, { host = 'u.y.qq.com', method, headers = {}, body }: Foreign = {}
): Promise<ForeignReply> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(`${demo.origin}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'), headers: { host, ...headers }
    }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (part: string) => { text += part }).on('end', () => {
        let parsed: unknown
        try { parsed = JSON.parse(text) } catch {}
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed })
      }).on('error', reject)
    })
    outgoing.on('error', reject).end(body)
  })
}

/** The answer of one gateway call, with this common block. */
export async function gateway (
  demo: Pick<DemoUpstream, 'origin'>, call: string, param: object, comm: object, headers?: Record<string, string>
): Promise<any> {
  const [module, method] = call.split('/')
  const { body } = await ask(demo, '/cgi-bin/musicu.fcg', {
    body: JSON.stringify({ comm, req: { module, method, param } }), ...(headers && { headers })
  })
  return body.req
}

/** The answer of a classic path, with a Referer of the site. */
export async function classic (
  demo: Pick<DemoUpstream, 'origin'>, path: string, query: Record<string, string>, foreign: Foreign = {}
): Promise<ForeignReply> {
  return await ask(demo, `${path}?${new URLSearchParams(query).toString()}`, { host: 'c.y.qq.com', headers: { referer: 'https://y.qq.com/' }, ...foreign })
}

/** Goes the way of the main login to its code: poll, check_sig, authorize. */
export async function mainCode (
  demo: DemoUpstream, qrsig: string, signOn = 'p_skey', kind: 'urlencoded' | 'multipart' = 'urlencoded'
): Promise<string> {
  const poll = await ask(demo, `/ptqrlogin?ptqrtoken=${hash33(qrsig, 0)}&aid=716027609`, { host: 'ssl.ptlogin2.qq.com', headers: { cookie: `qrsig=${qrsig}` } })
  const sign = new URL(/'(https:[^']+)'/.exec(poll.text)?.[1] ?? '')
  const { headers } = await ask(demo, `${sign.pathname}${sign.search}`, { host: sign.host })
  const lines = headers['set-cookie'] as string[]
  const proof = lines.map((line) => new RegExp(`^${signOn}=([^;]+)`).exec(line)?.[1])
    .find((value) => value !== undefined) ?? ''
  const fields = {
    response_type: 'code', client_id: '100497308',
    redirect_uri: 'https://y.qq.com/portal/wx_redirect.html?login_type=1&surl=https://y.qq.com/', state: 'state',
    switch: '', g_tk: String(hash33(proof))
  }
  const boundary = '----demo'
  const multipart =
    `${Object.entries(fields).map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`
  const answer = await ask(demo, '/oauth2.0/authorize', {
    host: 'graph.qq.com',
    headers: { 'cookie': `${signOn}=${proof}`, 'content-type': kind === 'multipart' ? `multipart/form-data; boundary=${boundary}` : 'application/x-www-form-urlencoded' },
    body: kind === 'multipart' ? multipart : new URLSearchParams(fields).toString()
  })
  return new URL(String(answer.headers['location'])).searchParams.get('code') ?? ''
}

async function altCode (demo: DemoUpstream, uuid: string): Promise<string> {
  const { text } = await ask(demo, `/connect/l/qrconnect?uuid=${uuid}`, { host: 'lp.open.weixin.qq.com' })
  return /wx_code='([^']+)'/.exec(text)?.[1] ?? ''
}

/** The record of a login through a QR code, as its last step answers it. */
export async function loginAs (
  demo: DemoUpstream, channel: 'main' | 'alt', account?: DemoAccount['name']
): Promise<any> {
  const id = demo.login.open(channel)
  demo.login.confirm(id, account)
  const { data } = channel === 'main'
    ? await gateway(demo, 'QQConnectLogin.LoginServer/QQLogin', { code: await mainCode(demo, id) }, {})
    : await gateway(demo, 'music.login.LoginServer/Login', { strAppid: 'wx48db31d50e334801', code: await altCode(demo, id) }, {})
  return data
}
