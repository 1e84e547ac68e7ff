/**
 * Searches for what makes the relay's memory grow most: random attacks of clients and of the upstream, then children of the
 * worst ones. The relay runs as it does in its container: the command itself, in a memory cgroup of 512 MB where the
 * machine lets us make one, with the clients told apart.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { commandLine, emptyFolder } from '../command.ts'
import { freePort } from '../raw.ts'
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

/** Searches for `seconds`; the same seed tries the same first attacks. */
export async function search ({ seconds, seed, progress = () => {} }: { readonly seconds: number, readonly seed: number, readonly progress?: (line: string) => void }): Promise<Search> {
  const random = randomFrom(seed)
  const upstream = await startBlowingUpstream()
  const port = await freePort()
  const group = cgroup()
  const enter = group === undefined ? '' : `echo $$ > ${group.tasks} && `
  const relay = spawn('sh', ['-c', `${enter}exec "$0" "$@"`, process.execPath, ...commandLine, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, CONFIG_DIR: emptyFolder, HOST: '0.0.0.0', PORT: String(port), UPSTREAM_ORIGIN: upstream.origin, LOG_LEVEL: 'silent', UPSTREAM_RATE_PER_HOST: '0' }
  })
  let alive = true
  const ended = new Promise<void>((resolve) => { relay.once('exit', () => { alive = false; resolve() }) })
  const statusOf = (field: 'VmRSS' | 'VmHWM'): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(alive ? readFileSync(`/proc/${relay.pid}/status`, 'utf8') : '')?.[1] ?? 0) / 1024
  const answers = async (): Promise<boolean> => await request(`http://127.0.0.1:${port}/health/live`).then(async ({ statusCode, body }) => { await body.dump(); return statusCode === 200 }, () => false)
  while (alive && !await answers()) await sleep(50)

  const findings: Finding[] = []
  let attacks = 0
  const end = Date.now() + seconds * 1000
  try {
    while (alive && Date.now() < end) {
      const parent = (): Attack => findings[Math.floor(random() * Math.min(findings.length, 8))]?.attack as Attack
      const attack = attacks < 10 || random() < 0.3 ? anyAttack(random) : crossed(parent(), parent(), random)
      upstream.blow = { how: attack.how, bytes: attack.bytes, packed: attack.packed, pieces: attack.pieces }
      const before = statusOf('VmRSS')
      const sentBefore = upstream.sent()
      let peak = before
      const watch = setInterval(() => { peak = Math.max(peak, statusOf('VmRSS')) }, 20)
      const sent = await carryOut(attack, port, 1500, random)
      clearInterval(watch)
      attacks++
      findings.push({ attack, before, peak, in: (sent + upstream.sent() - sentBefore) / megabyte })
      findings.sort((a, b) => b.peak - b.before - (a.peak - a.before))
      findings.length = Math.min(findings.length, 16)
      progress(`${attacks}: ${before.toFixed(0)} to ${peak.toFixed(0)} MB, ${findings[0]?.attack === attack ? 'the worst so far: ' : ''}${JSON.stringify(attack)}`)
    }
    const peakMb = statusOf('VmHWM')
    for (let times = 0; alive && times < 100 && !await answers(); times++) await sleep(100)
    return { attacks, peakMb, worst: findings, alive: alive && await answers(), confined: group !== undefined }
  } finally {
    relay.kill('SIGKILL')
    await ended
    await upstream.close()
    group?.remove()
  }
}
