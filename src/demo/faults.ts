import type { Fault } from './types.ts'

export interface Faults {
  next: (name: string, fault: Fault, times?: number) => void
  /** Takes the fault for this request from the queue of the first of its names that has one. */
  take: (...names: readonly string[]) => Fault | undefined
  reset: () => void
}

/** Queues of faults, first in, first out, one per call name. */
export function faults (): Faults {
  const due = new Map<string, Array<{ fault: Fault, left: number }>>()

  const take = (...names: readonly string[]): Fault | undefined => {
    const queue = names.map((name) => due.get(name)).find((each) => each !== undefined && each.length > 0)
    const first = queue?.[0]
    if (!queue || !first) return undefined
    first.left -= 1
    if (first.left < 1) queue.shift()
    return first.fault
  }

  return {
    next: (name, fault, times = 1) => {
      if (times < 1) return
      due.set(name, [...due.get(name) ?? [], { fault, left: times }])
    },
    take,
    reset: () => due.clear()
  }
}

/** Faults that affect the whole HTTP exchange, not only one call in it. */
export type HttpFault = Extract<Fault, { status: number } | { body: string | Buffer } | { hang: true } | { reset: true }>

export function isHttpFault (fault: Fault): fault is HttpFault {
  return 'status' in fault || 'body' in fault || 'hang' in fault || 'reset' in fault
}

/**
 * Runs `mutate` on a copy, so that the catalogue stays unchanged. If it returns undefined or `true` (as
  * `(answer) => delete answer.data` does), the changed copy is the answer. Any other value, also null, becomes the answer.
 */
export function mutated (answer: unknown, mutate: (answer: any) => unknown): unknown {
  const copy: unknown = structuredClone(answer)
  const changed = mutate(copy)
  return changed === undefined || changed === true ? copy : changed
}
