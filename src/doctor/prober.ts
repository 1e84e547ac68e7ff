/** Probes endpoints with the inputs from their definitions and with ids from earlier answers of the upstream. */
import pLimit from 'p-limit'
import type { Settings } from '../relay/settings.ts'
import { resolveIdentity } from '../relay/identity.ts'
import type { AnyEndpoint, SampleIds } from '../relay/endpoint.ts'
import { registry, type Registry } from '../endpoints/index.ts'
import { RelayError } from '../common/errors.ts'
import type { PlayReason } from '../common/schemaTypes.ts'
import { functionsOf, resolveOptions } from '../library/relay.ts'
import { createRuntime, type Tuning } from '../relay/runtime.ts'
import { createProbeRecorder } from './probeRecorder.ts'

export type Name = keyof Registry

/** Static information about a call, available before any probe. */
export interface KnownCall {
  /** Endpoints that send the call, first or as a fallback. */
  readonly endpoints: readonly Name[]
  /** Logical name of its host. Absent: a login. */
  readonly host?: string
  /** The call is sent only after a user scanned a QR code, so no probe reaches it. */
  readonly afterScan?: true
}

/** Called after each probed endpoint: the number done, the total number, and its name. */
export type Progress = (done: number, all: number, endpoint: string) => void

export interface ProberOptions {
  readonly settings: Settings
  /** Cookie of the account to probe with. Absent: anonymous. */
  readonly cookie?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Recorded answers, which are read instead of asking the upstream. */
  readonly replay?: ReadonlyMap<string, { readonly answer: unknown }> | undefined
  /** @internal Constants that replace those beside their use, for tests. */
  readonly tuning?: Tuning
}

/** Endpoints probed at the same time. Low, because this is not a load test. */
const atOnce = 3
/** Deadline of a probe, in milliseconds, unless the settings have a shorter one. */
const probeMs = 5000
/** Deadline of a login poll, in milliseconds. A poll without news lasts that long, and a short one is enough proof. */
const pollMs = 2000

/** Time between two searches, in ms. At 4 s none of 16 was refused as too fast (2026); the doctor sends more. */
const searchMs = 4500

const endpoints: Readonly<Record<Name, AnyEndpoint>> = registry

export const endpointNames = Object.keys(registry) as Name[]

const noIds: SampleIds = {
  songs: [],
  singers: [],
  albums: [],
  playlists: [],
  mvs: [],
  comments: [],
  accounts: [],
  mainQrCodes: [],
  altQrCodes: []
}

/** What recorded answers are asked for as long as none of them names something else. */
const anyIds: SampleIds = {
  ...noIds,
  songs: [{ id: '1', mid: '0', title: 'a' }],
  singers: ['0'],
  albums: ['0'],
  playlists: ['1'],
  mvs: [{ vid: '0', word: 'a' }],
  comments: ['1']
}

export const takesLogin = (name: Name): boolean => endpoints[name].login !== undefined

/** Returns the inputs to probe an endpoint with; none if an id is missing or the endpoint makes no upstream call. */
export function probesOf (name: Name, sampleIds: SampleIds): readonly object[] {
  const { probe } = endpoints[name]
  return probe === 'none' ? [] : probe(sampleIds)
}

/** Returns the calls to deny so that others are sent: each call alone, then more and more of them together. */
export function denialsOf (reached: readonly string[]): ReadonlySet<string>[] {
  return [...reached.map((call) => new Set([call])), ...reached.map((_call, at) => new Set(reached.slice(0, at + 1)))]
}

/** Creates a prober with its own relay runtime, without a cache. Close it to end its connections. */
export function createProber ({ settings, cookie, signal, tuning, replay }: ProberOptions) {
  const recorder = createProbeRecorder(tuning?.['searchSlowIntervalMs'] ?? searchMs, replay)
  // Send each call alone: in a shared POST, the failure of one call would temporarily count as that of the others.
  const runtime = createRuntime(
    resolveOptions({
      ...settings,
      deadlineMs: Math.min(probeMs, settings.deadlineMs),
      cache: false,
      tuning: { pollDeadlineMs: pollMs, searchIntervalMs: 0, batchMost: 1, ...tuning }
    }),
    recorder
  )
  const { credential } = resolveIdentity({ query: cookie }, { fallbackMode: true, useGlobalCookie: false })
  const functions = functionsOf(runtime)
  /** Endpoints that threw an error other than RelayError, with the message: bugs of the relay. */
  const broken = new Set<string>()
  /** Endpoints that found a song blocked in the relay's region. */
  const regional = new Set<string>()
  let sampleIds: SampleIds = {
    ...replay === undefined ? noIds : anyIds,
    ...credential === undefined ? {} : { accounts: [credential.uin] }
  }

  /** Stores sample ids from a record. One id of each type is enough. An empty list does not replace a stored id. */
  function seed (name: Name, record: unknown): void {
    if ((record as { reason?: unknown } | undefined)?.reason === ('REGION' satisfies PlayReason)) regional.add(name)
    const found = Object.entries(endpoints[name].samples?.(record as never) ?? {}).filter(([, ids]) => ids.length > 0)
    sampleIds = { ...sampleIds, ...Object.fromEntries(found.map(([kind, ids]) => [kind, ids.slice(0, 1)])) }
  }

  /** Probes one endpoint. Denied calls fail unsent, so that their fallbacks are sent. `more`: further input. */
  async function probe (name: Name, denied?: ReadonlySet<string>, more: object = {}): Promise<void> {
    const call = functions[name] as (input: object, options: object) => Promise<unknown>
    // The result of one input may be the sample id of the next one.
    for (let at = 0, input; (input = probesOf(name, sampleIds)[at]) !== undefined; at++) {
      if (signal?.aborted === true) return
      try {
        seed(
          name,
          await recorder.during(name, async () => await call({ ...input, ...more }, { cookie, signal }), denied)
        )
      } catch (error) {
        // A RelayError is recorded as the outcome of its call. The remaining probes still run.
        if (!(error instanceof RelayError)) broken.add(`${name}: ${(error as Error).message}`)
      }
    }
  }

  /** Probes every endpoint once. Endpoints that supply sample ids come first. */
  async function probeAll (progress: Progress): Promise<void> {
    const slots = pLimit(atOnce)
    let done = 0
    const visit = (name: Name): Promise<void> => slots(async () => {
      await probe(name)
      progress(++done, endpointNames.length, name)
    })
    const isSeeder = (name: Name): boolean => endpoints[name].samples !== undefined && probesOf(name, noIds).length > 0
    await Promise.all(endpointNames.filter(isSeeder).map(visit))
    await Promise.all(endpointNames.filter((name) => !isSeeder(name)).map(visit))
  }

  return {
    runtime,
    recorder,
    credential,
    broken,
    regional,
    sampleIds: (): SampleIds => sampleIds,
    probeAll,
    probe,
    close: async (): Promise<void> => {
      recorder.close()
      await runtime.close()
    }
  }
}

export type Prober = ReturnType<typeof createProber>
