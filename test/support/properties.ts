/** How often a property is tried: 20 times with a fixed seed in `npm test`, and with WHOLE=1 many times with a random one. */
import type { Test } from 'tap'
import { whole } from './whole.ts'

/** The parameters of `fc.assert`. A random seed is printed. */
export function runs (t: Test, many = 2000): { readonly seed: number, readonly numRuns: number } {
  const seed = whole ? Math.floor(Math.random() * 2 ** 31) : 1
  if (whole) t.comment(`seed ${seed}`)
  return { seed, numRuns: whole ? many : 20 }
}
