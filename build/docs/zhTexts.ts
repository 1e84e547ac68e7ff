/** Returns a lookup of Chinese texts. Throws if a name has no text, or a text no name. `file`: where the texts are. */
export function chineseFor (
  names: readonly string[],
  texts: Readonly<Record<string, string>>,
  file: string
): (name: string) => string {
  const missing = names.filter((name) => !Object.hasOwn(texts, name))
  const leftOver = Object.keys(texts).filter((name) => !names.includes(name))
  if (missing.length + leftOver.length > 0) throw new Error(`${file}: no Chinese text for [${missing.join(' | ')}]; nothing is called [${leftOver.join(' | ')}]`)
  return (name) => texts[name] as string
}
