/**
 * Searches for what makes the relay's memory grow most: random attacks of clients and of the upstream, then children of
 * the worst ones. The relay runs as it does in its container: the command itself, in a memory cgroup of 512 MB where
 * the machine lets us make one, with the clients told apart.
 */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '../../src/demo/catalogue/random.ts'
import { startProgram, statusOf, type Server } from '../bench/children.ts'
import { commandLine, emptyFolder, root } from '../support/commandProcess.ts'
import { anyAttack, carryOut, crossed, type Attack } from './attacks.ts'
import { startBlowingUpstream } from './upstream.ts'

const megabyte = 1024 * 1024
/** Memory of the container, and the part of it that must be enough, in megabytes. */
export const container = 512
export const bar = container * 0.75

/** What one attack did. Sizes in megabytes. */
export interface Finding {
  readonly attack: Attack
  readonly before: number
  readonly peak: number
  readonly in: number
}

export interface Search {
  readonly attacks: number
  /** Most memory at any time, as the operating system counted it, in megabytes. */
  readonly peakMb: number
  /** The worst attacks, the worst one first. */
  readonly worst: readonly Finding[]
  /** Whether the process lived to the end and answered then. */
  readonly alive: boolean
  /** Whether the limit of the container was really set. */
  readonly confined: boolean
}

/** Makes a memory cgroup, or returns undefined where that is not possible. */
function cgroup (): { readonly tasks: string, remove (): void } | undefined {
  const folder = `/sys/fs/cgroup/memory/music-relay-test-${process.pid}`
  try {
    mkdirSync(folder)
    writeFileSync(`${folder}/memory.limit_in_bytes`, String(container * megabyte))
    return { tasks: `${folder}/cgroup.procs`, remove () {
      try { rmdirSync(folder) } catch { /* The machine removes it with its last process. */ }
    } }
  } catch {
    return undefined
  }
}

/** Searches for `seconds`, or with so many `attacks`; the same seed tries the same first attacks. */
export async function search ({ seconds = Infinity, attacks: most = Infinity, seed, progress = () => {} }: {
  readonly seconds?: number, readonly attacks?: number, readonly seed: number,
  readonly progress?: (line: string) => void
}): Promise<Search> {
  const { next: random } = randomFrom(seed)
  const upstream = await startBlowingUpstream()
  const group = cgroup()
  let relay = await startRelay(upstream.origin, group?.tasks)
  let peakMb = 0

  const findings: Finding[] = []
  let attacks = 0
  const end = Date.now() + seconds * 1000
  try {
    while (relay.alive() && Date.now() < end && attacks < most) {
      // The circuit breakers of a relay that was attacked for long keep most of a further attack away.
      if (attacks % 12 === 11) {
        peakMb = Math.max(peakMb, relay.memory().peak)
        await relay.end('SIGKILL')
        relay = await startRelay(upstream.origin, group?.tasks)
      }
      const parent = (): Attack => findings[Math.floor(random() * Math.min(findings.length, 8))]?.attack as Attack
      const attack = attacks < 10 || random() < 0.3 ? anyAttack(random) : crossed(parent(), parent(), random)
      upstream.blow = { how: attack.how, bytes: attack.bytes, packed: attack.packed, pieces: attack.pieces }
      const before = relay.memory().now
      const sentBefore = upstream.sent()
      let peak = before
      const watch = setInterval(() => { peak = Math.max(peak, relay.memory().now) }, 20)
      const sent = await carryOut(attack, relay.port, 1500, random)
      clearInterval(watch)
      attacks++
      findings.push({ attack, before, peak, in: (sent + upstream.sent() - sentBefore) / megabyte })
      findings.sort((a, b) => b.peak - b.before - (a.peak - a.before))
      findings.length = Math.min(findings.length, 16)
      progress(`${attacks}: ${before.toFixed(0)} to ${peak.toFixed(0)} MB, ${findings[0]?.attack === attack ? 'the worst so far: ' : ''}${JSON.stringify(attack)}`)
    }
    peakMb = Math.max(peakMb, relay.memory().peak)
    for (let times = 0; relay.alive() && times < 100 && !await answers(relay); times++) await sleep(100)
    return {
      attacks, peakMb, worst: findings, alive: relay.alive() && await answers(relay), confined: group !== undefined
    }
  } finally {
    await relay.end('SIGKILL')
    await upstream.close()
    group?.remove()
  }
}

const answers = async (relay: Server): Promise<boolean> => await statusOf(relay, '/health/live') === 200

/** Starts the command. `tasks`: the file of a cgroup that takes its process. */
const startRelay = async (upstreamOrigin: string, tasks: string | undefined): Promise<Server> => await startProgram(
  (port) =>
    ['sh', '-c', `${tasks === undefined ? '' : `echo $$ > ${tasks} && `}exec "$0" "$@"`, 'env', `PORT=${port}`, process.execPath, ...commandLine, 'serve'],
  '/health/live',
  // Without the limits that depend on the machine's speed.
  { folder: root, pin: false, env: {
    ...process.env, CONFIG_DIR: emptyFolder, HOST: '0.0.0.0', UPSTREAM_ORIGIN: upstreamOrigin, LOG_LEVEL: 'silent',
    UPSTREAM_RATE_PER_HOST: '0', SHED_DELAY_MS: '0'
  } }
)
