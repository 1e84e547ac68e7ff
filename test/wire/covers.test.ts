/** Pictures for players in web pages: through the relay when audio is, from the provider's own host only. */
import { createServer } from 'node:http'
import { request } from 'undici'
import t from 'tap'
import { demoFor, serverOnWire } from '../support/helper.ts'
import { listening } from '../support/listening.ts'
import { playerFor } from '../support/opensubsonicPlayer.ts'

t.test('with the setting stream, pictures come through the relay wherever they are asked for, and any page may read them', async (t) => {
  const demo = await demoFor(t)
  const { server } = await playerFor(t, { upstream: demo, stream: 'relay', meting: true, wire: true })
  const own = Buffer.from(await (await fetch(`${demo.origin}/music/photo_new/T002R300x300M00000DemoAlbu0001.jpg`)).arrayBuffer())
  const paths = ['/cover/00DemoAlbu0001?size=300x300', '/rest/getCoverArt?u=demo&p=demo&id=al-00DemoAlbu0001&size=300']
  for (const path of paths) {
    const { statusCode, headers, body } =
      await request(`${server.address}${path}`, { headers: { origin: 'https://player.example' } })
    t.match([
      statusCode, headers['content-type'], headers['access-control-allow-origin'], headers['cache-control']
    ], [200, 'image/png', '*', /max-age=86400/], path)
    t.ok(Buffer.from(await body.arrayBuffer()).equals(own), path)
    const head = await request(`${server.address}${path}`, { method: 'HEAD' })
    t.match([
      head.statusCode, head.headers['content-type'], head.headers['content-length']
    ], [200, 'image/png', String(own.length)], path)
    await head.body.dump()
  }
  const redirected = await serverOnWire(t, demo)
  t.match(await redirected.get('/cover/00DemoAlbu0001'), { status: 302 })
  t.equal((await fetch(`${demo.origin}/music/photo_new/T002R300x300M00000DemoAlbu0001.jpg`)).headers.get('access-control-allow-origin'), null, 'the host of the pictures allows no page')
})

t.test('a picture that is too large, no picture, or gone is a redirect', async (t) => {
  const demo = await demoFor(t)
  let answer: { type: string, length: number } = { type: 'image/jpeg', length: 4 * 1024 * 1024 + 1 }
  const host = createServer((_request, response) => {
    response.writeHead(
      answer.length === 0 ? 404 : 200, { 'content-type': answer.type, 'content-length': answer.length }
    )
    response.end(Buffer.alloc(answer.length))
  })
  const imageOrigin = await listening(t, host)
  const server = await serverOnWire(t, demo, { stream: 'relay', imageOrigin })
  for (const each of [
    answer, { type: 'text/html', length: 100 }, { type: 'image/svg+xml', length: 100 },
    { type: 'image/jpeg', length: 0 }
  ]) {
    answer = each
    const { status, headers } = await server.get('/cover/00DemoAlbu0001')
    t.equal(status, 302)
    t.match(headers.get('location'), imageOrigin)
  }
  answer = { type: 'image/jpeg', length: 4 * 1024 * 1024 }
  t.equal((await server.get('/cover/00DemoAlbu0001')).status, 200, 'the largest')
})

t.test('a redirect in place of a picture that cannot be passed on now is not kept', async (t) => {
  const demo = await demoFor(t)
  let fails = true
  const host = createServer((_request, response) => {
    response.writeHead(fails ? 503 : 200, { 'content-type': 'image/jpeg', 'content-length': 1 }).end('x')
  })
  const imageOrigin = await listening(t, host)
  const { server } = await playerFor(t, { upstream: demo, stream: 'relay', imageOrigin, wire: true })
  const paths = ['/cover/00DemoAlbu0001', '/rest/getCoverArt?u=demo&p=demo&id=al-00DemoAlbu0001']
  const answers = async (): Promise<unknown[]> => await Promise.all(paths.map(async (path) => {
    const { status, headers } = await server.get(path)
    return [status, headers.get('cache-control')]
  }))
  t.match(await answers(), [[302, 'no-store'], [302, 'no-store']])
  fails = false
  t.match(await answers(), [[200, /max-age=86400/], [200, /max-age=86400/]])
})
