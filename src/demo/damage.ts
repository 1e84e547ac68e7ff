/** Lasting damage to the answers of a call, to see what a relay makes of it. */
import type { Fault } from './types.ts'

export interface Renaming {
  /** `module/method`, or a classic path. */
  call: string
  /** Where the field is: in the data of a gateway call, in the whole body of a classic one. Rows are `list[]`. */
  path: string
  name: string
}

/** `CALL:PATH=NAME`; undefined for anything else. */
export function renamingOf (text: string): Renaming | undefined {
  const { call, path, name } = /^(?<call>[^:]+):(?<path>[^=]+)=(?<name>\w+)$/.exec(text)?.groups ?? {}
  return call === undefined || path === undefined || name === undefined ? undefined : { call, path, name }
}

/** The field has another name from now on. */
export function renamed ({ call, path, name }: Renaming): Fault {
  const steps = path.replaceAll('[]', '.[]').split('.')
  return { mutate: (answer: unknown) => { rename(call.startsWith('/') ? answer : (answer as { data?: unknown }).data, steps, name) } }
}

function rename (value: unknown, [step = '', ...rest]: string[], name: string): void {
  if (typeof value !== 'object' || value === null) return
  if (step === '[]') {
    for (const row of Object.values(value)) rename(row, rest, name)
    return
  }
  const held = value as Record<string, unknown>
  if (!Object.hasOwn(held, step)) return
  if (rest.length > 0) return rename(held[step], rest, name)
  held[name] = held[step]
  delete held[step]
}
