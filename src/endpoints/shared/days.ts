/** Days as the upstream means them: where it is, eight hours ahead of UTC, without summer time. */

const aheadMs = 8 * 3_600_000
/** Beyond it a number of seconds is no day that has a name of ten characters. */
const lastSecond = Date.parse('9999-12-31T00:00:00Z') / 1000

/** Unix seconds to YYYY-MM-DD; "" for what is no moment, 0 among it. */
export function dayInChina (seconds: number): string {
  return seconds > 0 && seconds < lastSecond ? new Date(seconds * 1000 + aheadMs).toISOString().slice(0, 10) : ''
}

/** YYYY-MM-DD to the Unix seconds of its first moment; 0 for what is no day. */
export function midnightInChina (day: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) - aheadMs : Number.NaN
  return Number.isNaN(ms) ? 0 : ms / 1000
}
