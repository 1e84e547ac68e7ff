/** The music player daemon, unmodified, driven by mpc: a song by its address, and a station that plays on. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { song, until } from '../support/helper.ts'
import { relayOfDemo, writeResult } from './playersDemo.ts'

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const skip = has('mpd') && has('mpc') ? false : 'mpd and mpc are not installed'

t.test('mpd plays a song and a station', { skip, timeout: 120_000 }, async (t) => {
  const { server } = await relayOfDemo(t, 'relay')
  const home = mkdtempSync(join(tmpdir(), 'mpd-'))
  const socket = join(home, 'socket')
  writeFileSync(join(home, 'mpd.conf'), `bind_to_address "${socket}"\ndb_file "${join(home, 'db')}"\nmusic_directory "${home}"\naudio_output {\n  type "null"\n  name "none"\n}\n`)
  const mpd = spawn('mpd', ['--no-daemon', join(home, 'mpd.conf')], { stdio: 'ignore' })
  t.teardown(() => {
    mpd.kill()
    rmSync(home, { recursive: true, force: true })
  })
  const mpc = (...args: string[]): string =>
    execFileSync('mpc', ['--host', socket, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  await until(() => spawnSync('mpc', ['--host', socket, 'status']).status === 0)
  const secondsOf = (): number => {
    const [, minutes = '0', seconds = '0'] = /(\d+):(\d+)\//.exec(mpc('status')) ?? []
    return Number(minutes) * 60 + Number(seconds)
  }
  for (const path of [`/stream/${song(1)}.mp3`, '/radio/199.mp3']) {
    mpc('clear')
    mpc('add', `${server.address}${path}`)
    mpc('play')
    await until(() => secondsOf() >= 4)
    t.match(mpc('status'), '[playing]', path)
    t.notMatch(mpc('status'), 'ERROR')
  }
  writeResult(t, {
    client: 'mpd', version: /Daemon ([\d.]+)/.exec(execFileSync('mpd', ['--version'], { encoding: 'utf8' }))?.[1] ?? '',
    tried: ['a song by its address', 'a radio station']
  })
})
