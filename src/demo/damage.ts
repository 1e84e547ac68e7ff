/** Renames a field in every answer of a call, to show how a relay handles the drift. */
import type { Fault } from './types.ts'

export interface Renaming {
  /** `module/method`, or a classic path. */
  call: string
  /** Path of the field: in the data of a gateway call, or in the whole body of a classic call. Rows are `list[]`. */
  path: string
  name: string
}

/** Parses `CALL:PATH=NAME`. Returns undefined for anything else. */
export function renamingOf (text: string): Renaming | undefined {
  const { call, path, name } = /^(?<call>[^:]+):(?<path>[^=]+)=(?<name>\w+)$/.exec(text)?.groups ?? {}
  return call === undefined || path === undefined || name === undefined ? undefined : { call, path, name }
}

/** Returns the fault that renames the field. */
export function renamed ({ call, path, name }: Renaming): Fault {
  const steps = path.replaceAll('[]', '.[]').split('.')
  return {
    mutate: (answer: unknown) => {
      rename(call.startsWith('/') ? answer : (answer as { data?: unknown }).data, steps, name)
    }
  }
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
