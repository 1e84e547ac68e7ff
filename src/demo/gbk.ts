const [firstLead, lastLead, firstTrail, lastTrail] = [0x81, 0xfe, 0x40, 0xfe]

/**
 * Returns the GBK codes of these characters. The platform has only a decoder, so this decodes all pairs, one lead byte
 * and its trail bytes at a time.
 */
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

/**
 * Returns a function that encodes JSON text as GBK. Characters that GBK lacks become `\uXXXX` escapes, which JSON
 * allows. It caches known characters: finding new ones takes longer than the rest of an answer.
 */
export function gbkEncoder (): (text: string) => Buffer {
  const met = new Map<string, number | undefined>()
  return (text) => {
    const fresh = new Set((text.match(/[\u0080-\ufffc]/g) ?? []).filter((character) => !met.has(character)))
    if (fresh.size > 0) {
      const pairs = pairsOf(fresh)
      for (const character of fresh) met.set(character, pairs.get(character))
    }
    const bytes: number[] = []
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const pair = code < 0x80 ? undefined : met.get(text.charAt(at))
      if (code < 0x80) bytes.push(code)
      else if (pair !== undefined) bytes.push(pair >> 8, pair & 0xff)
      else bytes.push(...Buffer.from(`\\u${code.toString(16).padStart(4, '0')}`, 'latin1'))
    }
    return Buffer.from(bytes)
  }
}
