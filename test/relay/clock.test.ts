/** Deadlines of a relay, on a clock that only the test moves. */
import { testClock } from '../support/clock.ts'
import { until } from '../support/helper.ts'
import { served } from '../support/served.ts'

const clock = testClock()
const hotkeys = 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'

served('an upstream that never answers is given up after the deadline, not before', { ...clock.options, tuning: { headersTimeoutMs: 600_000, bodyTimeoutMs: 600_000 } }, async ({ t, demo, server }) => {
  demo.next(hotkeys, { hang: true })
  let ended = false
  const answer = server.get('/getHotkey').finally(() => { ended = true })
  await until(() => demo.inFlight(hotkeys) === 1)
  await clock.advance(7999)
  t.notOk(ended)
  await clock.advance(1)
  t.match(await answer, { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
})
