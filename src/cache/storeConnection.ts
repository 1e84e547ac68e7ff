/** What the connection to the shared store may do to this process, and what its errors are called. */
import type { Socket } from 'node:net'

/** Maximum number of bytes that the store may send before a command succeeds. An entry has at most a megabyte. */
const mostUnread = 16 * 1024 * 1024

/**
 * Returns the error code for the log, such as ECONNREFUSED or WRONGPASS. The message is not logged, because it may quote the
 * URL with a password.
 */
export function errorCodeOf ({ code, message }: NodeJS.ErrnoException): string | undefined {
  return code ?? /^[A-Z]{3,20}\b/.exec(message)?.[0]
}

/**
 * Closes a connection whose data breaks the client's parser or exceeds the limit. The client parses in the stream's event,
 * where an exception (such as for a reply that is nested too deeply) would end the process.
 */
export function limitUnread (stream: Socket, unread: { bytes: number }): void {
  const emit = stream.emit.bind(stream) as (...args: unknown[]) => boolean
  stream.emit = (...args: [string | symbol, ...unknown[]]): boolean => {
    if (args[0] !== 'data') return emit(...args)
    try {
      unread.bytes += (args[1] as Buffer).length
      if (unread.bytes > mostUnread) throw new RangeError('The shared store sends more than it was asked for.')
      return emit(...args)
    } catch (error) {
      stream.destroy(error as Error)
      return false
    }
  }
}
