/** The scan of a QR code: one code after another until a login succeeds or is cancelled, or several codes expired. */
import { signal, type Signal } from '@preact/signals'
import type { AltLoginCheck, LoginSession, MainLoginCheck } from '../../../schemas/login.ts'
import type { StoredLoginCheck } from '../../../schemas/accounts.ts'
import { facts } from '../facts.ts'
import { RequestError, sentenceOf } from '../failure.ts'
import { t, type Sentence } from '../language.ts'
import { json, send } from '../relay.ts'

export type Channel = 'alt' | 'main'
type News = (MainLoginCheck | AltLoginCheck) & Pick<StoredLoginCheck, 'account'>
export type StoredAccount = NonNullable<StoredLoginCheck['account']>

/** How the login is to be stored; undefined stores nothing. */
export interface Storing {
  readonly name: string
  readonly stay: boolean
}

export interface Shown {
  readonly name: 'loading' | 'waiting' | 'scanned' | 'expired' | 'stopped'
  readonly sentence: () => string
  readonly onCode: () => string
}

/** What a login ended with. */
export type Result = { readonly session: LoginSession } | { readonly account: StoredAccount }

/** `id` is the field of the code that the check requires. */
const channels = {
  main: { start: 'getMainLoginQr', check: 'checkMainLoginQr', id: 'qrsig' },
  alt: { start: 'getAltLoginQr', check: 'checkAltLoginQr', id: 'uuid' }
} as const

const { pauseMs, mostRefreshes, mostTroubles, transient } = facts.polling
const repeatable: ReadonlySet<string> = new Set([...transient, 'RELAY_GONE'])

export const appOf = (channel: Channel): string => t(facts.apps[channel] as Sentence)

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }, { once: true })
  })
}

/** One sitting at a channel. */
export interface Scan {
  readonly shown: Signal<Shown>
  /** Address of the picture; '' while there is none. */
  readonly picture: Signal<string>
  /** Where a scan is simulated; '' elsewhere. */
  readonly simulated: Signal<string>
  /** Tells how to store the login. A check under way ends, because it has the old one. */
  store(storing: Storing | undefined, refusal?: () => string): void
  stop(): void
}

export function beginScan (
  channel: Channel,
  first: Storing | undefined,
  refused: (() => string) | undefined,
  done: (result: Result) => void
): Scan {
  const shown = signal<Shown>({ name: 'loading', sentence: () => t('Requesting a QR code …'), onCode: () => '' })
  const [picture, simulated] = [signal(''), signal('')]
  const round = new AbortController()
  let naming = new AbortController()
  let storing = first
  /** Why a code may not be confirmed now: the name is unusable. */
  let refusal = refused
  const tell = (name: Shown['name'], sentence: () => string, onCode = (): string => ''): void => {
    shown.value = { name, sentence, onCode }
  }

  async function follow (code: Record<string, string>, request: () => string): Promise<News> {
    const { signal } = round
    const { id, check } = channels[channel]
    let scanned = false
    const show = (): void => {
      if (scanned) tell('scanned', () => t('Scanned. Now confirm the login on the phone.'), () => t('✓ Scanned'))
      else tell('waiting', request)
    }
    for (let troubles = 0;;) {
      let wait: number = pauseMs[channel]
      naming = new AbortController()
      const { signal: either } = naming
      const ended = AbortSignal.any([signal, either])
      show()
      try {
        if (refusal !== undefined) {
          tell('waiting', refusal)
          await pause(2 ** 31 - 1, ended)
        }
        const body = { [id]: code[id] }
        const news = await send(storing === undefined ? check : 'login/account', {
          ...json(storing === undefined ? body : { ...body, ...storing }),
          signal: ended,
          cache: 'no-store'
        }) as News
        if (news.isOk || news.refresh === true) return news
        scanned = news.status === 'scanned'
        show()
        troubles = 0
      } catch (error) {
        if (either.aborted && !signal.aborted) continue
        if (
          signal.aborted || !(error instanceof RequestError) || !repeatable.has(error.failure.code)
          || ++troubles > mostTroubles
        ) { throw error }
        wait = Math.max(2000, error.pauseMs)
        tell(
          shown.value.name,
          () => t('Problem, trying again: {error}', { error: sentenceOf(error) }),
          shown.value.onCode
        )
      }
      await pause(wait, signal)
    }
  }

  async function run (): Promise<void> {
    const { signal } = round
    const { start, id } = channels[channel]
    for (let refreshes = 0;; refreshes++) {
      tell(
        'loading',
        () => refreshes === 0 ? t('Requesting a QR code …') : t('The code expired. Requesting a new one …')
      )
      const code = await send(start, { signal, cache: 'no-store' }) as Record<string, string>
      picture.value = code['img'] ?? ''
      simulated.value = facts.scanPages === '' ? '' : `${facts.scanPages}/${channel}/${code[id]}`
      const news = await follow(
        code,
        () =>
          `${refreshes === 0 ? '' : `${t('The code expired; this is a new one.')} `}${
            t('Open {app} on your phone and scan the code.', { app: appOf(channel) })
          }`
      )
      if (signal.aborted) return
      if (news.account !== undefined) return done({ account: news.account })
      if (news.session !== undefined) return done({ session: news.session })
      if (news.status !== 'expired')
        return tell('stopped', () => t('The login was cancelled on the phone. Nothing happened.'), () => t('Cancelled'))
      if (refreshes === mostRefreshes) {
        return tell(
          'expired',
          () => t('The code was not scanned in time. Get a new code when your phone is ready.'),
          () => t('Expired')
        )
      }
    }
  }

  run().catch((error: unknown) => {
    if (!round.signal.aborted) tell('stopped', () => sentenceOf(error), () => t('No login'))
  })
  return {
    shown,
    picture,
    simulated,
    store (next, why) {
      if (JSON.stringify(next) === JSON.stringify(storing) && why === undefined && refusal === undefined) return
      storing = next
      refusal = why
      naming.abort()
    },
    stop () {
      round.abort()
    }
  }
}
