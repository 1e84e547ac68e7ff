/** Where the log lines of a serving command go: to standard output, whatever becomes of it. */
import { pino } from 'pino'
import type { DestinationStream } from 'pino'

export interface LogOutput extends DestinationStream {
  /** From now on a line is written before the program goes on: none is under way when the process ends. */
  oneByOne (): void
}

/** What may wait for a reader that is behind; lines beyond it are lost. Bytes. */
const mostWaiting = 16 * 1024 * 1024
/** A reader that takes nothing is tried again this often, every 100 ms, while nothing else can go on; then lines are lost. */
const mostTries = 10

/**
 * Lines that come while one is being written go out together. A line that cannot be written, as on a full disk, is lost,
 * and the relay goes on, one by one until there is room again: the logger's own output would end the process, and stand
 * still at its end for as long as lines wait.
 */
export function logOutput (): LogOutput {
  let ending = false
  let triesLeft = mostTries
  const open = (sync: boolean): ReturnType<typeof pino.destination> => {
    let blocks = sync
    const opened = pino.destination({ fd: 1, sync, maxLength: mostWaiting, retryEAGAIN: () => !blocks || triesLeft-- > 0 })
    opened.on('error', () => {
      opened.destroy()
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
        } catch { /* nobody reads */ }
      }
    }
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
