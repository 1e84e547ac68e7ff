/**
 * A cheap upstream: each call is answered once by the demo, then from memory, after a fixed delay. Messages switch its
 * faults. It counts its requests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { demoInProcess, startFaultServer } from '../faults/server.ts'
import type { Exchange, Healthy } from '../faults/server.ts'

export interface Orders {
  readonly latencyMs?: number
  /** This many of ten requests fail with 503, spread evenly. */
  readonly failing?: number
  readonly down?: boolean
  /** Hold time of a login poll, in milliseconds. */
  readonly holdMs?: number
  /** Resets the counters. */
  readonly reset?: boolean
}

export interface Counts { readonly asked: number, readonly most: number, readonly now: number }

const poll = '/connect/l/qrconnect'
const known = new Map<string, Promise<Healthy>>()
const orders = { latencyMs: 200, failing: 0, down: false, holdMs: 5000 }
let asked = 0
let now = 0
let most = 0

const server = await startFaultServer(demoInProcess())
server.fail(async (exchange) => {
  const nth = ++asked
  most = Math.max(most, ++now)
  let flying = true
  const land = (): void => {
    if (flying) now--
    flying = false
  }
  exchange.socket.once('close', land)
  await answer(exchange, nth)
  exchange.socket.off('close', land)
  land()
  server.received.length = 0
})

/** Requests contain arbitrary song numbers. A song of the demo replaces them all. */
const aboutKnownSong = (question: string): string => question.replaceAll(/("song_id":|"ids":\[)\d+/g, (_, before) => `${before}5000001`)

async function answer (exchange: Exchange, nth: number): Promise<void> {
  if (exchange.calls.includes(poll)) {
    await sleep(orders.holdMs)
    return exchange.answer("window.wx_errcode=408;window.wx_code='';", { type: 'text/javascript', headers: ['connection: close'] })
  }
  await sleep(orders.latencyMs)
  if (orders.down || nth * 7 % 10 < orders.failing) return exchange.answer('', { status: 503 })
  const key = exchange.calls.join()
  if (!known.has(key)) known.set(key, exchange.healthy(aboutKnownSong))
  const { status, type, body } = await known.get(key) as Healthy
  exchange.answer(body, { status, type })
}

process.on('message', ({ id, ask: { reset, ...given } }: { id: number, ask: Orders }) => {
  Object.assign(orders, given)
  if (reset === true) {
    asked = 0
    most = now
  }
  process.send?.({ id, told: { asked, most, now } satisfies Counts })
})
process.on('disconnect', () => { process.exit() })
process.send?.({ id: 0, told: server.origin })
