/** Real proxies in front of the relay: nobody behind one is the operator, and none sees other messages in a connection than the relay. */
import t from 'tap'
import { folderFor } from '../support/accountsHelper.ts'
import { demoFor } from '../support/helper.ts'
import { startInstance, startProxy, without } from '../support/instances.ts'
import { operatorCode, posted } from '../support/loginPages.ts'
import { programLine } from '../support/program.ts'
import { exchange, requestText } from '../support/raw.ts'

const hidden = requestText('GET /getSmartbox?key=smuggled HTTP/1.1')
const post = (lines: readonly string[], body: string): string =>
  requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: application/json', ...lines], body)
const chunked = `0\r\n\r\n${hidden}`

/** Requests in whose body another one is hidden, for whoever reads the length differently. */
const smuggled: readonly string[] = [
  post([`Content-Length: ${hidden.length}`], hidden),
  post([`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked'], chunked),
  post(['Transfer-Encoding: chunked', `Content-Length: ${chunked.length}`], chunked),
  ...['Transfer-Encoding : chunked', ' Transfer-Encoding: chunked', 'Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding:\tchunked', 'Transfer_Encoding: chunked', 'X: x\nTransfer-Encoding: chunked', 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked']
    .map((line) => post([`Content-Length: ${chunked.length}`, line], chunked)),
  post(['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden),
  post([`Content-Length: +${hidden.length}`], hidden),
  post([`Content-Length: ${hidden.length}, ${hidden.length}`], hidden),
  post(['Transfer-Encoding: chunked'], '1;x=\n\r\n{\r\n0\r\n\r\n'),
  requestText('GET /getHotkey HTTP/1.1', [`Content-Length: ${hidden.length}`], hidden),
  requestText('GET /getHotkey HTTP/1.1', ['Transfer-Encoding: chunked'], `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`)
]

for (const [name, bare] of [
  ['haproxy', false], ['haproxy', true], ['nginx', false], ['nginx', true], ['caddy', false]
] as const) {
  t.test(`behind ${name}${bare ? ' that adds no header' : ''}`, { skip: without(name), timeout: 240_000 }, async (t) => {
    const demo = await demoFor(t)
    const env = { PAGES: 'true', CONFIG_DIR: folderFor(t), ALLOWED_HOSTS: 'localhost', CACHE: 'false' }
    const relay = await startInstance(t, demo.origin, env, [...programLine('src/cli.ts'), 'serve'])
    const proxy = await startProxy(t, name, [relay, relay], bare)
    const body = JSON.stringify({ name: 'kitchen', uuid: '0123456789abcdef' })
    for (const headers of [[], ['Sec-Fetch-Site: same-origin'], ['X-Forwarded-For: 127.0.0.1'], ['Forwarded: for=127.0.0.1'], ['X-Real-IP: 127.0.0.1']]) {
      t.equal((await posted(proxy, body, headers)).status, 401, `${headers.join()}: nobody is the operator by an address`)
    }
    t.equal((await posted(
      proxy, JSON.stringify({ code: operatorCode }), ['Sec-Fetch-Site: same-origin'], { path: '/login/operator' }
    )).status, 401)
    for (const bytes of smuggled) {
      const before = demo.received.length
      const { answers } = await exchange(proxy.address, bytes, { patienceMs: 1500 })
      const others = await Promise.all([1, 2, 3]
        .map(async (id) => await (await fetch(`${proxy.address}/getImageUrl?id=00DemoAlbu000${id}`)).text()))
      t.same(others.map((text, at) => text.includes(`00DemoAlbu000${at + 1}`)), [true, true, true], 'each gets the own answer')
      // A proxy may read two requests of its client here. Then the client gets two answers; what only the relay saw
      // would get none.
      const isSeen = answers.length > 1 && answers[1]?.status === 200
      t.equal(/smuggled/.test(JSON.stringify(demo.received.slice(before))), isSeen, JSON.stringify(bytes.slice(0, 200)))
    }
  })
}
