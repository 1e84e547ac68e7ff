/** What the tests of the remote client share: clients, outcomes that can be compared, and servers that are no relay. */
import { createServer, type RequestListener } from 'node:http'
import type { Test } from 'tap'
import { createClient, type CallOptions, type ClientOptions, type RelayError } from '../../src/index.ts'
import type { Relay } from '../../src/library/types.ts'
import { listening } from './listening.ts'

export type AnyCall = (input?: unknown, options?: CallOptions) => Promise<unknown>
export const callOf = (relay: Relay, name: string): AnyCall => relay[name as 'getHotkey'] as AnyCall

export function clientFor (t: Test, address: string, options?: ClientOptions): Relay {
  const client = createClient(address, options)
  t.teardown(async () => { await client.close() })
  return client
}

/** The properties of an error that a program sees. */
export const facts = (error: unknown): unknown => {
  const { name, code, statusCode, retryAfter, message } = error as RelayError
  return { name, code, statusCode, retryAfter, message }
}

/**
 * Values that are random or depend on the clock: the id of a player, a signature, a QR code. Only their presence is
 * compared.
 */
const lots = new Set(['qrsig', 'ptqrtoken', 'uuid', 'img'])
const comparable = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, inner: unknown) =>
  typeof inner !== 'string' ? inner : lots.has(key) ? inner.length > 0
    : inner.replaceAll(/\b((?:guid|vkey)=)[0-9a-f]+|(\/)[0-9A-F]{40,}(?=\/)/gi, '$1$2')) ?? 'null')

/** Stations have other songs each time: only how many. */
const drawn = new Set(['getRadioSongs', 'getPersonalRadio'])
export const alike = (name: string, outcome: any): unknown => comparable(drawn.has(name) && outcome.value !== undefined
  ? { songs: outcome.value.songs.length, goesOn: typeof outcome.value.nextCursor }
  : outcome)

export const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then((value) => ({ value }), (error: unknown) => ({ error: facts(error) }))

/** The clock of a demo whose answers are compared: it stands still, because one record holds the upstream's time. */
export const standing = { now: () => 1_790_000_000_000 }

/** A server that is not a relay, or a proxy in front of one. */
export async function answering (t: Test, observer: RequestListener): Promise<string> {
  return await listening(t, createServer(observer))
}
