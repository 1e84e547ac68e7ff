/** Callers who leave, what is left on their signals, and the deadline of those who stay. */
import { getEventListeners } from 'node:events'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { withCookie } from '../../src/relay/identity.ts'
import { execute } from '../../src/relay/run.ts'
import type { AccountBook } from '../../src/relay/accountBook.ts'
import type { UpstreamReport } from '../../src/upstream/send.ts'
import { cookieOf, endpoints, until, relayFor } from '../support/helper.ts'
import { household } from '../support/household.ts'
import { unhurried } from '../support/unhurried.ts'
import { createClient } from '../../src/library/httpClient.ts'
import type { RelayFunctions } from '../../src/library/types.ts'
import { served } from '../support/stage.ts'
import { testClock } from '../support/clock.ts'

const liked = 'music.srfDissInfo.DissInfo/CgiGetDiss'

t.test('a caller who left while its login is renewed gets the refusal, and no call with the new key', async (t) => {
  const { demo, accounts } = await household(t)
  /** The end of each renewal under way. */
  const renewals: ((cookie: string) => void)[] = []
  const book: AccountBook =
    { ...accounts, replaced: async () => await new Promise((resolve) => { renewals.push(resolve) }) }
  const app = await buildApp({
    docs: false, pages: false, cache: false, logLevel: 'silent', ...unhurried, upstreamOrigin: demo.origin,
    accounts: book
  })
  t.teardown(async () => { await app.close() })
  const cookie = cookieOf(demo, 'member')
  const identity =
    { ...withCookie({ source: 'account', credential: undefined, cookies: [] }, cookie), account: 'member' }
  for (const leaves of [true, false]) {
    demo.reset()
    demo.next(liked, { code: 1000 })
    const caller = new AbortController()
    const reports: UpstreamReport[] = []
    const asked = execute(endpoints['getUserLikedSongs'] as never, { limit: 5, offset: 0 }, {
      identity,
      signal: caller.signal,
      onUpstreamRequest (report) { reports.push(report) }
    }, app.runtime).then(() => 'answered', ({ code }: { code: string }) => code)
    await until(() => renewals.length > 0)
    const before = reports.length
    if (leaves) caller.abort()
    renewals.pop()?.(cookie)
    t.equal(await asked, leaves ? 'COOKIE_REJECTED' : 'answered')
    t.equal(reports.length - before > 0, !leaves, leaves ? 'nothing more is asked' : 'who stays is answered with the new key')
  }
})

served('a call that is answered, refused or fails leaves no listener on the signal of its caller', async ({ t, demo, server }) => {
  const client = createClient(server.address)
  t.teardown(async () => { await client.close() })
  const calls: readonly ((relay: RelayFunctions, signal: AbortSignal) => Promise<unknown>)[] = [
    async (relay, signal) => await relay.getSongInfo({ songmid: '00DemoSong0001' }, { signal }),
    async (relay, signal) => await relay.getAlbumInfo({ albummid: '00DemoAlbu0001' }, { signal }),
    async (relay, signal) => await relay.getSongInfo({ songmid: 'absent' }, { signal }),
    async (relay, signal) => await relay.getDailyRecommend({}, { signal }),
    async (relay, signal) => await relay.getMainLoginQr({}, { signal })
  ]
  for (const [name, relay] of [['library', relayFor(t, demo)], ['client', client]] as const) {
    const { signal } = new AbortController()
    const settled = await Promise.allSettled(calls.map(async (call) => await call(relay, signal)))
    t.same(settled.map(({ status }) => status), ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'], name)
    t.same(getEventListeners(signal, 'abort'), [], name)
  }
})

const clock = testClock()
const hotkeys = 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'

served('an upstream that never answers is given up after the deadline, not before', {
  ...clock.options, tuning: { headersTimeoutMs: 600_000, bodyTimeoutMs: 600_000 }
}, async ({ t, demo, server }) => {
  demo.next(hotkeys, { hang: true })
  let ended = false
  const answer = server.get('/getHotkey').finally(() => { ended = true })
  await until(() => demo.inFlight(hotkeys) === 1)
  await clock.advance(7999)
  t.notOk(ended)
  await clock.advance(1)
  t.match(await answer, { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
})
