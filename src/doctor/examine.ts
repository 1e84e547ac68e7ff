/** Asks the upstream for a little of everything, and says of each call how it does. */
import pLimit from 'p-limit'
import type { Settings } from '../config.ts'
import { resolveCookie } from '../cookies.ts'
import { RelayError } from '../errors.ts'
import type { Credential } from '../provider/credentials.ts'
import type { Finding } from '../provider/read.ts'
import type { Verdict } from '../provider/verdict.ts'
import { basisOf, createCore, functionsOf } from '../relay.ts'
import { afterScan, asEverBefore, calls } from './calls.ts'
import { plan, teachers } from './plan.ts'
import type { Name, Subjects } from './plan.ts'
import { createSurvey } from './survey.ts'
import type { Survey } from './survey.ts'

export interface CallReport {
  readonly call: string
  /** `not probed`: there was nothing to ask about, or only a scanned login gets there. */
  readonly verdict: Verdict | 'not probed'
  /** `ok`, the class of the failure, or why it was not probed. */
  readonly outcome: string
  /** Duration in milliseconds; absent when nothing was sent. */
  readonly ms?: number
  readonly findings: readonly Omit<Finding, 'call'>[]
  /** What is known about a call that is as good as it gets. */
  readonly note?: string
  /** Endpoints that ask it, first or last. */
  readonly endpoints: readonly string[]
}

export interface Examination {
  readonly calls: readonly CallReport[]
  /** Endpoints that broke on what they were answered: a bug, whatever that was. */
  readonly broken: readonly string[]
  readonly survey: Survey
  readonly credential: Credential | undefined
}

export interface ExaminationTask {
  readonly settings: Settings
  /** Cookie text of the account that asks. */
  readonly cookie?: string | undefined
  /** Told of each endpoint that was asked. */
  readonly progress?: (done: number, all: number, endpoint: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Endpoints asked at once: this is no load test. */
const atOnce = 3
/** A probe has this long at most. */
const probeMs = 5000
/** A login poll without news is held to its end; this is enough to see that. */
const pollMs = 2000

export async function examine ({ settings, cookie, progress = () => {}, signal }: ExaminationTask): Promise<Examination> {
  const survey = createSurvey()
  const { core, close } = createCore(basisOf({ ...settings, deadlineMs: Math.min(probeMs, settings.deadlineMs), pollDeadlineMs: pollMs, cache: false }), survey)
  const { credential } = resolveCookie({ query: cookie }, { fallbackMode: true, useGlobalCookie: false })
  const names = Object.keys(plan) as Name[]
  const isTeacher = (name: Name): boolean => Object.hasOwn(teachers, name)
  const subjects: Subjects = credential === undefined ? {} : { account: credential.uin }
  const slots = pLimit(atOnce)
  const broken = new Set<string>()
  let done = 0
  const visit = (name: Name): Promise<void> => slots(async () => {
    await ask(name)
    progress(++done, names.length, name)
  })

  async function ask (name: Name, denied?: ReadonlySet<string>): Promise<void> {
    const call = functionsOf(core)[name] as (input: unknown, options: object) => Promise<never>
    for (const input of plan[name](subjects)) {
      if (signal?.aborted === true) return
      try {
        const record = await survey.during(name, async () => await call(input, { cookie, signal }), denied)
        teachers[name]?.(record, subjects)
      } catch (error) {
        // All the rest is still worth knowing.
        if (!(error instanceof RelayError)) broken.add(`${name}: ${(error as Error).message}`)
      }
    }
  }

  try {
    await Promise.all(names.filter(isTeacher).map(visit))
    await Promise.all(names.filter((name) => !isTeacher(name)).map(visit))
    await reachTheRest(survey, ask)
    return { calls: reportOf(survey, subjects), broken: [...broken], survey, credential }
  } finally {
    await close()
  }
}

/** Some calls are asked only when another fails: that other one is made to, first alone, then all that were reached. */
async function reachTheRest (survey: Survey, ask: (name: Name, denied: ReadonlySet<string>) => Promise<void>): Promise<void> {
  for (const [call, endpoints] of Object.entries(calls)) {
    if (afterScan.includes(call)) continue
    for (const name of endpoints) {
      const reached = Object.keys(calls).filter((other) => calls[other]?.includes(name) === true && survey.probes.has(other))
      const denials = [...reached.map((other) => [other]), ...reached.map((_other, at) => reached.slice(0, at + 1))]
      for (const denied of denials) {
        if (survey.probes.get(call)?.endpoints.has(name) === true) break
        await ask(name, new Set(denied))
      }
    }
  }
}

function reportOf ({ probes }: Survey, subjects: Subjects): CallReport[] {
  return [...new Set([...Object.keys(calls), ...probes.keys()])].sort().map((call): CallReport => {
    const endpoints = calls[call] ?? []
    const probe = probes.get(call)
    if (probe === undefined || probe.outcome === '') return { call, ...whyNot(call, endpoints, subjects), findings: [], endpoints }
    const findings = [...probe.findings.values()].map(({ path, expected, seen }) => ({ path, expected, seen }))
    // Everything asked about was just named by another call, so it does exist.
    const odd = findings.length > 0 || probe.outcome === 'not_found'
    const found = odd && (probe.verdict === 'ok' || probe.verdict === 'empty') ? 'drift' : probe.verdict
    const asEver = asEverBefore[call]
    const { verdict, ...note } = asEver?.verdict === found ? { verdict: 'ok' as const, note: asEver.note } : { verdict: found }
    return { call, verdict, ...note, outcome: probe.outcome, ms: Math.round(probe.ms), findings, endpoints: [...new Set([...endpoints, ...probe.endpoints])] }
  })
}

function whyNot (call: string, endpoints: readonly Name[], subjects: Subjects): Pick<CallReport, 'verdict' | 'outcome'> {
  if (afterScan.includes(call)) return { verdict: 'not probed', outcome: 'only after a code was scanned' }
  // There was something to ask about, or only the account was missing.
  const hadSubject = endpoints.some((name) => plan[name]({ account: '1', ...subjects }).length > 0)
  if (subjects.account === undefined && hadSubject) return { verdict: 'login needed', outcome: 'no cookie' }
  return { verdict: 'not probed', outcome: hadSubject ? 'no other call left it a turn' : 'nothing to ask about' }
}
