/** Formats durations for people. */

/** Returns a duration as text, such as `2 d 5 h`. A negative one counts as none. */
export function spanOf (seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60))
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

/** Returns the day of a time in Unix seconds. */
export const dayOf = (seconds: number): string => new Date(1000 * seconds).toISOString().slice(0, 10)
