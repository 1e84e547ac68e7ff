import type { Fault } from './types.ts'

export interface Faults {
  next: (name: string, fault: Fault, times?: number) => void
  /** The fault for this request of the call, if one is due; it is used up by asking. */
  take: (name: string) => Fault | undefined
  reset: () => void
}

/** First in, first out, per call name. */
export function faults (): Faults {
  const due = new Map<string, Array<{ fault: Fault, left: number }>>()

  const take = (name: string): Fault | undefined => {
    const queue = due.get(name)
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

/** Faults that concern the whole HTTP exchange, whatever else is in it. */
export type HttpFault = Extract<Fault, { status: number } | { body: string | Buffer } | { hang: true } | { reset: true }>

export function isHttpFault (fault: Fault): fault is HttpFault {
  return 'status' in fault || 'body' in fault || 'hang' in fault || 'reset' in fault
}

/**
 * `mutate` gets a copy, so that the catalogue stays as it is. Returning nothing keeps the changed copy, and so does
 * `true`, which is what `(answer) => delete answer.data` returns; anything else, null too, becomes the answer.
 */
export function mutated (answer: unknown, mutate: (answer: any) => unknown): unknown {
  const copy: unknown = structuredClone(answer)
  const changed = mutate(copy)
  return changed === undefined || changed === true ? copy : changed
}
