/** Log lines for a person at a terminal. Programs get the JSON of the logger. */

/** The fields of a line, besides level and time. */
type Fields = Readonly<Record<string, unknown>>
type LoggedFailure = Readonly<Partial<Record<'stack' | 'message' | 'type' | 'code', string>>>

/**
 * Returns a line of the logger as text, such as `10:15:02 info  GET /getRanks 200 in 14 ms, MISS, chart.detail ok`. The
 * time is local. Any other text, such as the banner, is returned unchanged.
 */
export function readable (line: string): string {
  if (!line.startsWith('{"level":')) return line
  const { level, time, ...entry } = JSON.parse(line) as Fields & { readonly level: string, readonly time: string }
  const clock = new Date(time).toLocaleTimeString('en-GB')
  return `${clock} ${level.padEnd(5)} ${printable(entry.msg === 'request' ? requestOf(entry) : eventOf(entry))}\n`
}

function requestOf (
  { msg: _msg, reqId, method, route, called, status, failed, ms, cookie_source: cookie, cache, upstream, ...more }: Fields
): string {
  const sent = (upstream as readonly { readonly calls: readonly string[], readonly outcome: string }[] | undefined ?? []).map(({ calls, outcome }) =>
    `${calls.join('+')} ${outcome}`
  )
  return [
    [method, route ?? '(no such route)', called, status, `in ${Math.round(Number(ms))} ms`].filter((word) => word !== undefined).join(' '),
    ...[failed, cache].filter((word) => word !== undefined),
    ...cookie === 'none' ? [] : [`cookie: ${String(cookie)}`],
    ...sent,
    ...restOf(Number(status) >= 500 ? { reqId, ...more } : more)
  ].join(', ')
}

function eventOf ({ msg, err, ...more }: Fields): string {
  const { stack, message, type, code } = (err ?? {}) as LoggedFailure
  const cause = err === undefined ? [] : [stack ?? message ?? [type, code].filter((word) => word !== undefined).join(' ')]
  return [msg, ...restOf(more), ...cause].join(', ')
}

const restOf = (fields: object): string[] =>
  Object.entries(fields).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  )

/** A terminal would obey control characters. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, '?')
