/** Checks recorded answers with today's readers: which of them could not be read, and where. Sends nothing. */
import { settingsOf } from '../core/config.ts'
import { examine, type CallReport } from './examine.ts'
import type { Recording } from './recording.ts'

/** What the readers say of one recording. */
export interface CheckedRecording {
  readonly call: string
  /** `not read`: no endpoint came to it with these recordings. */
  readonly verdict: 'ok' | 'not readable' | 'not read'
  /** What is not as expected, with its path. */
  readonly findings: CallReport['findings']
  /** The failure of the reader, if it did not get to its end. */
  readonly outcome?: string
}

/** An account of nobody, so that calls that need a login are read, too. */
const anybody = 'uin=1; provider_keyst=nobody'

/** Reads every recording as the endpoints would. `http://127.0.0.1:9` is an address at which nothing listens. */
export async function checkRecordings (recordings: ReadonlyMap<string, Recording>): Promise<CheckedRecording[]> {
  const settings = settingsOf({ upstreamOrigin: 'http://127.0.0.1:9', imageOrigin: 'http://127.0.0.1:9' })
  const { calls, recorder } = await examine({ settings, cookie: anybody, replay: recordings })
  return [...recordings.keys()].sort().map((call): CheckedRecording => {
    const report = calls.find((one) => one.call === call)
    const probe = recorder.probes.get(call)
    if (report === undefined || probe?.heard === undefined) return { call, verdict: 'not read', findings: [] }
    const unread = probe.outcome === 'bad_payload' || probe.outcome === 'bug' || report.findings.length > 0
    return {
      call,
      verdict: unread ? 'not readable' : 'ok',
      findings: report.findings,
      ...probe.outcome === 'ok' ? {} : { outcome: probe.outcome }
    }
  })
}
