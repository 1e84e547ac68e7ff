/**
 * Products of many cases, such as every failure at every endpoint. `npm test` tries a sample of each, in which every value of
 * every factor occurs. With WHOLE=1, as in .ci/nightly, all of it is tried.
 */
export const whole = process.env['WHOLE'] === '1'

/**
 * Returns every n-th of the cases, in another place for each `turn`: n turns in a row have them all. With WHOLE=1 it returns
 * all cases at every turn.
 */
export const sampleOf = <T>(cases: readonly T[], n: number, turn = 0): readonly T[] => whole ? cases : cases.filter((_, at) => (at + turn) % n === 0)
