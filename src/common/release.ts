/** Gives memory back at once. */
import { MessageChannel } from 'node:worker_threads'

/** Smaller ones are not worth it, and may share their memory with others. Bytes. */
const smallest = 256 * 1024

/**
 * Frees the memory of bytes that nobody reads any more, and that share it with no others. The garbage collector counts
 * what is outside of its own heap late: megabytes a request, made faster than it looks, would fill a container.
 */
export function release ({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < smallest || !(buffer instanceof ArrayBuffer)) return
  const { transfer } = buffer as { transfer?: (length: number) => ArrayBuffer }
  if (transfer !== undefined) return void transfer.call(buffer, 0)
  // Before Node 22: memory goes to whom a message is sent, and with the message if nobody takes it.
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.postMessage(null, [buffer])
  port1.close()
}
