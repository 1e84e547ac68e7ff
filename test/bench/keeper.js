/**
 * A relay that has kept many answers. To ask the upstream for a million would take minutes, so it is asked for one, and
 * its copies, each with bytes of its own, are put into the cache under the keys of other questions. Arguments: how
 * many, and the setting
 * `cacheBytes` (its default). From the last question to the first, so that the first ones are the newest.
 */
import { buildApp } from '../../dist/index.js'

const [answers, cacheBytes] = process.argv.slice(2)
const app = await buildApp({
  logLevel: 'warn', host: '127.0.0.1', upstreamOrigin: process.env.UPSTREAM, shedDelayMs: 60_000,
  ...cacheBytes === '' ? {} : { cacheBytes: Number(cacheBytes) }
})
const answer = await app.inject({ url: '/getSongInfo?songmid=00DemoSong0001', headers: { host: 'localhost' } })
const { cache } = app.runtime.answers
const text = cache.keys().find((key) => key.includes('00DemoSong0001'))
const entry = cache.getFresh({ text })
if (entry === undefined) throw new Error(`nothing was kept: ${answer.payload}`)
for (let at = Number(answers) - 1; at >= 0; at--) {
  const body = Buffer.from(entry.body)
  cache.set({ account: undefined, text: text.replace('00DemoSong0001', `song_${at}`) }, {
    ...entry, body, etag: `"${String(at).padStart(27, '0')}"`
  })
}
await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`listening http://127.0.0.1:${app.server.address().port} with ${cache.size().entries} answers of ${entry.body.length} bytes`)
process.on('SIGTERM', () => { process.exit() })
