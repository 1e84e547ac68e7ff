/** Classic answers escape names; ampersand and apostrophe were seen as `&amp;` and `&#39;`. */
export function escapeHtml (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The upstream's own way to join singers. */
export function singerText (singers: ReadonlyArray<{ name: string }>): string {
  return singers.map((singer) => singer.name).join('/')
}
