/** Memory that is given back at once. The garbage collector would do so later, and a container may be full before. */

/** Memory that can grow up to its limit, and shrink. TypeScript knows the newest ArrayBuffer only. */
type Resizable = ArrayBuffer & { resize (length: number): void }

/** Returns memory that can grow up to `most` bytes. It takes only what it holds, and `release` works on it in every version of Node. */
export function resizable (length: number, most: number): Resizable {
  return Reflect.construct(ArrayBuffer, [length, { maxByteLength: most }]) as Resizable
}

/** Smaller ones are not worth it, and may share their memory with others. Bytes. */
const smallest = 256 * 1024

/**
 * Frees the memory of bytes that nobody reads any more, and that share it with no others. For memory that is not resizable, there
 * is no way to do it before Node 22.
 */
export function release ({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < smallest || !(buffer instanceof ArrayBuffer)) return
  const { resizable } = buffer as { resizable?: boolean }
  if (resizable === true) (buffer as Resizable).resize(0)
  else (buffer as { transfer?: (length: number) => unknown }).transfer?.(0)
}
