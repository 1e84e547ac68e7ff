/** Rows without repeats: what the upstream lists twice counts where it comes first. */
export function eachOnce<T> (rows: readonly T[], keyOf: (row: T) => string | number): T[] {
  const seen = new Set<string | number>()
  return rows.filter((row) => {
    const key = keyOf(row)
    return !seen.has(key) && seen.add(key)
  })
}
