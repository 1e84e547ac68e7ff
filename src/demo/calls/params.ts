import type { CallAnswer, Param } from '../types.ts'

/** `flag` is 0 or 1 and nothing else; `boolean` also takes true and false (only a few calls do). */
export type Kind = 'number' | 'string' | 'flag' | 'boolean' | 'numbers' | 'strings'

const isKind: Record<Kind, (value: unknown) => boolean> = {
  number: (value) => Number.isSafeInteger(value),
  string: (value) => typeof value === 'string',
  flag: (value) => value === 0 || value === 1,
  boolean: (value) => typeof value === 'boolean' || value === 0 || value === 1,
  numbers: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Wrong JSON type of a parameter: 10006 (2026-08, `true` where 0/1 is wanted). Absent parameters pass. */
export function mistyped (param: Param, kinds: Record<string, Kind>): CallAnswer | undefined {
  const wrong = Object.entries(kinds).some(([name, kind]) => param[name] !== undefined && !isKind[kind](param[name]))
  return wrong ? { code: 10006 } : undefined
}

export function numberOf (param: Param, name: string, absent: number): number {
  const value = param[name]
  return typeof value === 'number' ? value : absent
}

export function textOf (param: Param, ...names: string[]): string {
  const value = names.map((name) => param[name]).find((candidate) => typeof candidate === 'string' && candidate !== '')
  return typeof value === 'string' ? value : ''
}

/** Numbers in a query string: what is not a number counts as absent, the way C programs read them. */
export function queryNumber (query: Record<string, string>, name: string, absent: number): number {
  const value = Number.parseInt(query[name] ?? '', 10)
  return Number.isNaN(value) ? absent : value
}
