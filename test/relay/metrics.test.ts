/** /metrics: numbers for operators, and nothing about a person. */
import { version } from '../../src/common/version.ts'
import { queryOf } from '../support/asks.ts'
import { endpoints, serverFor, type Server } from '../support/helper.ts'
import { sampleOf, whole } from '../support/whole.ts'
import { served, test } from '../support/stage.ts'

const hotkeys = 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'
const account = '7700112233'
const mark = 'MARKEDSECRET'
const cookie = `uin=o0${account}; provider_key=Q_H_L_${mark}; provider_keyst=Q_H_L_${mark}; euin=${mark}EUIN; providerLoginType=2`

/** The lines with a value, without comments. */
async function series (server: Server): Promise<string[]> {
  const { status, text, headers } = await server.get('/metrics')
  if (status !== 200) throw new Error(`${status} ${text}`)
  if (headers.get('content-type')?.startsWith('text/plain; version=0.0.4') !== true) throw new Error('not the format of Prometheus')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** The value of the only series that begins with `start`. */
function valueOf (lines: readonly string[], start: string): number | undefined {
  const found = lines.filter((line) => line.startsWith(`${start} `))
  return found.length === 1 ? Number(found[0]?.slice(start.length + 1)) : undefined
}

served('requests, their time, the cache and the upstream are counted by route pattern and call', { metrics: true, cache: true }, async ({ t, server }) => {
  for (const path of ['/getLyric/00DemoSong0001', '/getLyric/00DemoSong0001?isFormat=0', '/getLyric/00DemoSong0002', '/getLyric?songmid=00DemoSong0002', '/getRanks?limit=nothing', '/nowhere', '/user/getUserLikedSongs']) await server.get(path)
  const lines = await series(server)
  for (const [name, value] of [
    [`info{version="${version}"}`, 1],
    ['requests_total{route="/getLyric/:songmid",method="GET",status="200"}', 3],
    ['requests_total{route="/getLyric",method="GET",status="200"}', 1],
    ['requests_total{route="/getRanks",method="GET",status="400"}', 1],
    ['requests_total{route="none",method="GET",status="404"}', 1],
    ['requests_total{route="/user/getUserLikedSongs",method="GET",status="401"}', 1],
    ['request_seconds_count{route="/getLyric/:songmid"}', 3],
    ['request_seconds_bucket{le="+Inf",route="/getLyric/:songmid"}', 3],
    ['cache_answers_total{state="miss"}', 2],
    ['cache_answers_total{state="hit"}', 2],
    ['cache_entries', 2],
    ['upstream_request_seconds_count', 2],
    ['upstream_calls_total{call="lyric.classic",outcome="ok"}', 2],
    ['upstream_host_state{host="classic",state="closed"}', 1],
    ['held{what="login_polls"}', 0]
  ] as const) t.equal(valueOf(lines, `music_relay_${name}`), value, name)
  t.ok((valueOf(lines, 'music_relay_cache_bytes') ?? 0) > 100)
  t.equal(lines.filter((line) => line.startsWith('music_relay_upstream_calls_total')).length, 1)
  t.ok(lines.some((line) => line.startsWith('nodejs_eventloop_lag_seconds '))
    && lines.some((line) => line.startsWith('process_resident_memory_bytes ')))
  t.equal((await server.get('/metrics', { method: 'HEAD' })).status, 200)
  t.same((await server.post('/metrics')).headers.get('allow'), 'GET, HEAD, OPTIONS')
})

test('an upstream in trouble shows: drift, an open circuit, a call that is left out, who waits for a login', async ({ t, demo }) => {
  const server =
    await serverFor(t, demo, { metrics: true, tuning: { circuitFailures: 2, retryBurst: 0, fallbackFailures: 1 } })
  demo.next(hotkeys, { mutate: (answer) => { answer.data.vec_hotkey[0].score = 'many' } })
  await server.get('/getHotkey')
  const uuid = (await server.get('/getAltLoginQr')).body.uuid as string
  const polling = server.post('/checkAltLoginQr', { uuid })
  await demo.login.held(uuid, 1)
  let lines = await series(server)
  t.equal(valueOf(lines, 'music_relay_drift_fields{call="hotkeys.desktop"}'), 1)
  t.equal(valueOf(lines, 'music_relay_drift_findings_total{call="hotkeys.desktop"}'), 1)
  t.equal(valueOf(lines, 'music_relay_held{what="login_polls"}'), 1)
  demo.login.cancel(uuid)
  await polling

  demo.next(hotkeys, { body: '<html>' })
  await server.get('/getHotkey')
  lines = await series(server)
  t.equal(valueOf(lines, 'music_relay_held{what="login_polls"}'), 0)
  t.equal(valueOf(lines, 'music_relay_upstream_call_disabled{call="hotkeys.desktop"}'), 1)
  for (const call of ['/splcloud/fcgi-bin/gethotkey.fcg', 'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile']) demo.next(call, { code: 500003 }, 2)
  await server.get('/getHotkey')
  const leftOut = (await series(server)).filter((line) => line.startsWith('music_relay_upstream_call_disabled'))
  t.same(leftOut, ['desktop', 'classic'].map((word) => `music_relay_upstream_call_disabled{call="hotkeys.${word}"} 1`), 'the last call of a chain is always asked')

  for (let times = 0; times < 2; times++) {
    demo.next('music.musicasset.PlaylistBaseRead/GetPlaylistByUin', { reset: true })
    await server.get('/user/getUserPlaylists?uin=1000000101')
  }
  lines = await series(server)
  t.ok(
    lines.some((line) => /^music_relay_upstream_host_state\{host="\w+",state="open"\} 1$/.test(line)),
    lines.filter((line) => line.includes('host_state')).join('\n')
  )
  t.same((await server.get('/health/upstream')).body.hosts.filter(({ state }: { state: string }) => state === 'open'), [
    { host: 'u.y.qq.com', state: 'open' }
  ])
  t.ok(lines.some((line) => /^music_relay_upstream_calls_total\{call="[^"]+",outcome="reset"\} \d+$/.test(line)))
})

test('after everything was called in many ways there are fewer than 2,000 series, and none about a person', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { metrics: true, docs: true, pages: true, cache: true, logLevel: 'silent' })
  const canaries: string[] = []
  for (const [name, { method, path, aliases = [], pathParam, example }] of sampleOf(Object.entries(endpoints), 10)) {
    const search = queryOf(example)
    const canary = `canary${name}`
    canaries.push(canary)
    for (const form of [path, ...aliases]) {
      for (const headers of [{}, { 'x-custom-cookie': cookie }] as Record<string, string>[]) {
        if (method === 'GET') {
          await server.get(`${form}?${search}`, { headers })
          await server.get(`${form}?songmid=${canary}&uin=${account}&key=${canary}&limit=${canary}`, { headers })
        } else await server.post(form, example, { headers })
      }
      await server.get(`${form}?${search}`, { method: 'DELETE' })
      await server.get(`${form}?${search}`, { method: 'HEAD' })
      await server.post(form, { uuid: canary, qrsig: canary, limit: canary })
    }
    if (pathParam !== undefined) {
      await server.get(`${path}/${String(example[pathParam])}?cookie=${encodeURIComponent(cookie)}`)
      await server.get(`${path}/${canary}/${canary}`)
    }
    await server.get(`/${canary}`, { headers: { host: canary } })
  }
  for (const page of ['/', '/login', '/docs', '/docs/json', '/docs/static/index.html', '/health/live', '/health/ready', '/health/upstream']) await server.get(page)
  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) await server.get('/getRanks', { method })
  const lines = await series(server)
  t.ok(lines.length > (whole ? 500 : 50) && lines.length < 2000, `${lines.length} series`)
  const text = lines.join('\n').toLowerCase()
  for (const word of [...canaries, account, mark, '127.0.0.1', 'cookie=', 'songmid=']) {
    t.notOk(text.includes(word.toLowerCase()), word)
  }
})

test('without the setting there is no such route, the access token guards it, and relays of one process count apart', async ({ t, demo }) => {
  t.equal((await (await serverFor(t, demo)).get('/metrics')).body.code, 'ROUTE_NOT_FOUND')
  const guarded = await serverFor(t, demo, { metrics: true, accessToken: 'open-sesame' })
  t.equal((await guarded.get('/metrics')).body.code, 'TOKEN_REQUIRED')
  const headers = { authorization: 'Bearer open-sesame' }
  t.equal((await guarded.get('/metrics', { headers })).status, 200)
  const other = await serverFor(t, demo, { metrics: true })
  await other.get('/getHotkey')
  t.ok((await series(other)).some((line) => line.includes('/getHotkey')))
  t.notMatch((await guarded.get('/metrics', { headers })).text, '/getHotkey')
})
