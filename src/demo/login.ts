import { randomBytes } from 'node:crypto'
import { accountNamed } from './accounts.ts'
import type { DemoAccount, Registered } from './accounts.ts'

export type Channel = 'main' | 'alt'
type State = 'waiting' | 'scanned' | 'confirmed' | 'spent' | 'cancelled' | 'expired'

/** One QR code. `id` is what the client holds: qrsig or uuid. */
export interface ScanSession {
  readonly channel: Channel
  readonly id: string
  readonly begun: number
  state: State
  account: Registered
}

/** What a person with a phone does, and what a test needs instead of waiting. */
export interface LoginVerbs {
  /** A code without its picture; its id. */
  open: (channel: Channel) => string
  scan: (id: string) => void
  /** The account that confirms: `ordinary` on the main channel and `member` on the other, unless named. */
  confirm: (id: string, account?: DemoAccount['name']) => void
  cancel: (id: string) => void
  expire: (id: string) => void
  /** Ends the hold of every poll that is waiting for this code: 408, as after its natural end. */
  elapse: (id: string) => void
  /** Fulfilled when this many polls of the code are being held. */
  held: (id: string, count: number) => Promise<void>
  /** Ids of the codes given out, latest last. */
  ids: (channel: Channel) => string[]
  /** Where scanning happens: a page of the demo. */
  scanUrl: (id: string) => string
}

export interface Logins extends LoginVerbs {
  begin: (channel: Channel) => ScanSession
  find: (channel: Channel, id: string) => ScanSession | undefined
  /** Resolves at the next change of the code, when its hold is over, or when the asker is gone. */
  change: (session: ScanSession, gone: AbortSignal) => Promise<void>
  /** A thing that is good for one use, and the account it stands for. */
  issue: (kind: Ticket['kind'], account: Registered) => string
  redeem: (kind: Ticket['kind'], value: string) => Registered | undefined
}

interface Ticket { kind: 'sign' | 'key' | 'main-code' | 'alt-code', account: Registered }

export interface LoginOptions {
  origin: () => string
  now: () => number
  /** How long a long poll is held without news; the real one was measured at 15 s. */
  holdMs: number
}

/** A demo that runs for weeks must not grow. */
const keep = 1000
/** Lifetimes seen: about two minutes, and about five. */
const lifetimeMs: Readonly<Record<Channel, number>> = { main: 120_000, alt: 300_000 }

const letters = (count: number): string => randomBytes(count).toString('base64url').slice(0, count).replaceAll('=', 'A')

export function buildLogins ({ origin, now, holdMs }: LoginOptions): Logins {
  const sessions = new Map<string, ScanSession>()
  const tickets = new Map<string, Ticket>()
  const waiting = new Map<string, Set<() => void>>()
  const watchers = new Set<() => void>()

  function remember<T> (map: Map<string, T>, key: string, value: T): void {
    map.set(key, value)
    const oldest = map.keys().next()
    if (map.size > keep && !oldest.done) map.delete(oldest.value)
  }

  const heldNow = (id: string): number => waiting.get(id)?.size ?? 0
  const wake = (id: string): void => { for (const go of waiting.get(id) ?? []) go() }

  function known (id: string): ScanSession {
    const session = sessions.get(id)
    if (!session) throw new RangeError('no such QR code')
    return session
  }

  function move (id: string, state: State, account?: DemoAccount['name']): void {
    const session = known(id)
    session.state = state
    if (account) session.account = accountNamed(account)
    wake(id)
  }

  function find (channel: Channel, id: string): ScanSession | undefined {
    const session = sessions.get(id)
    if (!session || session.channel !== channel) return undefined
    if (now() - session.begun > lifetimeMs[channel] && (session.state === 'waiting' || session.state === 'scanned')) session.state = 'expired'
    return session
  }

  async function change (session: ScanSession, gone: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const own = waiting.get(session.id) ?? new Set()
      const go = (): void => {
        clearTimeout(timer)
        gone.removeEventListener('abort', go)
        own.delete(go)
        if (own.size === 0) waiting.delete(session.id)
        resolve()
        for (const look of watchers) look()
      }
      const timer = setTimeout(go, holdMs)
      own.add(go)
      waiting.set(session.id, own)
      gone.addEventListener('abort', go, { once: true })
      if (gone.aborted) go()
      for (const look of watchers) look()
    })
  }

  async function held (id: string, count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (heldNow(id) !== count) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
    })
  }

  function begin (channel: Channel): ScanSession {
    const id = channel === 'main' ? letters(86) : letters(16)
    const session: ScanSession = { channel, id, begun: now(), state: 'waiting', account: accountNamed(channel === 'main' ? 'ordinary' : 'member') }
    remember(sessions, id, session)
    return session
  }

  return {
    begin,
    open: (channel) => begin(channel).id,
    find,
    change,
    issue: (kind, account) => {
      const value = kind === 'main-code' ? randomBytes(16).toString('hex').toUpperCase() : kind === 'sign' ? randomBytes(64).toString('hex') : letters(kind === 'key' ? 43 : 32)
      remember(tickets, value, { kind, account })
      return value
    },
    redeem: (kind, value) => {
      const ticket = tickets.get(value)
      if (ticket?.kind !== kind) return undefined
      tickets.delete(value)
      return ticket.account
    },
    scan: (id) => move(id, 'scanned'),
    confirm: (id, account) => move(id, 'confirmed', account),
    cancel: (id) => move(id, 'cancelled'),
    expire: (id) => move(id, 'expired'),
    elapse: wake,
    held,
    ids: (channel) => [...sessions.values()].filter((session) => session.channel === channel).map(({ id }) => id),
    scanUrl: (id) => `${origin()}/scan/${known(id).channel}/${id}`
  }
}
