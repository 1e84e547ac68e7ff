/** What a caller without a play address can do about it. */
import type { PlayReason, Quality } from '../../../schemas/music.ts'
import { qualitiesOf } from './qualities.ts'
import type { PlayTrack } from './qualities.ts'

export function hintFor (reason: PlayReason, track: PlayTrack | undefined, quality: Quality): string {
  const trial = quality !== 'trial' && track?.sizes.has('trial') === true ? ' A short part can be had with quality=trial.' : ''
  switch (reason) {
    case 'NO_COOKIE': return `The upstream wants a login for this: pass the cookie of an account.${trial}`
    case 'COOKIE_EXPIRED': return `The upstream no longer accepts the cookie: log in again and pass the new one.${trial}`
    case 'PAID': return `The account may not have this: it takes a subscription, a purchase, or a lower quality.${trial}`
    case 'NO_SUCH_QUALITY': return otherQualities(track)
    case 'NOT_FOUND': return track === undefined ? 'The upstream does not know this song: check the songmid.' : 'The upstream does not have this file: ask for another quality, or leave mediaId out.'
    case 'REGION': return 'The upstream does not offer this song where the relay runs: look for another recording of it.'
    case 'RISK_CONTROL': return 'The upstream takes the relay for a robot: ask less often, or pass the cookie of an account.'
    case 'UNKNOWN': return 'The upstream gave no address and no reason that is known: try again later, or ask for another quality.'
  }
}

function otherQualities (track: PlayTrack | undefined): string {
  const words = track === undefined ? [] : qualitiesOf(track)
  return words.length === 0 ? 'The song has no file at all any more: look for another recording of it.' : `The song has no file of this quality: ask for one of ${words.join(', ')}.`
}
