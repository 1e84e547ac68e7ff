/** mpv, unmodified, without sound and picture: a song, a place in it, and a list, in both ways that audio can take. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { demoFor, serverOnWire, song } from '../support/helper.ts'

const without = spawnSync('mpv', ['--version']).status === 0 ? false : 'mpv is not installed'

interface Played { status: number | null, text: string }

/** Plays as fast as it can be decoded. */
async function play (...args: string[]): Promise<Played> {
  const child = spawn('mpv', ['--no-config', '--ytdl=no', '--ao=null', '--ao-null-untimed=yes', '--vo=null', '--no-input-terminal', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => { text += part.toString() })
  const status = await new Promise<number | null>((resolve) => { child.once('close', resolve) })
  return { status, text }
}

/** Bytes of a second, and of the header, of a file of the demo that is PCM, which mpv also writes. */
const [ofSecond, ofHeader] = [2 * 6000, 44]

const playedIn = ({ text }: Played): number => (text.match(/^Playing: .*\/stream\//gm) ?? []).length

const routesIn = (log: readonly string[]): { route: string, status: number }[] => log.map((line) =>
  JSON.parse(line) as { route: string, status: number }).filter(({ route }) => route === '/stream/:songmid')

t.test('mpv plays a song, goes to a place in it, and plays a list', { skip: without }, async (t) => {
  const demo = await demoFor(t)
  for (const stream of ['redirect', 'relay'] as const) {
    const server = await serverOnWire(t, demo, { stream })
    const { body } = await server.get(`/getSongInfo?songmid=${song(1)}`)
    const seconds: number = body.response.songinfo.data.track_info.interval
    const file = Buffer.from(await (await fetch(`${server.address}/stream/${song(1)}?quality=m4a`)).arrayBuffer())
    const heard = join(t.testdir(), 'heard.wav')
    const listen = async (...args: string[]): Promise<Buffer> => {
      server.log.length = 0
      const { status, text } = await play('--ao=pcm', `--ao-pcm-file=${heard}`, ...args, `${server.address}/stream/${song(1)}?quality=m4a`)
      t.equal(status, 0, text)
      return readFileSync(heard)
    }
    t.ok(
      (await listen()).subarray(-seconds * ofSecond).equals(file.subarray(ofHeader)),
      `${stream}: all ${seconds} s are heard, sample for sample`
    )
    const rest = await listen('--start=-10')
    t.ok(
      rest.length < 12 * ofSecond && rest.subarray(-5 * ofSecond).equals(file.subarray(-5 * ofSecond)),
      'the last ten seconds are heard, and no others'
    )
    if (stream === 'relay') t.ok(routesIn(server.log).some(({ status }) => status === 206), 'with a range')

    server.log.length = 0
    const list = await play('--length=1', `${server.address}/getRanks?topId=62&limit=12&format=m3u`)
    t.equal(playedIn(list), 12, list.text)
    const statuses = routesIn(server.log).map(({ status }) => status)
    t.ok(statuses.filter((status) => status < 400).length >= 10, 'the first ten play')
    t.ok(statuses.includes(404), 'one that needs a login is skipped')
    t.equal((await play(`${server.address}/stream/${song(2)}`)).status, 2, 'nothing could be played')

    const { groups } = (await server.get('/getRadioLists')).body.response
    const station = await play('--length=1', `${server.address}/getRadioSongs?radioId=${groups[0].radios[1].radioId}&limit=5&format=m3u`)
    t.equal(playedIn(station), 5, `a radio station as a list: ${station.text}`)
  }
})
