/** Gives memory back at once. */

/** Smaller ones are not worth it, and may share their memory with others. Bytes. */
const smallest = 256 * 1024

/**
 * Frees the memory of bytes that nobody reads any more, and that share it with no others. The garbage collector would do so
 * later, and a container may be full before. Before Node 22 there is no way to do it.
 */
export function release ({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= smallest && buffer instanceof ArrayBuffer) (buffer as { transfer?: (length: number) => unknown }).transfer?.(0)
}
