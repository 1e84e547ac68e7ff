/**
 * Searches for what makes the relay's memory grow most: random attacks of clients and of the upstream, then children of the
 * worst ones. The relay runs as it does in its container: the command itself, in a memory cgroup of 512 MB where the
 * machine lets us make one, with the clients told apart.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { commandLine, emptyFolder } from '../support/command.ts'
import { freePort } from '../support/freePort.js'
import { anyAttack, carryOut, crossed, randomFrom } from './attacks.ts'
import type { Attack } from './attacks.ts'
import { startBlowingUpstream } from './upstream.ts'

const megabyte = 1024 * 1024
/** Memory of the container, and the part of it that must be enough, in megabytes. */
export const container = 512
export const bar = container * 0.75

/** What one attack did. Sizes in megabytes. */
export interface Finding { readonly attack: Attack, readonly before: number, readonly peak: number, readonly in: number }

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
    return { tasks: `${folder}/cgroup.procs`, remove () { try { rmdirSync(folder) } catch { /* The machine removes it with its last process. */ } } }
  } catch {
    return undefined
  }
}

/** Searches for `seconds`, or with so many `attacks`; the same seed tries the same first attacks. */
export async function search ({ seconds = Infinity, attacks: most = Infinity, seed, progress = () => {} }: { readonly seconds?: number, readonly attacks?: number, readonly seed: number, readonly progress?: (line: string) => void }): Promise<Search> {
  const random = randomFrom(seed)
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
        peakMb = Math.max(peakMb, relay.memory('VmHWM'))
        await relay.stop()
        relay = await startRelay(upstream.origin, group?.tasks)
      }
      const parent = (): Attack => findings[Math.floor(random() * Math.min(findings.length, 8))]?.attack as Attack
      const attack = attacks < 10 || random() < 0.3 ? anyAttack(random) : crossed(parent(), parent(), random)
      upstream.blow = { how: attack.how, bytes: attack.bytes, packed: attack.packed, pieces: attack.pieces }
      const before = relay.memory('VmRSS')
      const sentBefore = upstream.sent()
      let peak = before
      const watch = setInterval(() => { peak = Math.max(peak, relay.memory('VmRSS')) }, 20)
      const sent = await carryOut(attack, relay.port, 1500, random)
      clearInterval(watch)
      attacks++
      findings.push({ attack, before, peak, in: (sent + upstream.sent() - sentBefore) / megabyte })
      findings.sort((a, b) => b.peak - b.before - (a.peak - a.before))
      findings.length = Math.min(findings.length, 16)
      progress(`${attacks}: ${before.toFixed(0)} to ${peak.toFixed(0)} MB, ${findings[0]?.attack === attack ? 'the worst so far: ' : ''}${JSON.stringify(attack)}`)
    }
    peakMb = Math.max(peakMb, relay.memory('VmHWM'))
    for (let times = 0; relay.alive() && times < 100 && !await relay.answers(); times++) await sleep(100)
    return { attacks, peakMb, worst: findings, alive: relay.alive() && await relay.answers(), confined: group !== undefined }
  } finally {
    await relay.stop()
    await upstream.close()
    group?.remove()
  }
}

interface RunningRelay {
  readonly port: number
  alive (): boolean
  answers (): Promise<boolean>
  /** Resident memory now, or at most so far, in megabytes; 0 if it has ended. */
  memory (field: 'VmRSS' | 'VmHWM'): number
  stop (): Promise<void>
}

/** Starts the command and resolves when it answers. `tasks`: the file of a cgroup that takes its process. */
async function startRelay (upstreamOrigin: string, tasks: string | undefined): Promise<RunningRelay> {
  const port = await freePort()
  const enter = tasks === undefined ? '' : `echo $$ > ${tasks} && `
  const child = spawn('sh', ['-c', `${enter}exec "$0" "$@"`, process.execPath, ...commandLine, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // Without the limits that depend on the machine's speed.
    env: { ...process.env, CONFIG_DIR: emptyFolder, HOST: '0.0.0.0', PORT: String(port), UPSTREAM_ORIGIN: upstreamOrigin, LOG_LEVEL: 'silent', UPSTREAM_RATE_PER_HOST: '0', SHED_DELAY_MS: '0' }
  })
  let alive = true
  const ended = new Promise<void>((resolve) => { child.once('exit', () => { alive = false; resolve() }) })
  const relay: RunningRelay = {
    port,
    alive: () => alive,
    answers: async () => await request(`http://127.0.0.1:${port}/health/live`).then(async ({ statusCode, body }) => { await body.dump(); return statusCode === 200 }, () => false),
    memory: (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(alive ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '')?.[1] ?? 0) / 1024,
    async stop () {
      child.kill('SIGKILL')
      await ended
    }
  }
  while (alive && !await relay.answers()) await sleep(50)
  return relay
}
