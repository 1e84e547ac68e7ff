/**
 * One rule for absence: an empty text and JSON null count as left out, for every parameter, in the query, the path, the
 * body and the library. A required one is then asked for by name. The cases are made from the schemas.
 */
import t from 'tap'
import { createInputValidator } from '../../src/relay/validate.ts'
import { queryOf } from '../support/asks.ts'
import { demoFor, endpoints, relayFor, serverFor } from '../support/helper.ts'
import { served } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'

const without = (values: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== field))

/** Every parameter of every endpoint. `rest`: an input that needs nothing else. */
const parameters = Object.entries(endpoints)
  .flatMap(([name, endpoint]) => Object.entries(endpoint.input.properties).map(([field, schema]) => {
    const required = endpoint.input.required?.includes(field) === true
    // Of these two pairs one is required.
    const rest = {
      ...without(endpoint.example, field), ...name === 'getSongInfo' && field === 'songmid' ? { songid: 5000001 } : {},
      ...name === 'getUserAvatar' && field === 'uin' ? { k: 'key' } : {}
    }
    return { name, endpoint, field, schema, required, rest }
  }).filter(({ schema }) => schema['x-empty'] !== 'error'))

t.test('an empty text and null count as absent, in texts and in values; True and False are booleans', async (t) => {
  const inputs = createInputValidator()
  const outcome = (validate: () => unknown): unknown => {
    try { return validate() } catch (error) { return (error as Error).message }
  }
  let booleans = 0
  for (const { name, endpoint: { input }, field, schema, required, rest } of parameters) {
    const texts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, String(value)]))
    const wanted = required ? `${field}: is required.` : inputs.fromValues(input, rest)
    t.same(outcome(() => inputs.fromValues(input, { ...rest, [field]: null })), wanted, `${name} ${field}: null`)
    t.same(outcome(() => inputs.fromValues(input, { ...rest, [field]: '' })), wanted, `${name} ${field}: ""`)
    if (Object.values(rest).every((value) => typeof value !== 'object')) {
      t.same(
        outcome(() => inputs.fromText(input, { ...texts, [field]: '' })),
        required ? wanted : inputs.fromText(input, texts), `${name} ${field}=`
      )
    }
    if (schema['type'] !== 'boolean') continue
    booleans++
    const read = ['True', 'true', '1', 'False', 'false', '0']
      .map((text) => (inputs.fromText(input, { ...texts, [field]: text }) as any)[field])
    t.strictSame(read, [true, true, true, false, false, false], `${name} ${field}`)
  }
  t.ok(booleans > 0)
  t.ok(parameters.length > 80, `${parameters.length} parameters`)
})

t.test('over HTTP it is the same question, and a required parameter is asked for by name', async (t) => {
  // With the cache, the same question has the same bytes as answer.
  const server = await serverFor(t, await demoFor(t), { cache: true })
  for (const {
    name, endpoint: { method, path, pathParam, login, cache, envelope }, field, required, rest
  } of sampleOf(parameters, 6)) {
    const replies = method === 'GET'
      ? [await server.get(`${path}?${queryOf({ ...rest, [field]: '' })}`), ...pathParam === field ? [await server.get(`${path}/?${queryOf(rest)}`)] : []]
      : [await server.post(path, { ...rest, [field]: null }), await server.post(path, { ...rest, [field]: '' })]
    for (const reply of replies) {
      if (required) {
        t.same([reply.status, reply.body.error], [400, `${field}: is required.`], `${name} ${field}`)
        continue
      }
      const plain = method === 'GET' ? await server.get(`${path}?${queryOf(rest)}`) : await server.post(path, rest)
      t.equal(reply.status, plain.status, `${name} ${field}: ${reply.text.slice(0, 100)}`)
      if (login !== 'required') t.equal(
        reply.status, envelope.delivers === undefined ? 200 : 302, `${name} ${field}: ${reply.text.slice(0, 100)}`
      )
      if (method === 'GET' && cache !== undefined) t.equal(reply.text, plain.text, `${name} ${field}: the same answer`)
    }
  }
})

served('an empty path does not hide the query, of a repeated parameter the first counts, empty or not, and a song of a batch may have null', async ({ t, demo, server }) => {
  t.match((await server.get('/getLyric/?songmid=00DemoSong0001')).body, { code: 0, data: { lyric: /^\[/ } })
  t.match((await server.get('/getSongListDetail/?disstid=7700000001')).body, { code: 0 })
  t.match(await server.get('/getLyric/'), { status: 400, body: { error: 'songmid: is required.' } })
  t.match(await server.get('/getSearchByKey/'), { status: 400, body: { error: 'key: is required.' } })
  t.equal((await server.get('/getRanks?limit=&limit=5')).body.data.songInfoList.length, 20)
  t.equal((await server.get('/getRanks?limit=3&limit=')).body.data.songInfoList.length, 3)
  const { body } = await server.post('/batchGetSongInfo', { songs: [['00DemoSong0001', null], ['00DemoSong0002', '']] })
  t.same(
    body.response.data.map(({ songinfo }: any) => songinfo.data.track_info.mid), ['00DemoSong0001', '00DemoSong0002']
  )
  t.equal((await server.post(
    '/batchGetSongInfo', { songs: [[null, 5000001]] }
  )).body.response.data[0].songinfo.data.track_info.id, 5000001)
  t.match(await server.post('/batchGetSongInfo', { songs: [[null]] }), {
    status: 400, body: { error: /^songs\[0\]: must have a MID/ }
  })
  t.match(await relayFor(t, demo).batchGetSongInfo({ songs: [['00DemoSong0001', null as never]] }), [{ songinfo: {} }])
})
