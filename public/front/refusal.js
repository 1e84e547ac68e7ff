/**
 * The note beside the controls of the player: why a song does not play, and what helps. The status line may be out of sight.
 * @typedef {import('../../schemas/music.ts').PlayReason} PlayReason
 */
import { byId } from '../shared/dom.js'
import { inChinese, put } from '../shared/language.js'
import { reasons } from '../shared/zhFailures.js'

/** @type {Record<PlayReason, string>} */
const titles = {
  NO_COOKIE: 'Log in to play this song.',
  COOKIE_EXPIRED: 'The login has expired.',
  PAID: 'This song needs a subscription or a purchase.',
  NO_SUCH_QUALITY: 'This song has no file that can be played.',
  NOT_FOUND: 'There is no file of this song.',
  REGION: 'This song is not offered where the relay runs.',
  RISK_CONTROL: 'The upstream suspects a robot.',
  UNKNOWN: 'This song cannot be played.'
}
/** Where the relay's own hint speaks of parameters. @type {Partial<Record<PlayReason, string>>} */
const hints = {
  PAID: 'The account has no right to it. Get a subscription for the account from the provider, or buy the song there.'
}
/** A login with the same account changes nothing. @type {readonly PlayReason[]} */
const withoutCure = ['PAID', 'REGION', 'NOT_FOUND', 'NO_SUCH_QUALITY']

/** Sets up the note of the page. */
export function createRefusal () {
  const note = byId('refusal', HTMLElement)
  const short = byId('part', HTMLButtonElement)

  /**
   * @param {() => string} reason
   * @param {() => string} [hint]
   * @param {{ login: boolean, short: boolean }} [cures] the buttons
   */
  function show (reason, hint = () => '', cures = { login: false, short: false }) {
    put(byId('reason', HTMLElement), reason)
    put(byId('hint', HTMLElement), hint)
    note.querySelector('.login')?.toggleAttribute('hidden', !cures.login)
    short.hidden = !cures.short
    note.hidden = false
  }

  return {
    show,
    hide () { note.hidden = true },
    /**
     * Shows why an answer has no address. Returns the sentence.
     * @param {{ readonly reason?: PlayReason, readonly hint?: string, readonly availableQualities?: readonly string[] }} answer
     * @param {boolean} shortAsked whether the short part was asked for
     */
    explain ({ reason: why = 'UNKNOWN', hint = '', availableQualities = [] }, shortAsked) {
      const reason = () => inChinese() ? reasons[why].title : titles[why]
      show(reason, () => inChinese() ? reasons[why].hint : hints[why] ?? hint, { login: !withoutCure.includes(why), short: !shortAsked && availableQualities.includes('trial') })
      return reason
    }
  }
}
