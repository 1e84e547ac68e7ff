/**
 * What the page shows, as the fragment of its address. So a copied address, "Back" of the browser, and the way back from
 * the login lead to the same view and song.
 * @typedef {{ search?: string, chart?: string, song?: string }} Place
 */

/** @returns {Place} */
export function placeNow () {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [search, chart, song] = [fragment.get('search')?.slice(0, 200), fragment.get('chart'), fragment.get('song')]
  return { ...search && { search }, ...chart && /^\d{1,9}$/.test(chart) && { chart }, ...song && /^\w{1,32}$/.test(song) && { song } }
}

/** @param {Place} place */
const fragmentOf = (place) => `#${new URLSearchParams(Object.entries(place))}`

/**
 * Changes the address.
 * @param {Place} place
 * @param {boolean} leads whether "Back" of the browser leads to the address before
 */
export function goTo (place, leads) {
  const address = Object.keys(place).length === 0 ? location.pathname : fragmentOf(place)
  if (location.hash !== new URL(address, location.href).hash) history[leads ? 'pushState' : 'replaceState'](null, '', address)
  leadBack()
}

/** Makes the links to the login page lead back to here. */
export function leadBack () {
  for (const link of document.querySelectorAll('a.login')) link.setAttribute('href', `login?${new URLSearchParams({ return: location.pathname + fragmentOf(placeNow()) })}`)
}

/**
 * Returns the address of a song on this page.
 * @param {string} mid
 */
export const linkTo = (mid) => new URL(fragmentOf({ song: mid }), location.origin + location.pathname).href
