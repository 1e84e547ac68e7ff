/** Players of a station, unmodified, in real time: each tells by its own clock whether it had to wait. RADIO_SECONDS=600 before a release. */
import { spawn, spawnSync } from 'node:child_process'
import t from 'tap'
import { launch, withoutBrowser } from '../support/browser.ts'
import { relayOfDemo, writeResult } from '../players/playersDemo.ts'

const seconds = Number(process.env['RADIO_SECONDS'] ?? 20)
const without = (program: string): string | false =>
  spawnSync(program, ['--version']).status === 0 ? false : `${program} is not installed`
const timeout = (seconds + 120) * 1000
const tried = [`${seconds} s of a radio station without a gap`]

/** Returns the address of a station, as a player gets it. */
async function stationFor (t: Parameters<typeof relayOfDemo>[0]): Promise<string> {
  const { server } = await relayOfDemo(t, 'relay')
  const { body } = await server.get('/rest/getInternetRadioStations?u=demo&p=demo&f=json')
  return body['subsonic-response'].internetRadioStations.internetRadioStation[0].streamUrl
}

/** Runs a player for the seconds, and returns what it said. */
async function play (program: string, ...args: string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => { text += part.toString() })
  const timer = setTimeout(() => { child.kill('SIGINT') }, (seconds + 3) * 1000)
  await new Promise((resolve) => { child.once('close', resolve) })
  clearTimeout(timer)
  return text
}

const versionOf = (program: string): string =>
  /\d+\.\d+\.\d+/.exec(spawnSync(program, ['--version']).stdout.toString())?.[0] ?? ''

t.test('mpv plays a station without a gap', { skip: without('mpv'), timeout }, async (t) => {
  const text = await play('mpv', '--no-config', '--ytdl=no', '--ao=null', '--vo=null', '--no-input-terminal', '--term-status-msg=at ${=time-pos} waits ${paused-for-cache}\\n', await stationFor(t))
  const places = [...text.matchAll(/at (\d+\.\d+) waits (\w+)/g)].map(([, at, waits]) => ({ at: Number(at), waits }))
  const last = places.at(-1)?.at ?? 0
  t.comment(`${last} s heard`)
  t.ok(last >= seconds - 1, `${last} s are heard: ${text.slice(-300)}`)
  t.same(places.filter(({ at, waits }) => waits === 'yes' && at > 1), [], 'it never waits for more')
  writeResult(t, { client: 'mpv', version: versionOf('mpv'), tried: ['songs by their addresses', 'lists of songs', ...tried] })
})

t.test('GStreamer plays a station without a gap', { skip: without('gst-launch-1.0'), timeout }, async (t) => {
  const text = await play('gst-launch-1.0', '-m', 'playbin', `uri=${await stationFor(t)}`, 'audio-sink=fakesink sync=true')
  const [, played = ''] = text.split('new-clock')
  const [, hours, minutes, own] = /Execution ended after (\d+):(\d+):(\d+)/.exec(played) ?? []
  const last = Number(hours) * 3600 + Number(minutes) * 60 + Number(own)
  t.comment(`${last} s heard`)
  t.ok(last >= seconds - 1, `${last} s are heard: ${text.slice(-300)}`)
  t.same(played.match(/\(error\)|\(eos\)|buffering\.\.\. +\d{1,2}%/g), null, 'it never waits for more')
  writeResult(t, { client: 'GStreamer', version: versionOf('gst-launch-1.0'), tried })
})

t.test('Chromium plays a station without a gap', { skip: withoutBrowser, timeout }, async (t) => {
  const browser = await launch('--autoplay-policy=no-user-gesture-required')
  t.teardown(async () => { await browser.close() })
  const page = await browser.newPage()
  await page.setContent(`<audio autoplay src="${await stationFor(t)}"></audio>`)
  const { gap, version } = await page.evaluate<{ gap: number, version: string }>(`new Promise((resolve, reject) => {
    const audio = document.querySelector('audio')
    let [gap, since] = [0]
    audio.addEventListener('error', () => { reject(new Error(audio.error.message)) })
    audio.addEventListener('waiting', () => { if (audio.currentTime > 0) since = performance.now() })
    audio.addEventListener('timeupdate', () => {
      if (since !== undefined) gap = Math.max(gap, performance.now() - since)
      if (audio.readyState > 2) since = undefined
      if (audio.currentTime > ${seconds}) resolve({ gap, version: navigator.userAgent })
    })
  })`)
  t.comment(`at most ${gap} ms without sound`)
  t.ok(gap < 1000, `${gap} ms`)
  writeResult(t, { client: 'Chromium', version: /Chrome\/(\d+)/.exec(version)?.[1] ?? '', tried })
})
