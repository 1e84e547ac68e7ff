/**
 * Abort signals without the events of the platform. An AbortController with one listener costs some microseconds, and
 * every request needs one that almost never aborts.
 */

/** Ends work early. Every AbortSignal is one. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener (type: 'abort', listener: () => void): void
  removeEventListener (type: 'abort', listener: () => void): void
}

/** A signal, and the function that aborts it. It aborts once, with the first reason. */
export interface Abort { readonly signal: AbortSignalLike, abort (reason: unknown): void }

/** Returns a new signal that has not aborted. Each listener is called once. */
export function createAbort (): Abort {
  const signal = new LightSignal()
  return { signal, abort (reason) { signal.abort(reason) } }
}

class LightSignal implements AbortSignalLike {
  aborted = false
  reason: unknown
  #listeners: Set<() => void> | undefined

  addEventListener (_type: 'abort', listener: () => void): void { (this.#listeners ??= new Set()).add(listener) }

  removeEventListener (_type: 'abort', listener: () => void): void { this.#listeners?.delete(listener) }

  abort (reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#listeners
    this.#listeners = undefined
    for (const listener of listeners ?? []) listener()
  }
}
