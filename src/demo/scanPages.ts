import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { accounts } from './accounts.ts'
import type { Channel, Logins, ScanSession } from './login.ts'
import { escapeHtml } from './shapes/text.ts'

type ScanRequest = FastifyRequest<{ Params: { channel: string, id: string }, Body: string | undefined }>

/** English, Chinese. */
type Text = readonly [string, string]

const states: Readonly<Record<ScanSession['state'], Text>> = {
  waiting: ['Not scanned yet.', '尚未扫描。'],
  scanned: ['Scanned. Who are you?', '已扫描。请选择一个演示账号：'],
  confirmed: ['Confirmed: the client may fetch its login now. Go back to it.', '已确认。请回到刚才的登录页面。'],
  spent: ['Done: the client has its login.', '登录已完成。'],
  cancelled: ['Cancelled.', '已取消。'],
  expired: ['This code is expired.', '二维码已过期。']
}

function page ({ channel, state }: ScanSession, chinese: boolean): string {
  const say = ([english, inChinese]: Text): string => chinese ? inChinese : english
  const open = state === 'waiting' || state === 'scanned'
  const title = say(['Demo scan', '模拟扫码'])
  const choices = accounts().map(({ name, nick, about }) =>
    `<button name="account" value="${name}">${say([`Log in as ${name}`, `用 ${name} 登录`])}</button> ${
      escapeHtml(nick)
    }${say([': ', '：'])}${say(about)}<br>`
  )
  const buttons = open ? `<form method="post">${choices.join('\n')}<button name="action" value="cancel">${say(['Cancel', '取消'])}</button></form>` : ''
  return `<!doctype html><html lang="${chinese ? 'zh-CN' : 'en'}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title}</title>
<style>
body { font: 1rem/1.6 sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
button { font: inherit; margin: .3rem .3rem .3rem 0 }
</style>
<h1>${title}</h1>
<p>${say([`This page stands for the phone: opening it is scanning a code of the ${channel} channel.`, `这个页面代替手机：打开它，就等于扫描了 ${channel} 渠道的二维码。`])}</p>
<p role="status">${say(states[state])}</p>
${buttons}</html>\n`
}

/** Whether the browser prefers Chinese to English. */
const wantsChinese = ({ headers }: ScanRequest): boolean =>
  /(?:^|,)\s*(en|zh)\b/i.exec(headers['accept-language'] ?? '')?.[1]?.toLowerCase() === 'zh'

/** The pages that the demo's QR codes point to. Opening a page is the scan; its buttons confirm or refuse. */
export async function scanPages (app: FastifyInstance, { logins }: { logins: Logins }): Promise<void> {
  const found = ({ params: { channel, id } }: ScanRequest): ScanSession | undefined =>
    channel === 'main' || channel === 'alt' ? logins.find(channel satisfies Channel, id) : undefined

  app.get('/scan/:channel/:id', async (request: ScanRequest, reply: FastifyReply) => {
    const session = found(request)
    if (!session) return reply.code(404).type('text/plain').send('no such code\n')
    if (session.state === 'waiting') logins.scan(session.id)
    return reply.type('text/html; charset=utf-8').send(page(session, wantsChinese(request)))
  })

  app.post('/scan/:channel/:id', async (request: ScanRequest, reply: FastifyReply) => {
    const session = found(request)
    if (!session) return reply.code(404).type('text/plain').send('no such code\n')
    if (session.state === 'waiting' || session.state === 'scanned') {
      const form = new URLSearchParams(request.body ?? '')
      const account = accounts().find(({ name }) => name === form.get('account'))
      if (form.get('action') === 'cancel') logins.cancel(session.id)
      else if (account) logins.confirm(session.id, account.name)
    }
    return reply.type('text/html; charset=utf-8').send(page(session, wantsChinese(request)))
  })
}
