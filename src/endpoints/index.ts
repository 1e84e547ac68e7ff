/** THE REGISTRY: one import and one key per endpoint. Everything else is derived from it. */
import type { AnyEndpoint } from '../endpoint.ts'
import { getRanks } from './charts/getRanks.ts'
import { getLyric } from './music/getLyric.ts'

export const registry = {
  getRanks,
  getLyric
} satisfies Readonly<Record<string, AnyEndpoint>>

export type Registry = typeof registry
