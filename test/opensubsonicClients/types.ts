/** How recorded players are written down. */
import type { Manner, Parameters } from '../support/opensubsonicPlayer.ts'

/** One request of a player. */
export interface Step {
  /** What its user does: adding the server, first copy, opening something, playing. */
  readonly at: string
  readonly ask: string
  /** Its own parameters. `{word}` stands for what an earlier answer said. */
  readonly with?: Parameters
  /** What differs from the player's usual way, and parameters that are left out of it: `undefined`. */
  readonly manner?: Manner
  readonly common?: Parameters
  /** Paths of what the player reads, without which it shows nothing or breaks. At each step of a path everything must have it. */
  readonly reads?: readonly string[]
  /** Words for later, and paths of their first value. */
  readonly keeps?: Readonly<Record<string, string>>
  /** Code of the failure, which the player shows or swallows, and goes on. */
  readonly fails?: number
  /** The answer is or leads to bytes of this kind; `elsewhere`: to another site, which nobody asks here. */
  readonly leads?: 'audio' | 'image' | 'elsewhere'
}

/** How a player proves who asks: a token with a salt, the password, its digits, or a key. */
export type Proof = 'token' | 'plain' | 'hidden' | 'key'

/** A player. `source`: where its requests were read, as repositories and files, or threads with recorded requests. */
export interface Client {
  readonly name: string
  readonly source: readonly string[]
  readonly manner: Manner
  /** Parameters of all its requests, besides the proof. */
  readonly common: Parameters
  readonly proofs: readonly Proof[]
  readonly steps: readonly Step[]
}

/** Paths below one. */
export const each = (path: string, ...names: readonly string[]): readonly string[] => names.map((name) => `${path}.${name}`)
