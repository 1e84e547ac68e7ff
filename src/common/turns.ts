/**
 * Shares the event loop among long work: after each slice of work, everything else gets a turn. One slice of all long
 * work runs in a turn of the loop. Clients take turns, and the oldest request of a client goes first.
 */
import type { Client } from './ledger.ts'

/** The work of one request. */
export interface Work {
  /**
   * Notes work, in bytes that were read or made. Once a slice is full, returns a promise that resolves in a later turn
   * of the loop.
   */
  did (bytes: number): Promise<void> | undefined
  /** Returns a row for each row, slice by slice. */
  rows<T, R> (rows: readonly T[], make: (row: T) => R): Promise<R[]>
  /**
   * Waits until this client makes no other large answer. The place is held until `end`. Must not be called while others
   * wait for this work.
   */
  alone (): Promise<void>
  /** Ends the work and gives the place back. */
  end (): void
}

/** About the bytes that are read for a row. */
const rowBytes = 500

interface Waiting { readonly order: number, readonly go: () => void }

/** `sliceBytes`: work in one turn, in bytes. */
export function createTurns (sliceBytes: number) {
  /** Waiting slices by client. The client served longest ago is first. */
  const waiting = new Map<string, Waiting[]>()
  /** The last large answer of each client. */
  const large = new Map<string, Promise<void>>()
  let begun = 0
  let isRunning = false

  function next (): void {
    const [client, slices] = waiting.entries().next().value as [string, Waiting[]]
    waiting.delete(client)
    const oldest = slices.reduce((found, each) => each.order < found.order ? each : found)
    if (slices.length > 1) waiting.set(client, slices.filter((each) => each !== oldest))
    isRunning = waiting.size > 0
    if (isRunning) setImmediate(next)
    oldest.go()
  }

  return {
    /** Returns the work of a request. `charge` is called with all of it. */
    begin (client: Client | undefined, charge?: (bytes: number) => void): Work {
      const name = client?.[0] ?? ''
      const order = begun++
      let done = 0
      let place: { readonly ready: Promise<void> | undefined, readonly end: () => void } | undefined

      const did: Work['did'] = (bytes) => {
        charge?.(bytes)
        done += bytes
        if (done < sliceBytes) return undefined
        done = 0
        return new Promise((go) => {
          waiting.set(name, [...waiting.get(name) ?? [], { order, go }])
          if (!isRunning) setImmediate(next)
          isRunning = true
        })
      }

      return {
        did,
        async rows (rows, make) {
          const made: ReturnType<typeof make>[] = []
          for (const row of rows) {
            const one = make(row)
            made.push(one)
            const turn = did(rowBytes + (typeof one === 'string' ? one.length : 0))
            if (turn !== undefined) await turn
          }
          return made
        },
        async alone () {
          if (place === undefined) {
            const ready = large.get(name)
            let finish = (): void => {}
            const own = new Promise<void>((resolve) => { finish = resolve })
            const last = (ready ?? Promise.resolve()).then(async () => { await own })
            large.set(name, last)
            place = {
              ready,
              end () {
                finish()
                if (large.get(name) === last) large.delete(name)
              }
            }
          }
          await place.ready
        },
        end () { place?.end() }
      }
    }
  }
}

/**
 * Returns a function that says when an answer of so many bytes may be read: undefined for now, or a promise of a later
 * turn of the loop. Many answers may arrive in one turn, and are read up to `most` bytes a turn, one at least, in their
 * order.
 */
export function createReads (most: number): (bytes: number) => Promise<void> | undefined {
  const waiting: { readonly bytes: number, readonly go: () => void }[] = []
  let [read, isScheduled] = [0, false]
  const fits = (bytes: number): boolean => read === 0 || read + bytes <= most

  function schedule (): void {
    if (!isScheduled) setImmediate(turn)
    isScheduled = true
  }

  function turn (): void {
    [read, isScheduled] = [0, false]
    for (let first = waiting[0]; first !== undefined && fits(first.bytes); first = waiting[0]) {
      waiting.shift()
      read += first.bytes
      first.go()
    }
    if (read > 0) schedule()
  }

  return (bytes) => {
    if (waiting.length > 0 || !fits(bytes)) {
      schedule()
      return new Promise((go) => { waiting.push({ bytes, go }) })
    }
    read += bytes
    // A turn is noticed only once it matters: before, the sum is that of several turns.
    if (read > most / 2) schedule()
    return undefined
  }
}
