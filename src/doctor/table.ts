/** The doctor's report as two tables, calls, then endpoints; and the next step for each call. */
import { stripVTControlCharacters, styleText } from 'node:util'
import { kinds } from '../common/kinds.ts'
import type { CallReport, EndpointReport, FailingCall } from './examine.ts'

type Word = CallReport['verdict']

/** The colour of each word, and the usual next step. */
const words: Readonly<Record<Word, readonly [colour: Parameters<typeof styleText>[0], step: string]>> = {
  'ok': ['green', ''],
  'drift': ['magenta', 'its reader needs a repair: docs/repairing-a-drift.md'],
  'retired': ['red', 'look for a newer version of music-relay; other calls stand in where there are any'],
  'risk-controlled': ['yellow', 'wait, ask from another address, or bring a cookie: --cookie-file'],
  'login needed': ['cyan', 'bring a cookie: music-relay login --print > cookie.txt, then --cookie-file cookie.txt'],
  'refused': ['red', 'the outcome names the upstream\'s code; ask again later or with a cookie'],
  'empty': ['yellow', 'often how a block looks: wait, or bring a cookie: --cookie-file'],
  'unreachable': ['red', 'check the network, and UPSTREAM_ORIGIN if it is set'],
  'not probed': ['gray', '']
}

/** Returns the next step for the user; "" if there is none. */
export function nextStep ({ verdict, outcome, kind, note = '' }: CallReport, withCookie: boolean): string {
  if (verdict === 'ok') return note
  if (verdict === 'not probed') return outcome
  const advice = kind === undefined ? undefined : kinds[kind].advice
  if (advice !== undefined) return advice
  if (verdict === 'login needed' && withCookie) return 'the cookie is expired or not enough: music-relay login'
  return words[verdict][1]
}

/** Whether the call needs no attention. `login needed` is a problem only if a cookie was given. */
export function isWell ({ verdict }: CallReport, withCookie: boolean): boolean {
  return verdict === 'ok' || verdict === 'not probed' || (verdict === 'login needed' && !withCookie)
}

/** Returns one line per call, with its findings below, one line per endpoint, and a summary as the last line. */
export function table (
  reports: readonly CallReport[],
  endpoints: readonly EndpointReport[],
  { withCookie, colour }: { readonly withCookie: boolean, readonly colour: boolean }
): string {
  const painted = (verdict: Word, text: string): string =>
    colour ? styleText(words[verdict][0], text, { validateStream: false }) : text
  const rows = reports.map((report) => [
    report.call,
    painted(report.verdict, report.verdict),
    report.outcome === 'ok' || report.ms === undefined ? '' : report.outcome,
    report.ms === undefined ? '' : `${report.ms} ms`,
    report.endpoints.join(', '),
    nextStep(report, withCookie)
  ])
  const [head, ...lines] = inColumns([['call', 'verdict', 'outcome', 'latency', 'endpoints', 'next step'], ...rows])
  const body = reports.flatMap((report, at) => [
    lines[at],
    ...report.findings.map(({ path, expected, seen }) => `    ${path || 'the answer'}: should be ${expected}, is ${seen}`)
  ])
  return [head, ...body, '', ...endpointLines(endpoints), '', summary(reports, withCookie)].join('\n')
}

/** Returns one line per endpoint: the calls that answer now, and those that do not. */
function endpointLines (endpoints: readonly EndpointReport[]): string[] {
  const failure = ({ call, verdict, since }: FailingCall): string =>
    `${call} (${verdict}${since === undefined ? '' : ` since ${spokenTime(since)}`})`
  return inColumns([
    ['endpoint', 'answered by', 'not answered by'],
    ...endpoints.map(({ endpoint, answeredBy, failing }) =>
      [endpoint, answeredBy.join(', ') || 'no call', failing.map(failure).join(', ')])
  ])
}

/** Returns an ISO time to the minute; a year or a month unchanged. */
const spokenTime = (since: string): string => since.length > 10 ? `${since.slice(0, 16).replace('T', ' ')} UTC` : since

/** Returns the rows as lines with aligned cells. A cell that is wider than most shifts only its own line. */
export function inColumns (rows: readonly (readonly string[])[]): string[] {
  const width = (at: number): number => Math.min(46, Math.max(...rows.map((row) => shown(row[at] ?? ''))))
  const widths = (rows[0] ?? []).map((_, at) => width(at))
  return rows.map((cells) =>
    cells.map((cell, at) =>
      at === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - shown(cell)))
    ).join('  ').trimEnd()
  )
}

/** Returns the width on a terminal: Chinese, Japanese, Korean and emoji take two columns, combining marks none. */
const shown = (text: string): number =>
  [...stripVTControlCharacters(text).replaceAll(/[\p{M}\u200b-\u200d]/gu, '')].length + (text.match(wide)?.length ?? 0)

const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Hangul}\p{Emoji_Presentation}\u3001-\u303e\u30a0-\u30ff\uff01-\uff60\uffe0-\uffe6]/gu

function summary (reports: readonly CallReport[], withCookie: boolean): string {
  const counts = (Object.keys(words) as Word[]).flatMap((word) => {
    const count = reports.filter(({ verdict }) => verdict === word).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const troubled =
    new Set(reports.filter((report) => !isWell(report, withCookie)).flatMap(({ endpoints }) => endpoints))
  return `${reports.length} calls: ${counts.join(', ')}.${troubled.size === 0 ? '' : ` Touched: ${[...troubled].join(', ')}.`}`
}
