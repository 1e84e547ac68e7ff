/**
 * How many searches of programs are served: a few at once, then one for each span. Reported for the module: of 12 searches 0.2 s apart 2
 * were served, 3 s apart 9, of 16 searches 4 s apart all (2026); for the phone program, of 114 searches 2 s apart all (2026-09).
 */
const [atOnce, everyMs, phoneEveryMs] = [2, 4250, 2000]

/** Whether a search of this method is served now. A refused one does not count (*assumed*, and so is that the phone program counts alone). */
export type SearchPace = (method: string) => boolean

export function searchPace (now: () => number): SearchPace {
  const served = new Map<boolean, { left: number, at: number }>()
  return (method) => {
    const isPhone = method.endsWith('Mobile')
    const at = now()
    const before = served.get(isPhone) ?? { left: atOnce, at }
    const left = Math.min(atOnce, before.left + Math.max(0, at - before.at) / (isPhone ? phoneEveryMs : everyMs))
    served.set(isPhone, { left: left < 1 ? left : left - 1, at })
    return left >= 1
  }
}
