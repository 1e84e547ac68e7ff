const [firstLead, lastLead, firstTrail, lastTrail] = [0x81, 0xfe, 0x40, 0xfe]

/** How GBK writes these characters. The platform has only a decoder: it decodes all pairs, a lead and its trails at a time. */
function pairsOf (characters: ReadonlySet<string>): Map<string, number> {
  const table = new Map<string, number>()
  const decoder = new TextDecoder('gbk')
  for (let lead = firstLead; lead <= lastLead && table.size < characters.size; lead++) {
    const lines = new Uint8Array((lastTrail - firstTrail + 1) * 3)
    for (let trail = firstTrail; trail <= lastTrail; trail++) lines.set([lead, trail, 0x0a], (trail - firstTrail) * 3)
    decoder.decode(lines).split('\n').forEach((character, at) => {
      if (characters.has(character) && !table.has(character)) table.set(character, lead << 8 | firstTrail + at)
    })
  }
  return table
}

/** Encodes JSON text as GBK. Characters that GBK lacks become `\uXXXX` escapes, which JSON allows. */
export function gbkBytes (text: string): Buffer {
  const table = pairsOf(new Set(text.match(/[\u0080-\ufffc]/g)))
  const bytes: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const pair = code < 0x80 ? undefined : table.get(text.charAt(at))
    if (code < 0x80) bytes.push(code)
    else if (pair !== undefined) bytes.push(pair >> 8, pair & 0xff)
    else bytes.push(...Buffer.from(`\\u${code.toString(16).padStart(4, '0')}`, 'latin1'))
  }
  return Buffer.from(bytes)
}
