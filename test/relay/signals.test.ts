/** One signal may serve many calls of the library and of the client: none of them leaves a listener on it. */
import { getEventListeners } from 'node:events'
import { createClient } from '../../src/library/client.ts'
import type { RelayFunctions } from '../../src/library/types.ts'
import { relayFor } from '../support/helper.ts'
import { served } from '../support/served.ts'

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
