import type { Fault } from './types.ts'

/** One call of a request. */
export interface Called {
  /** `module/method`, or the classic path. */
  call: string
  host: string
  param: Readonly<Record<string, unknown>>
}

/** Returns the name of a call at one of several hosts: `c6.y.qq.com/soso/…`, `u.y.qq.com/module/method`. */
export const withHost = (host: string, call: string): string => call.startsWith('/') ? host + call : `${host}/${call}`

/**
 * Whether a name matches this call. A name may begin with a host and end with one parameter: `module/method?dirid=202`;
 * `*` matches every call.
 */
export function means (name: string, { call, host, param }: Called): boolean {
  if (name === '*') return true
  const [bare = '', condition] = name.split('?')
  if (bare !== call && bare !== withHost(host, call)) return false
  if (condition === undefined) return true
  const [parameter = '', value] = condition.split('=')
  return String(param[parameter] ?? '') === value
}

export interface Faults {
  next: (name: string, fault: Fault, times?: number) => void
  /** Takes the fault for this call: the next of its queue, otherwise the permanent one. */
  take: (called: Called) => Fault | undefined
  reset: () => void
}

/**
 * Creates queues of faults, first in, first out, one per name. `standing` returns the fault of a call while its queue
 * is empty.
 */
export function faults (standing: (called: Called) => Fault | undefined): Faults {
  const due = new Map<string, Array<{ fault: Fault, left: number }>>()

  const take = (called: Called): Fault | undefined => {
    const [, queue] = [...due].find(([name, waiting]) => waiting.length > 0 && means(name, called)) ?? []
    const first = queue?.[0]
    if (!queue || !first) return standing(called)
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
export type HttpFault = Extract<
  Fault,
  { status: number } | { body: string | Buffer } | { hang: true } | { reset: true }
>

export function isHttpFault (fault: Fault): fault is HttpFault {
  return 'status' in fault || 'body' in fault || 'hang' in fault || 'reset' in fault
}

/**
 * Returns the answer after `mutate` ran on a copy, so that the catalogue stays unchanged. If `mutate` returns undefined
 * or `true` (as `(answer) => delete answer.data` does), the changed copy is the answer. Any other value, also null,
 * becomes the answer.
 */
export function mutated (answer: unknown, mutate: (answer: any) => unknown): unknown {
  const copy: unknown = structuredClone(answer)
  const changed = mutate(copy)
  return changed === undefined || changed === true ? copy : changed
}
