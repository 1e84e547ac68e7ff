/** Bounds of what is written as text, and of the work on it in one turn of the event loop. */
import type { Work } from './turns.ts'

/**
 * Returns the number of characters of the JSON text of a value, or some number above the limit. It stops as soon as
 * that is certain, without making the text: a few values that are used many times, such as one long text in each of
 * 10,000 rows, would fill the memory as text. Texts whose characters must be escaped are up to six times as long as
 * counted here.
 */
export function sizeUpTo (limit: number, value: unknown): number {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const each = open.pop()
    // A quote or bracket at either side, or a number or word, and a comma.
    size += 2
    if (typeof each === 'string') size += each.length
    else if (Array.isArray(each)) for (const element of each) open.push(element)
    else if (typeof each === 'object' && each !== null) {
      // Half of the time of `Object.entries`. Records are plain objects: nothing is inherited.
      for (const key in each) {
        const element = (each as Readonly<Record<string, unknown>>)[key]
        if (element === undefined) continue
        size += key.length + 3
        open.push(element)
      }
    }
    if (size > limit) return size
  }
  return size
}

/** Whether the JSON text of a value has more characters than the limit. */
export const isLargerThan = (value: unknown, limit: number): boolean => sizeUpTo(limit, value) > limit

/**
 * Returns the JSON text of a value, or undefined if it would have more characters than the limit. A long text is
 * written in pieces of about `pieceChars`, with turns of the event loop in between.
 */
export async function jsonTextOf (
  value: unknown,
  limit: number,
  pieceChars: number,
  { did }: Pick<Work, 'did'>
): Promise<string | undefined> {
  const pieces: string[] = []
  let size = 0
  if (!isLargerThan(value, pieceChars)) {
    const text = JSON.stringify(value)
    if (text.length > limit) return undefined
    const turn = did(text.length)
    if (turn !== undefined) await turn
    return text
  }
  for (const piece of jsonPiecesOf(value, pieceChars)) {
    size += piece.length
    if (size > limit) return undefined
    pieces.push(piece)
    const turn = did(piece.length)
    if (turn !== undefined) await turn
  }
  return pieces.join('')
}

/** Yields the JSON text of a value in pieces. Only single texts make longer ones. */
export function * jsonPiecesOf (value: unknown, pieceChars: number): Generator<string> {
  const isContainer = typeof value === 'object' && value !== null
  if (!isContainer || !isLargerThan(value, pieceChars)) return yield JSON.stringify(value)
  if (Array.isArray(value)) {
    let separator = '['
    for (const element of value) {
      yield separator
      yield * jsonPiecesOf(element ?? null, pieceChars)
      separator = ','
    }
    return yield separator === '[' ? '[]' : ']'
  }
  let separator = '{'
  for (const [key, element] of Object.entries(value)) {
    if (element === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield * jsonPiecesOf(element, pieceChars)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}
