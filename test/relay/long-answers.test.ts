/** Long answers from the cache: made slice by slice, kept while their pages are fresh, and given to nobody with other rights. */
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { cookieOf, demoFor } from '../support/helper.ts'
import { unhurried } from '../support/unhurried.ts'
import { testClock } from '../support/clock.ts'
import { turnsOf } from '../support/growth.ts'
import { householdTest, queryOf } from '../support/opensubsonicPlayer.ts'
import { whole } from '../support/whole.ts'

const password = 'of the house'

t.test('thousands of liked songs and a playlist of thousands never hold the loop, and are made once while their pages are fresh', { timeout: 120_000 }, async (t) => {
  const demo = await demoFor(t, { memberLikes: whole ? 10_000 : 2000 })
  const clock = testClock()
  const app = await buildApp({
    docs: false, pages: false, logLevel: 'silent', ...unhurried, ...clock.options, upstreamOrigin: demo.origin,
    imageOrigin: demo.origin, subsonicPassword: password,
    cacheBytes: 256 * 1024 * 1024, playerCookie: () => cookieOf(demo, 'member'), rateLimit: 0, upstreamRatePerHost: 0
  })
  t.teardown(async () => { await app.close() })
  const ask = async (method: string, more: object): Promise<string> => {
    const { statusCode, payload } = await app.inject(`/rest/${method}?${queryOf({ u: 'a', p: password, ...more } as never)}`)
    t.equal(statusCode, 200)
    return payload
  }
  await ask('getStarred2', {}) // the pages are in the cache from here on
  const { sliceBytes } = app.runtime.answers.limits
  for (const [method, more] of [
    ['getStarred2', { f: 'json' }], ['getStarred', {}], ['getPlaylist', { id: 'li-liked', f: 'json' }],
    ['getPlaylist', { id: 'li-liked' }]
  ] as const) {
    let text = ''
    const first = await turnsOf(async () => { text = await ask(method, more) })
    t.ok(text.length > 1_000_000, `${text.length}`)
    t.ok(first.most < 4 * sliceBytes, `${method}: ${first.most} characters in one turn`)
    t.ok(first.turns > text.length / sliceBytes, `${method}: ${first.turns} turns`)
    let again = ''
    const second = await turnsOf(async () => { again = await ask(method, more) })
    t.equal(again, text)
    t.ok(second.most < 10_000, `${method}: made again`)
  }
  const questions = demo.received.length
  await clock.advance(11 * 60_000)
  await ask('getStarred2', { f: 'json' })
  t.ok(demo.received.length > questions, 'the pages are not fresh any more')
})

householdTest('a finished answer is for one account, one format, and not for a key with other rights', {
  cache: true
}, async ({ t, accounts, secrets, play, bare }) => {
  const blind = await accounts.addKey('member', 'blind', { noLoginEndpoints: true })
  const of = async (apiKey: string): Promise<any> => (await play('getStarred2', { apiKey })).body
  await of(secrets.member) // from here on, the index of the library is in memory, with its numbers of albums
  const own = await of(secrets.member)
  t.same(await of(secrets.member), own)
  t.not((await of(secrets.child)).starred2.song[0]?.id, own.starred2.song[0].id)
  t.match((await play('getStarred2', { apiKey: blind })).error, { code: 50 })
  t.match((await bare('getStarred2', { apiKey: secrets.member })).text, /^<\?xml/)
  t.match((await bare('getStarred2', { apiKey: secrets.member, f: 'jsonp', callback: 'x' })).text, /^\/\*\*\/x\(/)
  t.match((await bare('getStarred2', { apiKey: secrets.member, f: 'jsonp', callback: 'y' })).text, /^\/\*\*\/y\(/)
})
