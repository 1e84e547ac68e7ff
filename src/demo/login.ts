import { randomBytes } from 'node:crypto'
import { accountNamed, type AccountName, type Registered } from './accounts.ts'

export type Channel = 'main' | 'alt'

/** Observed names of the sign-on cookie of the main channel (2026-09). */
export const signOnNames = ['p_skey', 'p-skey', 'pskey', 'ptsigx'] as const
export type SignOnName = typeof signOnNames[number]

type State = 'waiting' | 'scanned' | 'confirmed' | 'spent' | 'cancelled' | 'expired'

/** One QR code. `id` identifies it to the client: the qrsig or the uuid. */
export interface ScanSession {
  readonly channel: Channel
  readonly id: string
  readonly begun: number
  state: State
  account: Registered
}

/** Simulates a user with a phone, and lets tests skip the waiting times. */
export interface LoginVerbs {
  /** Opens a code without a picture and returns its id. */
  open: (channel: Channel) => string
  scan: (id: string) => void
  /** Confirms the code as this account. Default: `ordinary` on the main channel, `member` on the alternative one. */
  confirm: (id: string, account?: AccountName) => void
  cancel: (id: string) => void
  expire: (id: string) => void
  /** Ends every long poll that waits for this code with 408, as if its hold time were over. */
  elapse: (id: string) => void
  /** Resolves once this many polls of the code are held. */
  held: (id: string, count: number) => Promise<void>
  /** Ids of the issued codes, latest last. */
  ids: (channel: Channel) => string[]
  /** From now on, the sign-on cookie of the main channel has this name. Default: `p_skey`. */
  nameSignOn: (name: SignOnName) => void
  /** Address of the page of the demo that simulates the scan. */
  scanUrl: (id: string) => string
}

export interface Logins extends LoginVerbs {
  /** The name of the sign-on cookie. */
  signOnName: () => SignOnName
  begin: (channel: Channel) => ScanSession
  find: (channel: Channel, id: string) => ScanSession | undefined
  /** Resolves at the next change of the code, after the hold time, or when the client disconnects. */
  change: (session: ScanSession, gone: AbortSignal) => Promise<void>
  /** Issues a ticket for this account that can be redeemed once. */
  issue: (kind: Ticket['kind'], account: Registered) => string
  redeem: (kind: Ticket['kind'], value: string) => Registered | undefined
}

interface Ticket { kind: 'sign' | 'key' | 'main-code' | 'alt-code', account: Registered }

export interface LoginOptions {
  origin: () => string
  now: () => number
  /** Hold time of a long poll without news, in milliseconds. The real one was measured at 15 s. */
  holdMs: number
}

/** Maximum number of codes and tickets in memory: a demo that runs for weeks must not grow. */
const mostScans = 1000
/** Observed lifetimes: about two minutes (main) and about five (alternative). */
const lifetimeMs: Readonly<Record<Channel, number>> = { main: 120_000, alt: 300_000 }

const letters = (count: number): string => randomBytes(count).toString('base64url').slice(0, count).replaceAll('=', 'A')

/** The login state of one demo: its QR codes and one-time tickets. */
export function buildLogins ({ origin, now, holdMs }: LoginOptions): Logins {
  const sessions = new Map<string, ScanSession>()
  const tickets = new Map<string, Ticket>()
  const waiting = new Map<string, Set<() => void>>()
  const watchers = new Set<() => void>()
  let signOn: SignOnName = 'p_skey'

  function remember<T> (map: Map<string, T>, key: string, value: T): void {
    map.set(key, value)
    const oldest = map.keys().next()
    if (map.size > mostScans && !oldest.done) map.delete(oldest.value)
  }

  const heldNow = (id: string): number => waiting.get(id)?.size ?? 0
  const wake = (id: string): void => { for (const go of waiting.get(id) ?? []) go() }

  function known (id: string): ScanSession {
    const session = sessions.get(id)
    if (!session) throw new RangeError('no such QR code')
    return session
  }

  function move (id: string, state: State, account?: AccountName): void {
    const session = known(id)
    session.state = state
    if (account) session.account = accountNamed(account)
    wake(id)
  }

  function find (channel: Channel, id: string): ScanSession | undefined {
    const session = sessions.get(id)
    if (!session || session.channel !== channel) return undefined
    if (
      now() - session.begun > lifetimeMs[channel] && (session.state === 'waiting' || session.state === 'scanned')
    ) { session.state = 'expired' }
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
    const session: ScanSession = {
      channel,
      id,
      begun: now(),
      state: 'waiting',
      account: accountNamed(channel === 'main' ? 'ordinary' : 'member')
    }
    remember(sessions, id, session)
    return session
  }

  return {
    begin,
    open: (channel) => begin(channel).id,
    find,
    change,
    issue: (kind, account) => {
      const value = kind === 'main-code'
        ? randomBytes(16).toString('hex').toUpperCase()
        : kind === 'sign'
        ? randomBytes(64).toString('hex')
        : letters(kind === 'key' ? 43 : 32)
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
    nameSignOn: (name) => { signOn = name },
    signOnName: () => signOn,
    scanUrl: (id) => `${origin()}/scan/${known(id).channel}/${id}`
  }
}
