import type { CallAnswer, Param } from '../types.ts'

/** `flag` accepts only 0 and 1. `boolean` also accepts true and false, as a few calls do. */
export type ParamKind = 'number' | 'string' | 'flag' | 'boolean' | 'numbers' | 'strings'

const isKind: Record<ParamKind, (value: unknown) => boolean> = {
  number: (value) => Number.isSafeInteger(value),
  string: (value) => typeof value === 'string',
  flag: (value) => value === 0 || value === 1,
  boolean: (value) => typeof value === 'boolean' || value === 0 || value === 1,
  numbers: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Answers 10006 if a parameter has the wrong JSON type (2026-08, `true` instead of 0/1). Absent parameters pass. */
export function mistyped (param: Param, kinds: Record<string, ParamKind>): CallAnswer | undefined {
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

/** Reads a number from the query. Any other text counts as absent, as in C programs. */
export function queryNumber (query: Record<string, string>, name: string, absent: number): number {
  const value = Number.parseInt(query[name] ?? '', 10)
  return Number.isNaN(value) ? absent : value
}
