import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MoodVerbs } from './moods.ts'
import { escapeHtml } from './shapes/text.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** Allows only a user or a test on this machine: not a page of another site, and no host name that only points here. */
function mayControl ({ headers }: FastifyRequest): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers
  return loopback.test(host) && (origin === undefined || origin === `http://${host}`)
    && (site === undefined || site === 'same-origin' || site === 'none')
}

function moodPage (moods: MoodVerbs): string {
  const rows = moods.list().map(({ name, about, on }) =>
    `<tr><td><label><input type="checkbox" name="${escapeHtml(name)}"${on ? ' checked' : ''}> ${escapeHtml(name)}</label><td>${escapeHtml(about)}`
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Moods of the demo upstream</title>
<h1>Moods of the demo upstream</h1>
<p>A change takes effect at once. As JSON: <code>curl /demo/moods</code>, <code>curl -X PUT /demo/moods/search-500</code>, <code>curl -X DELETE …</code></p>
<table>${rows.join('\n')}</table>
<script>
addEventListener('change', async ({ target }) => {
  await fetch('/demo/moods/' + target.name, { method: target.checked ? 'PUT' : 'DELETE' })
})
</script></html>\n`
}

type MoodRequest = FastifyRequest<{ Params: { name: string } }>

/** The control page of the moods: a page for browsers, JSON for other clients. */
export async function moodPages (app: FastifyInstance, { moods }: { moods: MoodVerbs }): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    if (!mayControl(request)) return await reply.code(403).send({ error: 'Moods are switched from this machine, not from a page of another site.' })
  })

  app.get('/demo/moods', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('vary', 'accept')
    if (!request.headers.accept?.includes('text/html')) return moods.list()
    return await reply.type('text/html; charset=utf-8').send(moodPage(moods))
  })

  const switching =
    (on: boolean) => async ({ params: { name } }: MoodRequest, reply: FastifyReply): Promise<unknown> => {
      try {
        if (on) moods.on(name)
        else moods.off(name)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        return await reply.code(404).send({ error: error.message })
      }
      return moods.list().filter((mood) => mood.on)
    }
  app.put('/demo/moods/:name', switching(true))
  app.delete('/demo/moods/:name', switching(false))
}
