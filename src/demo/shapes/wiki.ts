import type { Singer } from '../catalogue/types.ts'

/** Markup inside CDATA is text. Only the end mark of CDATA must not occur. */
function cdata (text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']] >')}]]>`
}

function items (facts: ReadonlyArray<readonly [string, string]>): string {
  return facts.map(([key, value]) => `<item><key>${cdata(key)}</key><value>${cdata(value)}</value></item>`).join('')
}

/** Returns the encyclopaedia entry in the form of the newer call: XML in a JSON text. */
export function wikiInfo (singer: Singer): string {
  const { id, desc, facts } = singer
  const other = facts.length > 1 ? items([['从艺历程', `${singer.name} rehearsed for years.`]]) : ''
  return `<info><id>${id}</id><desc>${cdata(desc)}</desc><basic>${items(facts)}</basic><other>${other}</other></info>`
}

/** Returns the old XML page. Every second entry is wrapped in comment marks, which its clients strip. */
export function wikiPage (singer: Singer | undefined): string {
  const info = singer === undefined || singer.text === 'none' ? '<info></info>' : wikiInfo(singer)
  const data = singer !== undefined && singer.id % 2 ? `<!-- ${info} -->` : info
  const code = singer === undefined ? -1 : 0
  return `<?xml version="1.0" encoding="utf-8"?>\n<result>\n\t<code>${code}</code>\n\t<subcode>${code}</subcode>\n\t<message><![CDATA[]]></message>\n\t<default>0</default>\n\t<data>\n${data}\n\t</data>\n</result>\n`
}
