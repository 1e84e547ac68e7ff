import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue } from './catalogue/types.ts'
import { isHttpFault, mutated } from './faults.ts'
import type { Faults, HttpFault } from './faults.ts'
import type { Logins } from './login.ts'
import type { Fault } from './types.ts'

/** A request on an upstream host, before anything is known about it. */
export interface Asked {
  host: string
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  text: string
}

/** What belongs to one running demo. */
export interface Stage {
  catalogue: Catalogue
  faults: Faults
  /** Steady answers already written, by call and parameters. */
  texts: Map<string, string>
  secret: string
  now: () => number
  logins: Logins
  /** Aborted when the asker of this request is gone. */
  gone: AbortSignal
}

/** Which calls are in a request, and how to answer it. */
export interface Entered {
  calls: string[]
  body: unknown
  answer: (stage: Stage) => Promise<HttpFault>
}

export type Door = (asked: Asked) => Entered

export const notFound: HttpFault = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><head><title>404 Not Found</title></head></html>' }

/** The body as JSON when it is JSON, whatever its content type says: form text with JSON in it is accepted upstream. */
export function parsedBody (text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Answers one call: normally, or the way the due fault wants it. `coded` makes a business refusal in the door's own form. */
export async function answered (fault: Fault | undefined, normal: () => unknown, coded: (refusal: { code: number, data?: unknown } | { subcode: number, message?: string }) => unknown): Promise<unknown> {
  if (!fault || isHttpFault(fault)) return normal()
  if ('mutate' in fault) return mutated(normal(), fault.mutate)
  if ('delayMs' in fault) {
    await sleep(fault.delayMs)
    return normal()
  }
  return coded(fault)
}
