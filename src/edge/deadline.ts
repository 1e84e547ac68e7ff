/** Deadlines of answers. */
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { RelayError } from '../common/errors.ts'
import type { Runtime } from '../relay/runtime.ts'
import { upstreamLimits } from '../upstream/client.ts'
import { loginLimits } from '../upstream/login/logins.ts'
import type { Timers } from '../common/timers.ts'

/** Returns the maximum time for the answer of an endpoint, in milliseconds, including all waits. */
export function answerTimeOf (
  { loginStep }: Pick<AnyEndpoint, 'loginStep'>,
  { settings, tuning }: Pick<Runtime, 'settings' | 'tuning'>
): number {
  const spare = 1000 // inner deadlines expire first, because their errors are more precise
  const { upstreamQueueMs, loginDeadlineMs, pollDeadlineMs } = { ...upstreamLimits, ...loginLimits, ...tuning }
  if (loginStep === undefined) return settings.deadlineMs + upstreamQueueMs + spare
  return Math.max(loginDeadlineMs, loginStep === 'check' ? pollDeadlineMs + 3000 : 0) + spare
}

/**
 * Returns the result of `work`, or throws UPSTREAM_TIMEOUT after `ms` milliseconds. `work` is not aborted. (The
 * framework's timer cannot be used, because it ends for every POST when its body is read.)
 */
export async function withDeadline<T> ({ setTimeout, clearTimeout }: Timers, ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => { reject(new RelayError('UPSTREAM_TIMEOUT', 'The answer did not come in time; try again.')) }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
