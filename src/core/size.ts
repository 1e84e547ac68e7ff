/** Bounds of what is written as text. */

/**
 * Whether the JSON text of a value has more characters than the limit. It stops as soon as that is certain, without making the
 * text: a few values that are used many times, such as one long text in each of 10,000 rows, would fill the memory as text.
 * Texts whose characters must be escaped are up to six times as long as counted here.
 */
export function isLargerThan (value: unknown, limit: number): boolean {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const each = open.pop()
    // A quote or bracket at either side, or a number or word, and a comma.
    size += 2
    if (typeof each === 'string') size += each.length
    else if (Array.isArray(each)) for (const element of each) open.push(element)
    else if (typeof each === 'object' && each !== null) {
      for (const [key, element] of Object.entries(each)) {
        if (element === undefined) continue
        size += key.length + 3
        open.push(element)
      }
    }
    if (size > limit) return true
  }
  return false
}
