/** How much two words differ. */

/** Returns the number of letters to add, remove or replace, or `bound` if that many or more are needed. */
export function distance (a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(
        next[j - 1] as number + 1,
        row[j] as number + 1,
        row[j - 1] as number + (a[i - 1] === b[j - 1] ? 0 : 1)
      ))
    }
    if (Math.min(...next) >= bound) return bound
    row = next
  }
  return Math.min(bound, row[b.length] as number)
}
