/** The programs of examples/, each as a person starts it, against the demo. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { listening } from '../support/listening.ts'
import { root, spawned, start } from '../support/commandProcess.ts'
import { demoFor } from '../support/helper.ts'
import * as wires from '../support/wires.ts'

const folder = join(root, 'examples')
const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'not installed here: python3'

/** Runs an example to its end, at a relay in front of the demo. Returns what it printed. */
async function printed (
  relay: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}
): Promise<string> {
  const own = { PATH: process.env['PATH'], RELAY: relay, PYTHONIOENCODING: 'utf8', ...env }
  const { ended, out, err } = spawned(undefined, [program, ...args], { cwd: folder, env: own })
  const code = await ended
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err()}`)
  return out()
}

t.test('an example is shorter than 60 lines, and the page names each', async (t) => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  for (const name of readdirSync(folder).filter((name) => name !== 'README.md')) {
    t.ok(readFileSync(join(folder, name), 'utf8').split('\n').length < 60, name)
    t.match(page, `](${name})`)
  }
})

t.test('the bot of a chat finds songs, lyrics and charts, and passes on what the relay says', async (t) => {
  const { address } = await start(t, undefined, {}, { args: ['demo'] })
  const bot = spawned(t, [process.execPath, 'chat-bot.mjs'], { cwd: folder, env: { RELAY: address, PORT: '0' } })
  const said = await bot.says(/http:\S+/)
  const say = async (command: string, text: string): Promise<string> => {
    const answer = await fetch(said, { method: 'POST', body: new URLSearchParams({ command, text }) })
    return (await answer.json() as { text: string }).text
  }
  t.match(await say('/song', 'first light'), /^The Paper Lanterns – First Light · http:\S+\/stream\/00DemoSong0001/)
  t.ok((await say('/lyric', 'first light')).split('\n').length > 5)
  t.match(await say('/chart', '62'), /^Soaring .*\n1\. .+ – .+\n2\. /)
  const { hostname, port } = new URL(said)
  const half = connect(Number(port), hostname, () => half.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nc', () => {
    half.destroy()
  }))
  await once(half, 'close')
  t.match(await say('/chart', 'x'), /^topId: /, 'also after a request that ends in its middle')
  t.match(await say('/dance', ''), '/song, /lyric, /chart')
})

t.test('Home Assistant plays a chart, or a playlist, and its speaker reaches each song', { skip: noPython }, async (t) => {
  const { address } = await start(t, undefined, { STREAM: 'relay' }, { args: ['demo'] })
  const calls: { token: string | undefined, body: { entity_id: string, media_content_id: string, enqueue: string } }[] =
    []
  const home = await listening(t, createServer((request: IncomingMessage, response) => {
    let text = ''
    request.on('data', (part) => { text += part }).on('end', () => {
      if (request.url === '/api/services/media_player/play_media') {
        calls.push({ token: request.headers.authorization, body: JSON.parse(text) })
      }
      response.end('[]')
    })
  }))
  const env = { HA_URL: home, HA_TOKEN: 'secret' }
  for (const [id, least] of [['62', 25], ['7700000006', 5], ['7700000001', 30]] as const) {
    calls.length = 0
    const out = await printed(address, 'python3', ['home_assistant.py', 'media_player.kitchen', id], env)
    t.ok(calls.length >= least && out.trimEnd().split('\n').length === calls.length, `${id}: ${calls.length} songs`)
    t.ok(calls.every(({ body }) => /\/stream\/\w+$/.test(body.media_content_id)), 'a song without a MID has no address')
    t.match(calls[0], { token: 'Bearer secret', body: { entity_id: 'media_player.kitchen', enqueue: 'replace' } })
    const file = await fetch(calls[1]?.body.media_content_id ?? '', { headers: { range: 'bytes=0-9' } })
    t.ok(calls[1]?.body.enqueue === 'add' && [206, 403, 404].includes(file.status), `${file.status}`)
  }
})

t.test('the notebook compares the charts', { skip: noPython }, async (t) => {
  const { address } = await start(t, undefined, {}, { args: ['demo'] })
  const [head, ...rows] = (await printed(address, 'python3', ['notebook.py'])).trimEnd().split('\n')
  t.equal(head, 'chart;songs;seconds;year;most frequent singer')
  t.match(
    rows, [/^Soaring .*;50;\d+;20\d\d;.+ \(\d+\)$/, /;50;/, /;50;/, /^\d+ of \d+ songs are in more than one chart$/]
  )
  const demo = await demoFor(t)
  const { address: other } = await start(t, demo.origin)
  for (const wire of [wires.songDetail, wires.songTracks, wires.songClassic]) demo.next(wire, { code: 500003 })
  t.match(await printed(other, 'python3', ['notebook.py'], { CHARTS: '62' }), ';49;', 'a song that the relay cannot read')
})

t.test('the page of the blog has covers, players and lyrics of a playlist, and no markup of strangers', async (t) => {
  const { address } = await start(t, undefined, {}, { args: ['demo'] })
  const page = await printed(address, process.execPath, ['blog.mjs', '7700000001'])
  t.equal(page.match(/<article>/g)?.length, 10)
  t.match(page, '<h1>Demo &#34;favourites&#34; &#38; &#60;friends&#62;')
  const links = [...page.matchAll(/ src="([^"]+)"/g)].map(([, link = '']) => link)
  t.equal(links.filter((link) => link.includes('/cover/')).length, 10)
  t.ok(links.some((link) => link.includes('/stream/')))
  for (const link of links) t.equal((await fetch(link, { redirect: 'manual' })).status, 302, link)
  t.match(await printed(address, process.execPath, ['blog.mjs', '7700000006']), '<article>', 'deleted songs')
})
