/** Days in the upstream's time zone: eight hours ahead of UTC, without summer time. */

const aheadMs = 8 * 3_600_000
/** Later seconds have no date of ten characters. */
const lastSecond = Date.parse('9999-12-31T00:00:00Z') / 1000

/** Returns Unix seconds as YYYY-MM-DD; "" for 0 and for numbers that are not a date. */
export function dayInChina (seconds: number): string {
  return seconds > 0 && seconds < lastSecond ? new Date(seconds * 1000 + aheadMs).toISOString().slice(0, 10) : ''
}

/** Returns the Unix seconds at which a YYYY-MM-DD day begins; 0 if the text is not a day. */
export function midnightInChina (day: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) - aheadMs : Number.NaN
  return Number.isNaN(ms) ? 0 : ms / 1000
}
