/** Where the log lines of a serving command go: to standard output, whatever becomes of it. */
import { pino } from 'pino'
import type { DestinationStream } from 'pino'

export interface LogOutput extends DestinationStream {
  /** From now on a line is written before the program goes on: none is under way when the process ends. */
  oneByOne (): void
}

/**
 * Lines that come while one is being written go out together. A line that cannot be written, as on a full disk, is lost,
 * and the relay goes on, one by one until there is room again: the logger's own output would end the process, and stand
 * still at its end for as long as lines wait.
 */
export function logOutput (): LogOutput {
  let ending = false
  const open = (sync: boolean): ReturnType<typeof pino.destination> => {
    const opened = pino.destination({ fd: 1, sync })
    opened.on('error', () => {
      opened.destroy()
      if (opened === output) output = open(true)
    })
    if (sync) opened.once('write', () => { if (!ending) output = open(false) })
    return opened
  }
  let output = open(false)
  return {
    write: (line) => { output.write(line) },
    oneByOne () {
      ending = true
      output = open(true)
    }
  }
}
