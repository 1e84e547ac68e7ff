/** Measures what answers cost: CPU of the built relay at full load, with the load and the upstream of the benchmark. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHelper, startRelay } from '../bench/children.ts'
import type { Server } from '../bench/children.ts'
import { standing, uncached, wide } from '../bench/ground.ts'
import type { Load, Outcome } from '../bench/load.ts'
import { usual } from '../support/opensubsonicPlayer.ts'
import type { Costs } from './model.ts'

/** Duration of one measurement, after one of the same length that is not counted. */
const seconds = 4

/** Microseconds of CPU for answers to these paths, and for each request to the upstream that they take when nothing is cached. `cookie`: the login of players. */
export async function cpuOf (paths: readonly string[], cookie: string): Promise<Pick<Costs, 'answerUs' | 'upstreamUs'>> {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'))
  writeFileSync(join(folder, 'user-info.json'), JSON.stringify({ cookie }), { mode: 0o600 })
  const env = { CONFIG_DIR: folder, SUBSONIC_PASSWORD: usual.p, RATE_LIMIT: '0' }
  const load = await startHelper<Load, Outcome>('load.ts')
  try {
    return await standing((origin) => [startRelay(origin, { ...env, ...wide }), startRelay(origin, { ...env, ...uncached })], async (relays, upstream) => {
      const measure = async (relay: Server): Promise<{ us: number, requests: number }> => {
        const pass = async (): Promise<Outcome> => await load.ask({ port: relay.port, paths, connections: 10, seconds })
        await pass()
        await upstream.ask({})
        const before = relay.cpuMs()
        const { requests } = await pass()
        return { us: (relay.cpuMs() - before) * 1000 / requests, requests: (await upstream.ask({})).requests / requests }
      }
      const [cached, asking] = [await measure(relays[0] as Server), await measure(relays[1] as Server)]
      const upstreamUs = (asking.us - cached.us) / (asking.requests - cached.requests)
      return { answerUs: cached.us - cached.requests * upstreamUs, upstreamUs }
    })
  } finally {
    await load.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
