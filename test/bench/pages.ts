/** What a fresh page of memory costs on this machine: on rented virtual ones it may be the dearest part of an answer. */

/** Bytes of a page, and of a block of pages, which is large enough that the allocator maps it anew each time. */
const [page, block] = [4096, 8 * 1024 * 1024]
const rounds = 20

/** Returns the CPU time of touching a page for the first time and again, in microseconds. */
export function costOfPages (): { readonly fresh: number, readonly again: number } {
  const [fresh, again] = [[], []] as number[][] as [number[], number[]]
  for (let round = 0; round < rounds; round++) {
    // Without a use of each byte, the system maps a page only when it is touched.
    const memory = Buffer.allocUnsafeSlow(block)
    for (const times of [fresh, again]) {
      const before = process.cpuUsage()
      for (let at = 0; at < block; at += page) memory[at] = round
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / (block / page))
    }
  }
  const least = (times: readonly number[]): number => Math.min(...times)
  return { fresh: least(fresh), again: least(again) }
}
