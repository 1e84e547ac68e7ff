/** The frame of the player: on a narrow screen a bar at the lower edge that opens; and the link to its song. */
import { copyText } from '../shared/copy.js'
import { byId } from '../shared/dom.js'
import { t } from '../shared/language.js'
import { linkTo } from './place.js'

/**
 * @param {object} page
 * @param {(sentence: () => string) => void} page.tell
 * @param {() => import('./queue.js').Playable | undefined} page.current
 * @param {() => void} page.opened
 */
export function createPanel ({ tell, current, opened }) {
  const panel = byId('player', HTMLElement)
  const more = byId('more', HTMLButtonElement)

  byId('share', HTMLButtonElement).addEventListener('click', async () => {
    const { name, mid } = current() ?? { name: '', mid: '' }
    const url = linkTo(mid)
    if ('share' in navigator && matchMedia('(pointer: coarse)').matches) return void navigator.share({ title: name, url }).catch(() => {})
    const copied = await copyText(url)
    tell(() => copied ? t('The link is copied.') : url)
  })
  more.addEventListener('click', () => {
    panel.classList.toggle('open')
    more.setAttribute('aria-expanded', String(panel.classList.contains('open')))
    opened()
  })
  panel.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !panel.classList.contains('open')) return
    more.click()
    more.focus()
  })
  // The page ends below the bar, so that it hides nothing.
  new ResizeObserver(() => { document.documentElement.style.setProperty('--bar', `${panel.offsetHeight}px`) }).observe(panel)
  return panel
}
