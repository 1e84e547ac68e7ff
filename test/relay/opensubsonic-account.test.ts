/** What OpenSubsonic says of the account and its subscription, and the radio stations. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import { cookieOf, dead, demoFor, serverFor } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'
import { household } from '../support/household.ts'
import { play } from '../support/opensubsonicHelper.ts'
import type { Played } from '../support/opensubsonicHelper.ts'

const who = 'music.UserInfo.userInfoServer/GetLoginUserInfo'
const me = { u: 'me', p: 'p' }

async function player (t: Test, { account, ...options }: AppOptions & { account?: 'member' | 'ordinary' | 'expired' } = {}): Promise<{ readonly demo: Awaited<ReturnType<typeof demoFor>>, readonly server: Server, ask (method: string): Promise<Played> }> {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { cache: true, subsonicPassword: 'p', playerCookie: () => account === undefined ? undefined : cookieOf(demo, account), ...options } as AppOptions)
  return { demo, server, ask: async (method) => await play(server, method, me) }
}

const licenceOf = async (t: Test, account?: 'member' | 'ordinary' | 'expired'): Promise<unknown> => (await (await player(t, account === undefined ? {} : { account })).ask('getLicense')).body.license

t.test('the licence is the login: its subscription, and whether the provider still accepts it', async (t) => {
  t.same(await licenceOf(t, 'member'), { valid: true, licenseExpires: '2027-03-01T15:59:59.000Z' })
  t.same(await licenceOf(t, 'ordinary'), { valid: true })
  t.same(await licenceOf(t, 'expired'), { valid: false })
  t.same(await licenceOf(t), { valid: true }, 'without a login')
})

t.test('the licence asks once for a while, for this account only, and a provider that does not say changes nothing', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server = await serverFor(t, demo, { cache: true, accounts } as Parameters<typeof serverFor>[2])
  const licence = async (u: 'member' | 'ordinary', p = secrets[u]): Promise<unknown> => (await play(server, 'getLicense', { u, p })).body.license
  t.match(await licence('member'), { licenseExpires: /^2027-03-01/ })
  t.same(await licence('ordinary'), { valid: true })
  t.match(await licence('member'), { licenseExpires: /^2027-03-01/ })
  t.equal(demo.calls(who).length, 2)
  t.same(await licence('member', await accounts.addKey('member', 'lamp', { noLoginEndpoints: true })), { valid: true }, 'a key that may not use the login')
  const down = await player(t, { account: 'member' })
  for (const fault of dead) down.demo.next(who, fault, 9)
  t.same((await down.ask('getLicense')).body.license, { valid: true })
  t.match(down.server.log.join(''), 'the state of the account is not known')
})

t.test('radio stations: each has a list of songs under its address, without the personal one', async (t) => {
  const { server, ask } = await player(t, { account: 'member' })
  const { internetRadioStation: stations } = (await ask('getInternetRadioStations')).body.internetRadioStations
  t.match(stations[0], { id: 'ra-199', name: 'Hot & Loud', streamUrl: `${server.address}/getRadioSongs?radioId=199&limit=30&format=m3u` })
  t.ok(stations.length > 3)
  t.notOk(stations.some(({ id }: { id: string }) => id === 'ra-99'))
  t.equal(new Set(stations.map(({ id }: { id: string }) => id)).size, stations.length)
  for (const { streamUrl } of stations) {
    t.notMatch(streamUrl, /[?&](?:u|p|t|s|apiKey|cookie)=/, 'whoever has the address gets no secret')
    const response = await fetch(streamUrl)
    t.equal(response.headers.get('content-type'), 'audio/x-mpegurl; charset=utf-8')
    t.match(await response.text(), /^#EXTM3U\n#EXTINF:\d+,.+\nhttp:\/\/[^\n]+\/stream\/\w+\n/)
  }
})

t.test('radio stations: behind a proxy they have its address, and with an access token there are none', async (t) => {
  const { ask } = await player(t, { publicOrigin: 'https://music.example/relay' })
  t.match((await ask('getInternetRadioStations')).body.internetRadioStations.internetRadioStation[0].streamUrl, /^https:\/\/music\.example\/relay\/getRadioSongs\?/)
  const closed = await player(t, { accessToken: 'open-sesame' })
  t.same((await closed.ask('getInternetRadioStations')).body.internetRadioStations, { internetRadioStation: [] })
  const down = await player(t)
  for (const call of ['pf.radiosvr/GetRadiolist', '/v8/fcg-bin/fcg_v8_radiolist.fcg']) down.demo.next(call, { status: 500 }, 9)
  t.match(await down.ask('getInternetRadioStations'), { status: 'ok', body: { internetRadioStations: { internetRadioStation: [] } } })
  t.match(down.server.log.join(''), 'the radio stations are missing')
})

t.test('mpv plays a station', { skip: spawnSync('mpv', ['--version']).status === 0 ? false : 'mpv is not installed' }, async (t) => {
  const { demo, server } = await player(t)
  const { body } = await server.get('/getRadioLists')
  const station: number = body.response.groups[0].radios[1].radioId
  const { stdout } = await promisify(execFile)('mpv', ['--no-config', '--ytdl=no', '--ao=null', '--ao-null-untimed=yes', '--vo=null', '--no-input-terminal', '--length=1', `${server.address}/getRadioSongs?radioId=${station}&limit=5&format=m3u`]).catch((error: { stdout: string }) => error)
  t.equal((stdout.match(/^Playing: .*\/stream\//gm) ?? []).length, 5, stdout)
  t.ok(demo.received.length > 0)
})
