/** Why a song does not play, and what helps. */
import { signal } from '@preact/signals'
import type { PlayReason, PlayUrl } from '../../schemas/music.ts'
import { inChinese, t } from './language.ts'
import { tell } from './said.ts'
import type { Track } from './track.ts'
import { reasons } from './zhFailures.ts'

export interface Refusal {
  readonly reason: () => string
  readonly hint: () => string
  readonly login: boolean
  readonly preview: boolean
}
export const refusal = signal<Refusal | undefined>(undefined)
const titles: Record<PlayReason, string> = {
  NO_COOKIE: 'Log in to play this song.',
  COOKIE_EXPIRED: 'The login has expired.',
  PAID: 'This song needs a subscription or a purchase.',
  NO_SUCH_QUALITY: 'This song has no file that can be played.',
  NOT_FOUND: 'There is no file of this song.',
  REGION: 'This song is not offered where the relay runs.',
  RISK_CONTROL: 'The upstream suspects a robot.',
  UNKNOWN: 'This song cannot be played.'
}
/** Where the relay's own hint speaks of parameters. */
const hints: Partial<Record<PlayReason, string>> = {
  NO_COOKIE: 'A scan with your phone is enough.',
  COOKIE_EXPIRED: 'Log in again.',
  PAID: 'The account has no right to it. Get a subscription for the account from the provider, or buy the song there.'
}
/** A login with the same account changes nothing. */
const withoutCure: readonly PlayReason[] = ['PAID', 'REGION', 'NOT_FOUND', 'NO_SUCH_QUALITY']
/** Reasons why no song plays: the person has to do something, or to wait. */
const ofAll: readonly PlayReason[] = ['COOKIE_EXPIRED', 'RISK_CONTROL']

export function fail (sentence: () => string): void {
  tell(sentence)
  refusal.value = { reason: sentence, hint: () => '', login: false, preview: false }
}

/** Shows why a song does not play. Returns whether another song may play. */
export function refuse (
  track: Track,
  { reason: why = 'UNKNOWN', hint = '', availableQualities = [] }: PlayUrl,
  previewAsked: boolean
): boolean {
  const reason = (): string => inChinese() ? reasons[why].title : titles[why]
  refusal.value = {
    reason,
    hint: () => inChinese() ? reasons[why].hint : hints[why] ?? hint,
    login: !withoutCure.includes(why),
    preview: !previewAsked && availableQualities.includes('trial')
  }
  tell(() => t('{song} cannot be played: {reason}', { song: track.name, reason: reason() }), false)
  return !ofAll.includes(why)
}
