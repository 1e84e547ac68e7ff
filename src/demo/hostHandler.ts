import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue } from './catalogue/types.ts'
import { isHttpFault, mutated, type Faults, type HttpFault } from './faults.ts'
import type { Keys } from './keys.ts'
import type { Logins } from './login.ts'
import type { Fault, Received } from './types.ts'

/** A request to an upstream host, before it is parsed. */
export interface Asked extends Pick<Received, 'host' | 'method' | 'path' | 'query' | 'headers'> {
  text: string
}

/** The state of one running demo. */
export interface Stage {
  catalogue: Catalogue
  faults: Faults
  /** Cached texts of constant answers, by call and parameters. */
  texts: Map<string, string>
  /** Encodes answers of old calls. */
  gbk: (text: string) => Buffer
  secret: string
  now: () => number
  logins: Logins
  keys: Keys
  /** Number of requests for each endless list. */
  turns: Map<string, number>
  /** Phone programs count as known devices with any ids. */
  trustDevices: boolean
  /** Aborted when the client of this request disconnects. */
  gone: AbortSignal
}

/** A parsed request: the names of its calls, and how to answer it. */
export interface Entered {
  calls: string[]
  body: unknown
  answer: (stage: Stage) => Promise<HttpFault>
}

/** The request handler of one upstream host. */
export type HostHandler = (asked: Asked) => Entered

export const notFound: HttpFault = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>404 Not Found</title></head></html>'
}

/** Parses the body if it is JSON, with any content type: the upstream accepts JSON sent as form text. */
export function parsedBody (text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Answers one call, normally or with the fault. `normal` can use a replacement handler (`instead`). `coded` formats a
 * business error in the form of the protocol.
 */
export async function answered (
  fault: Fault | undefined,
  normal: () => unknown,
  coded: (refusal: { code: number, data?: unknown } | { subcode: number, message?: string }) => unknown
): Promise<unknown> {
  if (!fault || isHttpFault(fault)) return normal()
  if ('instead' in fault || 'lost' in fault) return normal()
  if ('mutate' in fault) return mutated(normal(), fault.mutate)
  if ('delayMs' in fault) {
    await sleep(fault.delayMs)
    return normal()
  }
  return coded(fault)
}
