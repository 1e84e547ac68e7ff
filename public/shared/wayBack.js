/** The way from a page to the login and back: where to, and the login for the page that asked for it. */

const place = 'music-relay login'

/**
 * Returns the address to go back to, or undefined if the text is not a path of this origin. Whoever makes a link chooses
 * the text, so it must not lead elsewhere.
 * @param {string | null} text the path, perhaps with query and fragment
 * @param {string} origin
 */
export function returnAddress (text, origin) {
  // Browsers drop tabs and line ends, and read a backslash as a slash: `/\evil.example` is another host.
  if (text === null || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const url = new URL(text, origin)
  return url.origin === origin ? url.href : undefined
}

/**
 * Leaves a cookie or secret for the next page of this tab. An address would end up in the history, and in logs.
 * @param {string} text
 */
export function handOver (text) {
  try {
    sessionStorage.setItem(place, text)
  } catch {} // The browser forbids storage: the person logs in there with what they copied.
}

/** Returns what the page before left, once; '' if there is nothing. */
export function takeOver () {
  try {
    const text = sessionStorage.getItem(place) ?? ''
    sessionStorage.removeItem(place)
    return text
  } catch {
    return ''
  }
}
