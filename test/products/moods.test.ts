/**
 * Each mood of the demo upstream: what every endpoint answers meanwhile, to everybody and to an account. The gate
 * tries a sample of the moods, and with each the requests that it changes and some others.
 */
import { createServer } from 'node:http'
import t from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { askEndpoint } from '../support/asks.ts'
import { cookieOf, demoFor, endpoints, serverFor, type Reply, type Server } from '../support/helper.ts'
import { moodAnswers, secondLines } from '../support/moodAnswers.ts'
import { moodAsks, type MoodAsk } from '../support/moodAsks.ts'
import { served } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'
import { listening } from '../support/listening.ts'

/** Endpoints whose answers depend on the caller's account, though no login is part of their contract. */
const alsoAsMember = ['search', 'MVs by a word', 'followers']
const named = new Set<string>(Object.values(moodAsks).map(({ endpoint }) => endpoint))
const settings = { rateLimitLoginStarts: 0, tuning: { retryDelayMinMs: 1, retryDelayMaxMs: 1 } }

/** Every endpoint is asked: one without a row of its own with its example, and no mood may change its answer. */
const asks: Readonly<Record<string, MoodAsk>> = {
  ...moodAsks,
  // Those that lead to a file answer no JSON, and play what getMusicPlay plays.
  ...Object.fromEntries(Object.entries(endpoints).filter(
    ([name, { envelope }]) => !named.has(name) && envelope.delivers === undefined
  ).map(([name, { example }]) => [name, { endpoint: name, input: example } as MoodAsk]))
}
const endpointOf = (name: string): (typeof endpoints)[string] =>
  endpoints[asks[name.replace(/ \(member\)$/, '')]?.endpoint ?? ''] as (typeof endpoints)[string]

async function send (server: Server, name: string, cookie?: string): Promise<Reply> {
  const { endpoint, input } = asks[name] as MoodAsk
  return await askEndpoint(
    server, endpoint, { input, ...(cookie === undefined ? {} : { headers: { 'x-custom-cookie': cookie } }) }
  )
}

interface Answer {
  readonly error?: string
  readonly sources: readonly string[]
  readonly parts: Readonly<Record<string, string>>
}

/** What one server answers to every request: by its name, and with `(member)` for somebody logged in. */
async function answersOf (
  server: Server, demo: DemoUpstream, asked: (name: string) => boolean
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>()
  for (const cookie of [undefined, cookieOf(demo, 'member')]) for (const [name, ask] of Object.entries(asks)) {
    const endpoint = endpoints[ask.endpoint] as (typeof endpoints)[string]
    if (!asked(name) || (cookie !== undefined && endpoint.login === undefined && !alsoAsMember.includes(name))) continue
    const { status, headers, body } = await send(server, name, cookie)
    const record = status === 200 ? endpoint.envelope.unwrap(body) : undefined
    const parts = record === undefined ? {} : ask.parts?.(record) ?? { answer: record }
    answers.set(cookie === undefined ? name : `${name} (member)`, {
      ...(status === 200 ? {} : { error: `${status} ${body.code}` }),
      sources: (headers.get('x-relay-source') ?? '').split(', ').sort(),
      parts: Object.fromEntries(Object.entries(parts)
        .map(([part, value]) => [part, JSON.stringify(value ?? null).replaceAll(demo.origin, '')]))
    })
  }
  return answers
}

/** How a part that is not the healthy one looks: the length of a list, or the value. */
function shown (json: string): string {
  const value: unknown = JSON.parse(json)
  return Array.isArray(value) ? String(value.length)
    : typeof value === 'object' && value !== null ? 'other' : String(value)
}

/** The difference in one line: the error, or the sources instead, and the parts that are not the same. Empty without one. */
function difference ({ error, sources, parts }: Answer, healthy: Answer): string {
  if (error !== healthy.error) return error ?? 'no error'
  const instead = sources.filter((source) => !healthy.sources.includes(source))
  const changed = Object.entries(parts)
    .filter(([part, json]) => json !== healthy.parts[part]).map(([part, json]) => `${part} ${shown(json)}`)
  const without = healthy.sources.filter((source) => !sources.includes(source))
  const by = instead.length > 0 ? [`by ${instead.join(', ')}`]
    : changed.length > 0 && without.length > 0 ? [`without ${without.join(', ')}`] : []
  return [...by, ...changed].join('; ')
}

t.test('a mood changes the answers that it is about, and no other; what stands in has its own stand-in', { timeout: 600_000 }, async (t) => {
  const demo = await demoFor(t)
  t.same(
    [...Object.keys(moodAnswers), 'slow', 'down', 'paced-searches'].sort(),
    demo.moods.list().map(({ name }) => name).sort(), 'the table has every mood'
  )
  const healthy = await answersOf(await serverFor(t, demo, settings), demo, () => true)
  for (const [name, { error }] of healthy) t.equal(
    error, endpointOf(name).login === 'required' && !name.endsWith('(member)') ? '401 LOGIN_REQUIRED' : undefined, name
  )

  /** What changes while these moods are on, for a relay that knows nothing yet: the difference of each answer that has one. */
  async function changesUnder (
    moods: readonly string[], asked: (name: string) => boolean
  ): Promise<Record<string, string>> {
    demo.reset()
    for (const mood of moods) demo.moods.on(mood)
    const answers = await answersOf(await serverFor(t, demo, settings), demo, asked)
    for (const mood of moods) demo.moods.off(mood)
    return Object.fromEntries([...answers].map(([name, answer]) =>
      [name, difference(answer, healthy.get(name) as Answer)] as const).filter(([, change]) => change !== ''))
  }

  for (const [turn, [mood, changes]] of sampleOf(Object.entries(moodAnswers), 20).entries()) {
    const changed = Object.keys(changes).map((name) => name.replace(/ \(member\)$/, ''))
    // A subject has three moods or more, one after the other: each request is tried with one of them.
    const asked = new Set([...changed, ...sampleOf(Object.keys(asks), 20, turn)])
    t.same(await changesUnder([mood], (name) => asked.has(name)), changes, mood)
  }
  for (const [moods, changes] of sampleOf(Object.entries(secondLines), 8)) {
    t.same(await changesUnder(
      moods.split(' + '), (name) => Object.hasOwn(changes, name) || Object.hasOwn(changes, `${name} (member)`)
    ), changes, moods)
  }
  const down = new Set(sampleOf(Object.keys(asks), 12))
  const changes = await changesUnder(['down'], (name) => down.has(name))
  for (const [name, { error }] of healthy) {
    if (error === undefined && endpointOf(name).probe !== 'none' && down.has(name.replace(/ \(member\)$/, ''))) {
      t.match(changes[name], /^50[23] /, `down: ${name}`)
    }
  }
})

t.test('slow: a relay that waits less gets no answer, one that waits does', async (t) => {
  const demo = await demoFor(t, { moods: ['slow'] })
  for (const [tuning, status] of [[{ headersTimeoutMs: 50 }, 504], [{ headersTimeoutMs: 60_000 }, 200]] as const) {
    t.equal((await send(await serverFor(t, demo, { deadlineMs: 60_000, tuning }), 'lyric')).status, status)
  }
})

t.test('a refused search is asked again after a minute, not before, and has all its albums then', async (t) => {
  let clock = 1_800_000_000_000
  const demo = await demoFor(t, { now: () => clock, moods: ['programs-2001'] })
  const server = await serverFor(t, demo, { ...settings, now: () => clock })
  const albums = async (limit: number, cookie?: string): Promise<number> =>
    (await askEndpoint(server, 'getSearchByKey', {
      input: { key: 'paper', limit }, ...(cookie === undefined ? {} : { headers: { 'x-custom-cookie': cookie } })
    })).body.data.album.list.length
  const programs = (): number =>
    demo.received.filter(({ calls }) => calls.some((call) => call.includes('/DoSearchFor'))).length
  const member = cookieOf(demo, 'member')
  t.same([await albums(5), await albums(6, member), programs()], [2, 2, 4], 'two programs for everybody, two for the account')
  clock += 59_000
  t.same([await albums(7), await albums(8, member), programs()], [2, 2, 4])
  clock += 1000
  t.same([await albums(9), await albums(10, member), programs()], [9, 10, 6])
})

served('after a rotation a new login works at once, and a key that was only thought expired works again', settings, async ({ t, demo, server }) => {
  const liked = async (cookie: string): Promise<string> => {
    const { status, body } = await send(server, 'liked songs', cookie)
    return status === 200 ? `${body.body.response.total} songs` : `${status} ${body.code}: ${body.error}`
  }
  const old = cookieOf(demo, 'member')
  const dead = '401 COOKIE_REJECTED: The upstream rejects the cookie (code 1000): it is expired or invalid; log in again.'
  t.equal(await liked(old), '140 songs')
  demo.moods.on('key-expired')
  t.equal(await liked(old), dead)
  demo.moods.off('key-expired')
  t.equal(await liked(old), '140 songs')

  demo.moods.on('key-rotated')
  t.equal(await liked(old), dead)
  const { body: { uuid } } = await server.get('/getAltLoginQr')
  demo.login.confirm(uuid)
  const { body: { session } } = await server.post('/checkAltLoginQr', { uuid })
  t.strictSame([
    await liked(session.cookie), (await send(server, 'play', session.cookie)).body.data.reason
  ], ['140 songs', undefined])
  t.equal(await liked(old), dead)
})

served('an answer with a part missing is kept for seconds, not for hours', {
  ...settings, cache: true, demo: { moods: ['song-500', 'programs-500', 'playlist-empty'] }
}, async ({ t, server }) => {
  for (const name of ['song', 'songs', 'search']) {
    const { headers } = await send(server, name)
    t.equal(headers.get('cache-control'), 'public, max-age=10', name)
  }
  t.equal((await send(server, 'playlist')).headers.get('cache-control'), 'public, max-age=600', 'the sibling has all of it')
})

served('a list without a song is believed when a second call says so, and kept for seconds when no other call answers', { ...settings, cache: true }, async ({ t, demo, server }) => {
  const detail = '/getSongListDetail?disstid=7700000001'
  const bare = { mutate: (answer: any) => {
    Object.assign(answer.data, { songlist: [], songlist_size: 0, total_song_num: 0, hasmore: 0 }).dirinfo.songnum = 0
  } }
  const wires = ['music.srfDissInfo.DissInfo/CgiGetDiss', 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo']
  for (const wire of wires) demo.next(wire, bare)
  const believed = await server.get(detail)
  t.match([
    believed.body.data.songnum, believed.headers.get('cache-control'), demo.received.length
  ], [0, 'public, max-age=600', 2])

  demo.reset()
  demo.next(wires[0] as string, bare)
  for (const wire of [
    wires[1] as string, '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg',
    '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'
  ]) demo.next(wire, { status: 404 })
  const doubtful = await server.get(`${detail}&limit=5`)
  t.match([doubtful.body.data.songnum, doubtful.headers.get('cache-control')], [0, 'public, max-age=10'])
})

t.test('answers that say nothing are a failure of the upstream, at every endpoint, and nobody keeps it', async (t) => {
  // An empty object; and a success without a part for any call.
  for (const [turn, body] of ['{}', '{"code":0}'].entries()) {
    const upstream = createServer((request, response) => {
      request.resume().on('end', () => { response.setHeader('content-type', 'application/json').end(body) })
    })
    // Nothing is remembered of a call that says nothing: each request is the first one.
    const server = await serverFor(t, { origin: await listening(t, upstream) }, {
      ...settings, cache: true, tuning: { ...settings.tuning, fallbackFailures: Infinity }
    })
    for (const cookie of [
      undefined, 'uin=1000000101; provider_key=Q_H_L_key'
    ]) for (const [name, { endpoint }] of sampleOf(Object.entries(asks), 10, turn)) {
      const { probe, login } = endpointOf(name)
      if (probe === 'none' || (cookie === undefined && login === 'required')) continue
      const reply = await send(server, name, cookie)
      // No QR code without a picture: the code of that step says so.
      const code = endpoint.endsWith('LoginQr') && endpoint.startsWith('get') ? 'QR_UNAVAILABLE' : /^UPSTREAM_/
      t.match(
        [reply.status, reply.headers.get('cache-control'), reply.body.code], [502, 'no-store', code],
        `${name}${cookie === undefined ? '' : ' (member)'} ${body}: ${reply.text.slice(0, 200)}`
      )
    }
  }
})
