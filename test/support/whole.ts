/**
 * Products of many cases, such as every failure at every endpoint. The gate tries a sample of each, in which every
 * value of every factor occurs. With WHOLE=1, as in .ci/nightly, all of it is tried.
 */
export const whole = process.env['WHOLE'] === '1'

/**
 * Returns every n-th of the cases, in another place for each `turn`: n turns in a row have them all. With WHOLE=1 it
 * returns all cases at every turn.
 */
export const sampleOf = <T>(cases: readonly T[], n: number, turn = 0): readonly T[] =>
  whole ? cases : cases.filter((_, at) => (at + turn) % n === 0)

/** How often a property is tried: 20 times, always with the same values. With WHOLE=1, `many` times with others, whose seed is printed. */
export function runs (t: { comment: (text: string) => void }, many = 2000): {
  readonly numRuns: number, readonly seed: number
} {
  if (!whole) return { numRuns: 20, seed: 1 }
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.comment(`the seed is ${seed}`)
  return { numRuns: many, seed }
}
