/** Frees memory at once. The garbage collector would free it later, when a container may already be full. */

/** Memory that can grow up to its limit, and shrink. TypeScript has the type only for the newest ArrayBuffer. */
type Resizable = ArrayBuffer & { resize (length: number): void }

/**
 * Returns memory that can grow up to `most` bytes. It uses only its current size, and `release` works on it in every
 * Node version.
 */
export function resizable (length: number, most: number): Resizable {
  return Reflect.construct(ArrayBuffer, [length, { maxByteLength: most }]) as Resizable
}

/** Minimum size in bytes. Smaller buffers are not worth it and may share their memory with others. */
const smallest = 256 * 1024

/**
 * Frees the memory of bytes that are no longer read and that share it with no others. Memory that is not resizable
 * cannot be freed before Node 22.
 */
export function release ({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < smallest || !(buffer instanceof ArrayBuffer)) return
  const { resizable } = buffer as { resizable?: boolean }
  if (resizable === true) (buffer as Resizable).resize(0)
  else (buffer as { transfer?: (length: number) => unknown }).transfer?.(0)
}
