import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { demoAccounts, type DemoAccount } from './accounts.ts'
import { buildWorks } from './catalogue/index.ts'
import type { Catalogue, Works } from './catalogue/types.ts'
import type { Asked, Stage } from './hostHandler.ts'
import { enter, upstreamHosts } from './hostHandlers.ts'
import { faults, type HttpFault } from './faults.ts'
import { filmPages } from './films.ts'
import { gbkEncoder } from './gbk.ts'
import { buildKeys, type KeyVerbs } from './keys.ts'
import { buildLogins, type LoginVerbs } from './login.ts'
import { moodPages } from './moodPages.ts'
import { buildMoods, type MoodVerbs } from './moods.ts'
import { ownPages } from './pages.ts'
import { scanPages } from './scanPages.ts'
import { recorder } from './recorder.ts'
import type { Fault, Received } from './types.ts'

export type { DemoAccount } from './accounts.ts'
export type { KeyState, KeyVerbs } from './keys.ts'
export type { MoodVerbs } from './moods.ts'
export type { Fault, Received } from './types.ts'

export interface DemoOptions {
  /** 0 takes a free port. */
  port?: number
  /** Delay of every answer of an upstream host, in milliseconds. */
  latencyMs?: number
  /** The clock, in milliseconds since the epoch. Tests of expiry replace it, or move it: `demo.clock`. */
  now?: () => number
  /** Hold time of a login's long poll without news, in milliseconds (15000). */
  holdMs?: number
  /** Phone programs count as known devices with any ids (false). */
  trustDevices?: boolean
  /** Names of the moods that are on from the start. */
  moods?: readonly string[]
  /** Number of the member's liked songs (140). The catalogue grows with them. */
  memberLikes?: number
  /** The contents of the catalogue, if several demos share it. Built by default: `buildWorks`. */
  works?: Works | undefined
}

/** Paths of pictures, songs, films and scan pages, for browsers and players. */
export const mediaPaths = ['/music/photo_new', '/audio', '/film', '/scan'] as const

export interface DemoUpstream {
  /** `http://127.0.0.1:PORT` */
  origin: string
  /** All requests to upstream hosts, in order. Requests for the demo's own pages are not recorded. */
  received: Received[]
  /**
   * Received requests that contain this call. The name may begin with a host: `c6.y.qq.com/soso/…`,
   * `u.y.qq.com/module/method`.
   */
  calls: (name: string) => Received[]
  /** Number of HTTP requests in flight that contain this call: now, and at most since the last reset. */
  inFlight: (name: string) => number
  maxInFlight: (name: string) => number
  /**
   * Replaces the answers to the next `times` (1) requests of this call. The name may begin with a host, and end with
   * one parameter:
   * `module/method?dirid=202`.
   */
  next: (name: string, fault: Fault, times?: number) => void
  /** States of the upstream that last until they are switched off. Queued faults come first. */
  moods: MoodVerbs
  /** Clears the recorded requests, the faults and the maxima. Moods stay. */
  reset: () => void
  accounts: DemoAccount[]
  /** The music keys of the accounts: their validity and the ways to end it. */
  keys: KeyVerbs
  /** The demo's clock, in milliseconds since the epoch. `move` adds so many milliseconds to it. */
  clock: { now: () => number, move: (ms: number) => void }
  /** Simulates a user with a phone. A QR code is named by its qrsig or uuid. */
  login: LoginVerbs
  /** Answers a request that another server received for one of the `mediaPaths`. */
  page: (request: IncomingMessage, response: ServerResponse) => void
  close: () => Promise<void>
}

export interface BuiltDemo {
  app: FastifyInstance
  /** Address of the listening demo. The catalogue contains it and is therefore built when it is first needed. */
  origin: () => string
  controls: Omit<DemoUpstream, 'origin' | 'page' | 'close'>
  catalogue: () => Catalogue
}

function flatHeaders (headers: FastifyRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map((
    [name, value]
  ) => [name, Array.isArray(value) ? value.join(', ') : value ?? '']))
}

function askedOf (request: FastifyRequest): Asked {
  const url = new URL(request.url, 'http://demo.invalid')
  return {
    host: (request.headers.host ?? '').replace(/:\d+$/, ''),
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: flatHeaders(request.headers),
    text: typeof request.body === 'string' ? request.body : ''
  }
}

/** Compresses on request, as the real upstream does, so that tests notice a client that cannot decompress. */
async function send (answer: HttpFault, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if ('hang' in answer || 'reset' in answer) {
    reply.hijack()
    if ('reset' in answer) request.raw.socket.destroy()
    return undefined
  }
  const body = answer.body ?? ''
  reply.code('status' in answer ? answer.status : 200).headers({
    'content-type': 'application/json; charset=utf-8',
    ...answer.headers
  })
  const packed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')) && body.length > 1024
    && !answer.headers?.['content-encoding']
  if (!packed) return body
  reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding')
  // Synchronously and with small tables: most answers are small, and a thread and large tables would take longer than
  // compressing.
  return gzipSync(body, { level: 1, windowBits: 12, memLevel: 4 })
}

/** Builds the Fastify app without listening. All state is in the returned values; none is global. */
export function buildDemoUpstream (options: DemoOptions = {}): BuiltDemo {
  const { latencyMs = 0, holdMs = 15_000, trustDevices = false, moods: moodNames = [], memberLikes, works } = options
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 4 * 1024 * 1024,
    routerOptions: { maxParamLength: 500 }
  })
  const record = recorder()
  const texts = new Map<string, string>()
  const gbk = gbkEncoder()
  const turns = new Map<string, number>()
  const secret = randomBytes(16).toString('hex')
  let built: Catalogue | undefined

  const origin = (): string => `http://127.0.0.1:${(app.server.address() as AddressInfo | null)?.port ?? 0}`
  const catalogue = (): Catalogue => built ??= { ...(works ?? buildWorks(memberLikes)), origin: origin() }

  let ahead = 0
  const real = options.now ?? Date.now
  const now = (): number => real() + ahead

  const keys = buildKeys({ now })
  const moods = buildMoods({ keys, now })
  for (const name of moodNames) moods.on(name)
  const due = faults(moods.standing)
  const logins = buildLogins({ origin, now, holdMs })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))

  app.route({
    method: ['GET', 'POST'],
    url: '/*',
    constraints: { host: upstreamHosts },
    handler: async (request, reply) => {
      const asked = askedOf(request)
      const entered = enter(asked)
      const { host, method, path, query, headers } = asked
      const landed = record.begin({
        host,
        method,
        path,
        query,
        headers,
        body: entered.body,
        calls: entered.calls,
        at: now()
      })
      const gone = new AbortController()
      reply.raw.once('close', () => {
        landed()
        if (!reply.raw.writableFinished) gone.abort()
      })
      const stage: Stage = {
        catalogue: catalogue(),
        faults: due,
        texts,
        gbk,
        secret,
        now,
        logins,
        keys,
        turns,
        trustDevices,
        gone: gone.signal
      }
      if (latencyMs > 0) await sleep(latencyMs)
      return send(await entered.answer(stage), request, reply)
    }
  })
  void app.register(ownPages, { catalogue, secret, now })
  void app.register(moodPages, { moods })
  void app.register(scanPages, { logins })
  void app.register(filmPages, { catalogue, secret, now })

  const controls: BuiltDemo['controls'] = {
    received: record.received,
    calls: record.calls,
    inFlight: record.inFlight,
    maxInFlight: record.maxInFlight,
    next: due.next,
    moods,
    reset: () => {
      record.reset()
      due.reset()
    },
    accounts: demoAccounts(),
    keys,
    clock: { now, move: (ms) => { ahead += ms } },
    login: logins
  }
  return { app, origin, controls, catalogue }
}

/** Starts a demo that listens on loopback. Every call starts an independent demo with the same catalogue. */
export async function startDemoUpstream (options: DemoOptions = {}): Promise<DemoUpstream> {
  const { app, origin, controls, catalogue } = buildDemoUpstream(options)
  await app.listen({ port: options.port ?? 0, host: '127.0.0.1' })
  catalogue()
  return { ...controls, origin: origin(), page: app.routing, close: async () => { await app.close() } }
}
