/** Trending searches, as buttons. */
import { make } from '../shared/dom.js'
import { ask } from './relay.js'

const most = 7

/**
 * Fetches the searches and shows them. Without an answer, nothing is shown.
 * @param {HTMLElement} where
 * @param {(words: string) => void} chosen
 */
export async function showTrending (where, chosen) {
  const { hotkey } = await ask('getHotkey').catch(() => ({ hotkey: [] }))
  where.replaceChildren(...hotkey.slice(0, most).map(({ k }) => {
    const chip = Object.assign(make('button', '', k), { type: 'button' })
    chip.addEventListener('click', () => { chosen(k) })
    return make('li', '', chip)
  }))
}
