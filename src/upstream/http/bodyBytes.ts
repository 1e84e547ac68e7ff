/** Collects the bytes of one body as they arrive. */
import { release, resizable } from '../../common/release.ts'

/** Bodies larger than this get their own memory. Bytes. */
const large = 256 * 1024

/**
 * Collects the bytes of one body. A large body uses memory that grows up to `most` bytes and that `release` frees at once:
 * joining chunks at the end would take twice the size until the garbage collector runs. With `most` 0, chunks are always
 * joined.
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

  /** Discards the bytes. */
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
