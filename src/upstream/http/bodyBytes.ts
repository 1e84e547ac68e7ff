/** The bytes of one body, while they arrive. */
import { release, resizable } from '../../common/release.ts'

/** From this size on, a body has memory of its own. Bytes. */
const large = 256 * 1024

/**
 * Collects the bytes of one body. Those of a large one lie in memory that grows with it, up to `most` bytes, and that `release`
 * gives back at once: joined in the end they would take twice their size, until the garbage collector comes. With `most` 0, that
 * is done to all.
 */
export class BodyBytes {
  readonly #most: number
  #chunks: Uint8Array[] = []
  #size = 0
  #memory: ReturnType<typeof resizable> | undefined

  constructor (most: number) { this.#most = most }

  get size (): number { return this.#size }

  add (chunk: Uint8Array): void {
    const start = this.#size
    this.#size += chunk.length
    if (this.#memory !== undefined) {
      this.#memory.resize(this.#size)
      new Uint8Array(this.#memory, start).set(chunk)
    } else {
      this.#chunks.push(chunk)
      if (this.#size > large && this.#most > 0) this.#move()
    }
  }

  /** Returns all bytes. */
  take (): Uint8Array {
    const [first] = this.#chunks
    if (this.#memory !== undefined) return new Uint8Array(this.#memory, 0, this.#size)
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
  }

  /** Nobody will take them. */
  drop (): void {
    this.#chunks = []
    if (this.#memory !== undefined) release(new Uint8Array(this.#memory))
  }

  #move (): void {
    this.#memory = resizable(this.#size, this.#most)
    let at = 0
    for (const chunk of this.#chunks) {
      new Uint8Array(this.#memory, at).set(chunk)
      at += chunk.length
    }
    this.#chunks = []
  }
}
