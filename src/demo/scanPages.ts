import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { accounts } from './accounts.ts'
import type { Channel, Logins, ScanSession } from './login.ts'
import { escapeHtml } from './shapes/text.ts'

type ScanRequest = FastifyRequest<{ Params: { channel: string, id: string }, Body: string | undefined }>

const states: Readonly<Record<ScanSession['state'], string>> = {
  waiting: 'Not scanned yet.',
  scanned: 'Scanned. Who are you?',
  confirmed: 'Confirmed: the client may fetch its login now.',
  spent: 'Done: the client has its login.',
  cancelled: 'Cancelled.',
  expired: 'This code is expired.'
}

function page ({ channel, state }: ScanSession): string {
  const open = state === 'waiting' || state === 'scanned'
  const choices = accounts().map(({ name, nick, about }) => `<button name="account" value="${name}">Log in as ${name}</button> ${escapeHtml(nick)}: ${about}<br>`)
  const buttons = open ? `<form method="post">${choices.join('\n')}<button name="action" value="cancel">Cancel</button></form>` : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Demo scan</title>
<style>body { font: 1rem/1.6 sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark } button { font: inherit; margin: .3rem .3rem .3rem 0 }</style>
<h1>Demo scan</h1>
<p>This page stands for the phone: opening it is scanning a code of the ${channel} channel.</p>
<p role="status">${states[state]}</p>
${buttons}</html>\n`
}

/** The pages that the demo's QR codes point to. Opening a page is the scan; its buttons confirm or refuse. */
export async function scanPages (app: FastifyInstance, { logins }: { logins: Logins }): Promise<void> {
  const found = ({ params: { channel, id } }: ScanRequest): ScanSession | undefined =>
    channel === 'main' || channel === 'alt' ? logins.find(channel satisfies Channel, id) : undefined

  app.get('/scan/:channel/:id', async (request: ScanRequest, reply: FastifyReply) => {
    const session = found(request)
    if (!session) return reply.code(404).type('text/plain').send('no such code\n')
    if (session.state === 'waiting') logins.scan(session.id)
    return reply.type('text/html; charset=utf-8').send(page(session))
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
    return reply.type('text/html; charset=utf-8').send(page(session))
  })
}
