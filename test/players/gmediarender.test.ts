/** A DLNA renderer, unmodified, told by UPnP what to play: a song by its address, and a station. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import t from 'tap'
import { song, until } from '../support/helper.ts'
import { programOf } from '../support/instances.ts'
import { relayOfDemo, writeResult } from './playersDemo.ts'

/** Both ends of a line to a network of its own: what a renderer announces to everybody is heard by nobody. */
const [ours, theirs] = ['10.213.7.1', '10.213.7.2']
const run = (program: string, ...args: string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}
const missing = ['gmediarender', 'unshare', 'nsenter', 'ip'].filter((program) => programOf(program) === undefined)
const skip = missing.length > 0 ? `not installed: ${missing.join(', ')}` : spawnSync('unshare', ['--net', 'true']).status === 0 ? false : 'no right to make a network'

t.test('a DLNA renderer plays a song and a station', { skip, timeout: 120_000 }, async (t) => {
  const { server } = await relayOfDemo(t, 'relay')
  const network = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' })
  t.teardown(() => { network.kill() })
  const inside = ['--net', '--target', String(network.pid)]
  await until(() => spawnSync('nsenter', [...inside, 'true']).status === 0
    && run('readlink', `/proc/${network.pid}/ns/net`) !== run('readlink', '/proc/self/ns/net'))
  run('ip', 'link', 'add', `relay${network.pid}`, 'type', 'veth', 'peer', 'name', 'player', 'netns', String(network.pid))
  run('ip', 'addr', 'add', `${ours}/30`, 'dev', `relay${network.pid}`)
  run('ip', 'link', 'set', `relay${network.pid}`, 'up')
  run('nsenter', ...inside, 'sh', '-c', `ip link set lo up && ip addr add ${theirs}/30 dev player && ip link set player up && ip route add default via ${ours}`)
  const { port } = new URL(server.address)
  const door = createServer((socket) => { socket.pipe(
    connect(Number(port), '127.0.0.1').on('error', () => { socket.destroy() })
  ).pipe(socket).on('error', () => {}) }).listen(0, ours)
  await once(door, 'listening')
  t.teardown(() => { door.close() })
  const player = spawn('nsenter', [...inside, 'gmediarender', '-I', 'player', '-p', '49494', '--gstout-audiopipe=fakesink sync=true', '-f', 'test'], { stdio: 'ignore' })
  t.teardown(() => { player.kill() })

  const tell = async (action: string, more = ''): Promise<string> => {
    const answer = await fetch(`http://${theirs}:49494/upnp/control/rendertransport1`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml; charset="utf-8"', 'soapaction': `"urn:schemas-upnp-org:service:AVTransport:1#${action}"` },
      body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:${action} xmlns:u="urn:schemas-upnp-org:service:AVTransport:1"><InstanceID>0</InstanceID>${more}</u:${action}></s:Body></s:Envelope>`
    })
    return await answer.text()
  }
  await until(() => tell('GetTransportInfo').then((text) => text.includes('<CurrentTransportState>'), () => false))
  const { port: open } = door.address() as { port: number }
  for (const [path, length] of [[`/stream/${song(1)}.mp3`, '0:01:53'], ['/radio/199.mp3', '0:00:00']] as const) {
    await tell('SetAVTransportURI', `<CurrentURI>http://${ours}:${open}${path}</CurrentURI><CurrentURIMetaData></CurrentURIMetaData>`)
    await tell('Play', '<Speed>1</Speed>')
    const heard = new RegExp(`<TrackDuration>${length}<[^]*<RelTime>0:00:0[3-9]<`)
    await until(async () => heard.test(await tell('GetPositionInfo')))
    t.match(await tell('GetTransportInfo'), '<CurrentTransportState>PLAYING</CurrentTransportState>', path)
  }
  writeResult(t, { client: 'gmediarender', version: /[\d.]+/.exec(run('gmediarender', '--version'))?.[0] ?? '', tried: ['a song by its address', 'a radio station'] })
})
