/** Stands between the clients and the demo upstream, passes everything on, and remembers what the demo refused. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

function parsed (text) {
  try { return JSON.parse(text) } catch { return undefined }
}

/** `module/method` of the calls of a gateway request, by their keys. */
const callsOf = (url, body) => Object.fromEntries(Object.entries(
  parsed(body.length > 0 ? body : url.searchParams.get('data')) ?? {}
).map(([key, { module, method } = {}]) => [key, `${module}/${method}`]))

const codesOf = ({ code = 0, subcode = 0, retcode = 0 }) => [code, subcode, retcode].filter((each) => each !== 0)

/** What was refused: one line for each, empty when everything was accepted. */
function refusalsIn (url, body, status, text) {
  if (status >= 400) return [`${url.pathname}: HTTP ${status}`]
  const answer = parsed(/^\w+\((.*)\)$/s.exec(text.trim())?.[1] ?? text)
  if (typeof answer !== 'object' || answer === null) return []
  const calls = callsOf(url, body)
  const own = codesOf(answer).length > 0 ? [`${url.pathname}: ${codesOf(answer).join(' ')}${answer.msg ? ` ${answer.msg}` : ''}`] : []
  return [...own, ...Object.entries(answer).flatMap(
    ([key, part]) => calls[key] !== undefined && part.code !== 0 ? [`${calls[key]}: ${part.code}`] : []
  )]
}

/** Resolves with the watch: its address, and `take()`, which answers what was asked and refused since the last time. */
export async function watch (origin) {
  let exchanges = []

  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming)
      const { 'x-sent-to': host, ...headers } = incoming.headers
      const passed =
        request(`${origin}${incoming.url}`, { method: incoming.method, headers: { ...headers, host } }).end(body)
      const [answer] = await once(passed, 'response')
      const bytes = await buffer(answer)
      const text = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
      const url = new URL(incoming.url, origin)
      exchanges.push({ host, path: url.pathname, refusals: refusalsIn(url, body, answer.statusCode, text) })
      outgoing.writeHead(answer.statusCode, answer.rawHeaders).end(bytes)
    } catch (error) {
      exchanges.push({ host: incoming.headers['x-sent-to'], path: incoming.url, refusals: [String(error)] })
      outgoing.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    take () {
      const taken = exchanges
      exchanges = []
      return {
        asked: taken.map(({ host, path }) => `${host}${path}`), refusals: taken.flatMap(({ refusals }) => refusals)
      }
    },
    close () {
      server.closeAllConnections()
      server.close()
    }
  }
}
