/** Advice for a caller that got no play address. */
import type { PlayReason, Quality } from '../../../schemas/music.ts'
import { qualitiesOf } from './qualities.ts'
import type { SongFacts } from '../../core/songFacts.ts'

/** The requested quality and song, and the known facts of the song. */
interface HintInput {
  readonly track: SongFacts | undefined
  readonly songid?: number | undefined
  readonly quality: Quality
  readonly loggedIn: boolean
}

/** Returns a hint for `reason`: the cause, and the next step for the caller. */
export function hintFor (reason: PlayReason, { track, songid, quality, loggedIn }: HintInput): string {
  const trial = quality !== 'trial' && track?.sizes.has('trial') === true ? ' A short preview is available with quality=trial.' : ''
  switch (reason) {
    case 'NO_COOKIE': return `Log in to play this song: pass the cookie of an account.${trial}`
    case 'COOKIE_EXPIRED': return `Log in again: the cookie has expired. Pass the new one.${trial}`
    case 'PAID': return `This account cannot play the song: it needs a subscription or a purchase. Or try a lower quality.${trial}`
    case 'NO_SUCH_QUALITY': return otherQualities(track)
    case 'NOT_FOUND': return track === undefined ? `There is no such song: check the songmid${songid === undefined ? '' : ' and the songid'}.` : 'There is no such file: request another quality, or omit mediaId.'
    case 'REGION': return 'The song is not available in this region: try another recording of it.'
    case 'RISK_CONTROL': return `The upstream blocks this ${loggedIn ? 'account or relay for now: send fewer requests and try again later.' : 'relay for now: send fewer requests, or pass the cookie of an account.'}`
    case 'UNKNOWN': return 'The upstream gave no address and no known reason: try again later, or request another quality.'
  }
}

function otherQualities (track: SongFacts | undefined): string {
  const qualities = track === undefined ? [] : qualitiesOf(track)
  return qualities.length === 0
    ? 'The song has no file at all any more: try another recording of it.'
    : `The song is not available in this quality: request one of ${qualities.join(', ')}.`
}
