/**
 * Which calls of a chain are worth asking. A call that is retired, refused or unreadable time after time is left out
 * while the next one answers, and looked at again by one request now and then.
 */
import { UpstreamError } from '../errors.ts'
import { meaningOf } from './codes.ts'
import type { CodeTable } from './codes.ts'

export interface LinkOptions {
  readonly linkFailures: number
  readonly linkPauseMs: number
  readonly now?: (() => number) | undefined
}

interface Link { readonly name: string, readonly codes?: CodeTable }

export interface Links {
  worthAsking (link: Link): boolean
  answered (link: Link): void
  failed (link: Link, error: UpstreamError): void
}

/** What the state of all callers is kept in: names are those of our own calls, so there are only so many. */
export type LinkStates = Map<string, { failures: number, leftOutUntil: number }>

/** Ends the key of those who are logged in. */
const withLogin = ' logged in'

/** Some calls answer those who are logged in and nobody else, so the two are counted apart. */
export function linksFor (loggedIn: boolean, states: LinkStates, { linkFailures, linkPauseMs, now = () => performance.now() }: LinkOptions): Links {
  const keyOf = ({ name }: Link): string => loggedIn ? `${name}${withLogin}` : name
  return {
    worthAsking (link) {
      const state = states.get(keyOf(link))
      if (state === undefined || state.failures < linkFailures) return true
      if (now() < state.leftOutUntil) return false
      state.leftOutUntil = now() + linkPauseMs // this request looks; the others go on without
      return true
    },
    answered (link) { states.delete(keyOf(link)) },
    failed (link, error) {
      if (!callIsDead(error, link.codes, loggedIn)) return
      const failures = (states.get(keyOf(link))?.failures ?? 0) + 1
      states.set(keyOf(link), { failures, leftOutUntil: now() + linkPauseMs })
    }
  }
}

/** Names of those that are left out now, for one kind of caller or the other. */
export function leftOut (states: LinkStates, { linkFailures, now = () => performance.now() }: LinkOptions): string[] {
  const names = [...states].filter(([, { failures, leftOutUntil }]) => failures >= linkFailures && now() < leftOutUntil).map(([name]) => name.replace(withLogin, ''))
  return [...new Set(names)]
}

const deadMeanings = new Set(['retired', 'platform', 'risk', 'throttled'])
const deadOutcomes = new Set(['http_404', 'http_4xx', 'redirect', 'protocol', 'bad_payload', 'bad_encoding', 'bad_shape', 'too_large'])

/** The call itself is at fault, whatever was asked for. A refused argument or a thing without data is not that. */
function callIsDead (error: UpstreamError, codes: CodeTable | undefined, loggedIn: boolean): boolean {
  if (error.upstreamCode !== undefined) return deadMeanings.has(meaningOf(error.upstreamCode, codes, loggedIn))
  return error.fault === 'call' && deadOutcomes.has(error.outcome)
}
