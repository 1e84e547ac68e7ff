/** The two-byte GBK code of each character, derived from the platform's decoder: lead 81..FE, trail 40..FE. */
function inverseTable (): Map<string, number> {
  const decoder = new TextDecoder('gbk')
  const table = new Map<string, number>()
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x7f) continue
      const character = decoder.decode(Uint8Array.of(lead, trail))
      if (character.length === 1 && character !== '\ufffd' && !table.has(character)) table.set(character, lead << 8 | trail)
    }
  }
  return table
}

/** Encodes JSON text as GBK. Characters that GBK lacks become `\uXXXX` escapes, which JSON allows. */
export function gbkBytes (text: string): Buffer {
  const table = inverseTable()
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
