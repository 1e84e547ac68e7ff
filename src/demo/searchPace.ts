/**
 * How many searches of programs the provider serves: a few at once, then one for each span. Reported for the module: of
 * 12 searches 0.2 s apart 2 were served, 3 s apart 9, of 16 searches 4 s apart all (2026); for the phone program, of
 * 114 searches 2 s apart all (2026-09).
 */
const [atOnce, everyMs, phoneEveryMs] = [2, 4250, 2000]

/**
 * Whether a search is served. `call`: the name of its call. `post`: the request with it, which counts once. `now`:
 * milliseconds.
 */
export type SearchPace = (call: string, post: object, now: number) => boolean

/** A refused search does not count (*assumed*, and so is that the phone program counts alone). */
export function searchPace (): SearchPace {
  const counted = new Map<
    boolean,
    { readonly left: number, readonly at: number, readonly post: object, readonly served: boolean }
  >()
  return (call, post, at) => {
    const isPhone = call.endsWith('Mobile')
    const before = counted.get(isPhone)
    if (before?.post === post) return before.served
    const passed = before === undefined ? Infinity : Math.max(0, at - before.at)
    const left = Math.min(atOnce, (before?.left ?? 0) + passed / (isPhone ? phoneEveryMs : everyMs))
    const served = left >= 1
    counted.set(isPhone, { left: served ? left - 1 : left, at, post, served })
    return served
  }
}
