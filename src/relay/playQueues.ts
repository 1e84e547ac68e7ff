/** The interface to the play queues of accounts. src/accounts stores them. */
import { LRUCache } from 'lru-cache'

/** Songs in a queue. Of a longer one, those around the current song are kept. */
const mostSongs = 500
/** Accounts whose queue is in memory, where nothing is stored. */
const mostInMemory = 100

/** What a player was about to play. Times are Unix milliseconds. */
export interface PlayQueue {
  /** MIDs of the songs. */
  readonly songs: readonly string[]
  /** Place of the current song, from 0. */
  readonly index: number
  /** Milliseconds of the current song that were played. */
  readonly position: number
  /** When a player stored it. */
  readonly changed: number
  /** What the player calls itself. */
  readonly changedBy: string
}

/** The last queue of each account. */
export interface PlayQueues {
  /** Returns the queue of an account, or undefined if it has none. Throws if too many files are open. */
  read (account: string): Promise<PlayQueue | undefined>
  /** Throws file system errors. */
  write (account: string, queue: PlayQueue): Promise<void>
}

/** Returns the queue, or the part of it around its current song. */
export function boundedQueue ({ songs, index, ...rest }: PlayQueue): PlayQueue {
  const from = Math.max(0, Math.min(index - Math.floor(mostSongs / 2), songs.length - mostSongs))
  const kept = songs.slice(from, from + mostSongs)
  return { ...rest, songs: kept, index: Math.max(0, Math.min(index - from, kept.length - 1)) }
}

/** Keeps queues until the relay stops. */
export function queuesInMemory (): PlayQueues {
  const queues = new LRUCache<string, PlayQueue>({ max: mostInMemory })
  return { read: async (account) => queues.get(account), async write (account, queue) { queues.set(account, queue) } }
}
