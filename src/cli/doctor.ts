/** `music-relay doctor`, `record`, `diff` and `check`: the state of upstream calls, their answers, and changes. */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { LoginRenewal } from '../../schemas/config.ts'
import { ConfigError } from '../common/errors.ts'
import { unwritable } from '../common/fileAccess.ts'
import type { Settings } from '../relay/settings.ts'
import { resolveOptions } from '../library/relay.ts'
import {
  hostLines, isClockRight, isPortUsable, lookAround, outageOf, reachHosts, regionHint, surroundingsLine, verdictOf
} from '../doctor/surroundings.ts'
import { upstreamOptions, type Tuning } from '../relay/runtime.ts'
import { checkRecordings, diff, isSame, readRecordings, writeRecordings, type Diff } from '../doctor/recording.ts'
import { examine, type Examination } from '../doctor/examine.ts'
import { isWell, nextStep, table } from '../doctor/table.ts'
import { renewalFactsOf } from '../accounts/record.ts'
import { renewalIn } from '../upstream/login/renewal.ts'
import { isAnswered } from '../upstream/read/observer.ts'
import { isLogin, knownPairs, lackInWords, plainCookie } from '../upstream/wire/cookies.ts'
import type { UpstreamHealth } from '../upstream/monitor.ts'
import { accountReportLines, checkAccounts } from './accountReports.ts'
import { createLoginCheck, loginInWords } from './loginCommand.ts'
import { textIn } from './process.ts'
import type { Screen } from './screen.ts'
import { checkStore } from './serve.ts'

export interface DoctorTask {
  readonly settings: Settings
  readonly cookieFile: string | undefined
  /** Address of a relay that may be running with these settings. It remembers since when calls fail. */
  readonly relay?: string | undefined
  /** Where stored accounts are. Absent: they are not checked. */
  readonly accounts?: { readonly folder: string }
  /** @internal Constants that replace those beside their use, for tests. */
  readonly tuning?: Tuning
  readonly screen: Screen
  /** Prints the result. Progress goes to the screen. */
  readonly out: (text: string) => void
  readonly signal: AbortSignal
}

/** Checks hosts, calls, accounts and the shared store. Returns the exit code: 0 all well, 1 not, 130 interrupted. */
export async function doctor (
  { json, colour, all = false, ...task }: DoctorTask & {
    readonly json: boolean,
    readonly colour: boolean,
    readonly all?: boolean
  }
): Promise<number> {
  const { cookie, renewal } = await loginOf(task)
  const remembered = task.relay === undefined ? undefined : await failingSince(task.relay, task.settings)
  const way = upstreamOptions(resolveOptions({ ...task.settings, tuning: task.tuning ?? {} }))
  const port = task.relay === undefined ? undefined : await portOf(task.relay, task.settings)
  const [hosts, around, store] = await Promise.all([
    reachHosts(way),
    lookAround(task.settings, task.accounts?.folder, way, port),
    checkStore(task.settings)
  ])
  if (task.signal.aborted) return 130
  const now = Date.now()
  const outage = outageOf(hosts, task.settings.upstreamOrigin)
  if (outage !== undefined) {
    const hint = regionHint(hosts, [], new Set())
    // A table of calls would only repeat it.
    const accounts = task.accounts === undefined ? []
      : await checkAccounts(task.accounts, task.settings, now, async () => undefined)
    if (json) {
      const facts = { surroundings: around }
      const report = { ok: false, outage, facts, hosts, hint, accounts, sharedStore: store?.state }
      task.out(`${JSON.stringify(report)}\n`)
    } else {
      const { folder = 'writable' } = around
      const isWell = folder === 'writable' && isClockRight(around) && isPortUsable(around)
      task.out([
        outage,
        ...isWell ? [] : [surroundingsLine(around)],
        ...accounts.length === 0 ? [] : accountReportLines(accounts, now),
        ...store?.state === 'down' ? [store.line] : [],
        ...all ? hostLines(hosts) : [],
        ...hint === undefined ? [] : [`Hint: ${hint}`]
      ].join('\n') + '\n')
    }
    return 1
  }
  const examination = await look(task, cookie, remembered, json)
  const { calls, endpoints, broken, regional } = examination
  if (task.signal.aborted) return 130
  const withCookie = cookie !== undefined
  if (broken.size > 0) task.screen.lines(['Bugs in the relay, please report them:', ...[...broken].map((bug) => `  ${bug}`)])
  const { check, close } = createLoginCheck({ ...task.settings, tuning: task.tuning ?? {} }, task.signal)
  const accounts = task.accounts === undefined ? [] : await checkAccounts(task.accounts, task.settings, now, check)
  const login = cookie === undefined ? undefined : await check(cookie)
  await close()
  const [alive, subscription] = loginInWords(login)
  if (login !== undefined) {
    task.screen.lines([
      `The login of the cookie: ${alive}${subscription === '' ? '' : `, subscription: ${subscription}`}.`
    ])
  }
  const hint = regionHint(hosts, calls, regional)
  const verdict = verdictOf(examination, withCookie)
  const ok = broken.size === 0 && isClockRight(around) && isPortUsable(around) && store?.state !== 'down'
    && hosts.every(({ answers }) => answers)
    && calls.every((report) => isWell(report, withCookie)) && accounts.every(({ problems }) => problems.length === 0)
  if (json) {
    const reports = calls.map((report) => {
      const { kind: _, ...shown } = report
      return { ...shown, nextStep: nextStep(report, withCookie) }
    })
    const renewals = [
      ...renewal === undefined ? [] : [renewalFactsOf(renewal)],
      ...accounts.flatMap(({ renewal = [] }) => renewal)
    ]
    const facts = { surroundings: around, ...examination.facts, renewals }
    task.out(`${JSON.stringify({ ok, verdict, facts, hosts, hint, calls: reports, endpoints, accounts, login, sharedStore: store?.state })}\n`)
  } else {
    task.out(`${verdict}\n${surroundingsLine(around)}\n\n`)
    if (accounts.length > 0) task.out(`${accountReportLines(accounts, now).join('\n')}\n\n`)
    if (store !== undefined) task.out(`${store.line}\n\n`)
    const silent = hosts.filter(({ answers }) => !answers)
    if (all || silent.length > 0) task.out(`${hostLines(all ? hosts : silent).join('\n')}\n\n`)
    const ill = calls.filter((report) => !isWell(report, withCookie))
    if (all) task.out(`${table(calls, endpoints, { withCookie, colour })}\n`)
    else {
      for (const report of ill) task.out(`${report.call}: ${report.verdict}${report.outcome === 'ok' ? '' : ` (${report.outcome})`}. ${nextStep(report, withCookie)}\n`)
      task.out(`${ill.length > 0 ? '\n' : ''}--all shows every host, call and endpoint.\n`)
    }
    if (hint !== undefined) task.out(`Hint: ${hint}\n`)
  }
  return ok ? 0 : 1
}

/** Records answers. Returns the exit code: 0 some, 1 none, 130 interrupted. Throws if it cannot write. */
export async function record (
  { folder, json = false, ...task }: DoctorTask & { readonly folder: string, readonly json?: boolean }
): Promise<number> {
  const unusable = await mkdir(folder, { recursive: true }).then(async () => await unwritable(folder), codeOf)
  if (unusable !== undefined) throw new Error(`${folder} cannot be written (${unusable}).`)
  const { cookie } = await loginOf(task)
  const examination = await look(task, cookie)
  if (task.signal.aborted) return 130
  const names = await writeRecordings(folder, examination, cookie)
  const silent = examination.calls.filter(({ call }) => !names.includes(call) && !call.startsWith('login.'))
  if (json) {
    const unanswered = silent.map(({ call, verdict, outcome }) => ({ call, verdict, outcome }))
    task.out(`${JSON.stringify({ ok: names.length > 0, folder, recorded: names, silent: unanswered })}\n`)
  } else {
    task.out(`${names.length} answers in ${folder}, scrubbed. Check them before you share them.\n`)
    if (silent.length > 0) task.out(`Not recorded:\n${silent.map(({ call, verdict, outcome }) => `  ${call}  ${verdict}, ${outcome}\n`).join('')}`)
  }
  return names.length > 0 ? 0 : 1
}

/** Compares two recordings. Returns the exit code: 0 same shapes, 1 others. Throws if one is no recording. */
export async function compare (
  { older, newer, json, out }: {
    readonly older: string,
    readonly newer: string,
    readonly json: boolean,
    readonly out: (text: string) => void
  }
): Promise<number> {
  const found = diff(await recordingsIn(older), await recordingsIn(newer))
  out(json ? `${JSON.stringify(found)}\n` : inLines(found))
  return isSame(found) ? 0 : 1
}

/** Reads recordings with today's readers. Returns the exit code: 0 all can be read, 1 not. Throws for other files. */
export async function check (
  { folder, json, out }: { readonly folder: string, readonly json: boolean, readonly out: (text: string) => void }
): Promise<number> {
  const checked = await checkRecordings(await recordingsIn(folder))
  const ill = checked.filter(({ verdict }) => verdict !== 'ok')
  const ok = ill.every(({ verdict }) => verdict === 'not read')
  if (json) out(`${JSON.stringify({ ok, recordings: checked })}\n`)
  else {
    for (const { call, verdict, outcome, findings } of ill) {
      out(`${call}: ${verdict}${outcome === undefined ? '' : ` (${outcome})`}\n`)
      for (const { path, expected, seen } of findings) out(`  ${path || 'the answer'}: should be ${expected}, is ${seen}\n`)
    }
    out(`${checked.length - ill.length} of ${checked.length} recordings can be read.\n`)
  }
  return ok ? 0 : 1
}

async function recordingsIn (place: string): ReturnType<typeof readRecordings> {
  return await readRecordings(place).catch((error: unknown) => {
    throw codeOf(error) === undefined ? error : new Error(`${place} cannot be read (${codeOf(error)}).`)
  })
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

function inLines (found: Diff): string {
  if (isSame(found)) return 'The shapes are the same.\n'
  const lines = found.changed.flatMap(({ call, added, removed, retyped }) => [
    call,
    ...removed.map(({ path, type }) => `  - ${path}  ${type}`),
    ...added.map(({ path, type }) => `  + ${path}  ${type}`),
    ...retyped.map(({ path, from, to }) => `  ~ ${path}  ${from} -> ${to}`)
  ])
  const whole = [
    ...found.removed.map((call) => `- ${call}  is only in the old recording`),
    ...found.added.map((call) => `+ ${call}  is only in the new recording`)
  ]
  return `${[...lines, ...whole].join('\n')}\n`
}

/** Returns since when calls do not answer, by name, from the memory of a running relay. Empty if it is not known. */
async function failingSince (relay: string, { accessToken }: Settings): Promise<ReadonlyMap<string, string>> {
  const headers: Record<string, string> = accessToken === '' ? {} : { authorization: `Bearer ${accessToken}` }
  try {
    const { calls } =
      await (await fetch(`${relay}/health/upstream`, {
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(relayMs)
      }))
        .json() as Partial<UpstreamHealth>
    return new Map(
      (calls ?? []).flatMap(({ name, verdict = 'ok', outcome = '', since }) =>
        isAnswered({ verdict, outcome }) || !isoTime.test(String(since)) ? [] : [[name, String(since)] as const]
      )
    )
  } catch {
    return new Map()
  }
}

/** Returns the state of the port: `a relay` answers there, it is `free`, or why nothing can listen. */
async function portOf (relay: string, { host, port }: Settings): Promise<string> {
  const isRelay = await fetch(`${relay}/health/live`, { redirect: 'error', signal: AbortSignal.timeout(relayMs) })
    .then(async (answer) => (await answer.json() as { status?: unknown }).status === 'live').catch(() => false)
  if (isRelay) return 'a relay'
  const server = createServer()
  try {
    await once(server.listen({ host, port }), 'listening')
    return 'free'
  } catch (error) {
    return codeOf(error) === 'EADDRINUSE' ? `${port} is taken by another program` : `${port} cannot be used (${codeOf(error)})`
  } finally {
    server.close()
  }
}

/** Longest wait for the running relay, in milliseconds. */
const relayMs = 2000

/** Whatever listens at that address, only a time gets onto the screen. */
const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/

async function look (
  { settings, tuning, screen, signal }: DoctorTask,
  cookie: string | undefined,
  failingSince: ReadonlyMap<string, string> = new Map(),
  withFacts = false
): Promise<Examination> {
  const progress = (done: number, all: number, endpoint: string): void => {
    screen.state(`${done} of ${all}: ${endpoint}`)
  }
  const examination = await examine({
    settings,
    cookie,
    progress,
    signal,
    failingSince,
    withFacts,
    ...(tuning === undefined ? {} : { tuning })
  })
  screen.lines([])
  return examination
}

/** A login to probe with, and what its cookie holds for a renewal. */
interface ProbeLogin { readonly cookie?: string, readonly renewal?: LoginRenewal | undefined }

/** Reads a login: a cookie as text, an export of a browser, or a file like user-info.json. Throws ConfigError. */
async function loginOf ({ cookieFile: file }: DoctorTask): Promise<ProbeLogin> {
  if (file === undefined) return {}
  const text = await textIn(file)
  if (isLogin(text)) return { cookie: plainCookie(text), renewal: renewalIn(text) }
  throw new ConfigError(`${file} holds no login: it has ${lackInWords(knownPairs(text))}.`)
}
