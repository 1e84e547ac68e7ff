/** Escapes a name as classic answers do. Observed: ampersand as `&amp;`, apostrophe as `&#39;`. */
export function escapeHtml (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** Joins the names of singers as the upstream does. */
export function singerText (singers: ReadonlyArray<{ name: string }>): string {
  return singers.map((singer) => singer.name).join('/')
}
