/** Log output of the serving commands: standard output, with protection against a full disk or a slow reader. */
import { pino, type DestinationStream } from 'pino'
import { warnOn } from './environment.ts'

/** A destination for pino. */
export interface LogOutput extends DestinationStream {
  /** From now on each line is written synchronously, so that none is lost when the process ends. */
  oneByOne (): void
}

/** Maximum size of the buffer for a slow reader; further lines are lost. Bytes. */
const mostWaiting = 16 * 1024 * 1024
/**
 * Maximum number of synchronous attempts, one every 100 ms, for a reader that takes
 * nothing. They block the process; then lines are lost.
 */
const mostTries = 10

/**
 * Creates the output. Lines that arrive during a write go out together. A line that cannot be written, as on a full
 * disk, is lost. The relay goes on and writes line by line until there is room again. The logger's own output would end
 * the process instead, and would block at its end for as long as lines wait. `shape` may change each text before it is
 * written.
 */
export function logOutput (shape: (text: string) => string = (text) => text): LogOutput {
  let ending = false
  let warned = false
  let triesLeft = mostTries
  const open = (sync: boolean): ReturnType<typeof pino.destination> => {
    let blocks = sync
    const opened = pino.destination({
      fd: 1,
      sync,
      maxLength: mostWaiting,
      retryEAGAIN: () => !blocks || triesLeft-- > 0
    })
    opened.on('error', ({ code }: NodeJS.ErrnoException) => {
      opened.destroy()
      if (!warned) warnOn(process.stderr)(`the log cannot be written (${code}); the relay goes on without it`)
      warned = true
      if (opened === output) output = open(true)
    })
    opened.on('write', (written) => { if (written > 0) triesLeft = mostTries })
    if (sync) opened.once('write', () => { if (!ending) output = open(false) })
    else {
      // The logger calls this when the process ends.
      const { flushSync } = opened
      opened.flushSync = () => {
        blocks = true
        try {
          flushSync.call(opened)
        } catch { /* no reader */ }
      }
    }
    return opened
  }
  let output = open(false)
  return {
    write: (line) => { output.write(shape(line)) },
    oneByOne () {
      ending = true
      output = open(true)
    }
  }
}

// Log lines for a person at a terminal. Programs get the JSON of the logger.

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
  { msg: _msg, reqId, method, route, called, status, failed, ms, cookie_source: cookie, cache, upstream, ...more }:
    Fields
): string {
  const sent =
    (upstream as readonly { readonly calls: readonly string[], readonly outcome: string }[] | undefined ?? []).map((
      { calls, outcome }
    ) => `${calls.join('+')} ${outcome}`)
  return [
    [method, route ?? '(no such route)', called, status, `in ${Math.round(Number(ms))} ms`].filter((word) =>
      word !== undefined
    ).join(' '),
    ...[failed, cache].filter((word) => word !== undefined),
    ...cookie === 'none' ? [] : [`cookie: ${String(cookie)}`],
    ...sent,
    ...restOf(Number(status) >= 500 ? { reqId, ...more } : more)
  ].join(', ')
}

function eventOf ({ msg, err, ...more }: Fields): string {
  const { stack, message, type, code } = (err ?? {}) as LoggedFailure
  const cause = err === undefined ? []
    : [stack ?? message ?? [type, code].filter((word) => word !== undefined).join(' ')]
  return [msg, ...restOf(more), ...cause].join(', ')
}

const restOf = (fields: object): string[] =>
  Object.entries(fields).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  )

/** A terminal would obey control characters. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, '?')
