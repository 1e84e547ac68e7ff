/** Recorded answers: one scrubbed file per call, their comparison, and whether today's readers can read them. */
import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import type { Verdict } from '../common/kinds.ts'
import { version } from '../common/version.ts'
import { examine, type CallReport, type Examination } from './examine.ts'
import { settingsOf } from '../relay/settings.ts'
import { parseAnswer } from '../upstream/read/decode.ts'

/** One recorded call: the scrubbed request (`ask`) and its scrubbed answer. */
interface Recording {
  readonly call: string
  readonly ask: unknown
  readonly answer: unknown
  /** ISO time, and the version of the relay. Absent in recordings of versions before 3. */
  readonly date?: string
  readonly version?: string
}

/** A refused call: its status, the class of the failure, and the upstream's code. There is no answer to compare. */
interface RecordedRefusal extends Recording {
  readonly refused: { readonly status: Verdict, readonly outcome: string, readonly code?: number }
}

/**
 * Writes every recorded answer into a folder and returns the names of the calls. A call that was refused gets a file,
 * too, beside that of an earlier answer; the files of other calls without an answer stay unchanged. On a full disk none
 * is left in part: it could not be compared.
 */
export async function writeRecordings (
  folder: string,
  { recorder, credential }: Examination,
  cookie = ''
): Promise<string[]> {
  // Secrets are the values of the cookie, and the digits of an account number with a letter before them.
  const values = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  const secrets = [
    ...new Set([
      ...values,
      ...values.map((value) => value.replace(/^o0*/, '')),
      credential?.key ?? '',
      credential?.uin ?? ''
    ])
  ]
  await mkdir(folder, { recursive: true })
  const names: string[] = []
  const made = { date: new Date().toISOString(), version }
  for (const [call, { outcome: ended, heard, refused }] of [...recorder.probes].sort(([a], [b]) => a < b ? -1 : 1)) {
    const answer = scrub(heard?.answer, { call, secrets })
    const refusedFile = join(folder, `${call}.refused.json`)
    if (refused !== undefined && ended !== 'ok') {
      const { call: { request }, error } = refused
      const { row: { verdict: status }, outcome } = error
      const how = { status, outcome, ...error.upstreamCode === undefined ? {} : { code: error.upstreamCode } }
      const refusal: RecordedRefusal = {
        call,
        ...made,
        ask: scrub(request, { call: '', secrets }),
        refused: how,
        answer
      }
      await writeFileAtomic(refusedFile, `${JSON.stringify(refusal, null, 1)}\n`)
    } else if (heard !== undefined) {
      const recording: Recording = { call, ...made, ask: scrub(heard.call.request, { call: '', secrets }), answer }
      await writeFileAtomic(join(folder, `${call}.json`), `${JSON.stringify(recording, null, 1)}\n`)
      await rm(refusedFile, { force: true })
      names.push(call)
    }
  }
  return names
}

/** Reads a file, or all JSON files of a folder, by call name. Throws if there is none, or one is no recording. */
export async function readRecordings (place: string): Promise<Map<string, Recording>> {
  const isFolder = (await stat(place)).isDirectory()
  const files = isFolder
    ? (await readdir(place)).filter((file) => file.endsWith('.json')).sort().map((file) => join(place, file)) : [place]
  if (files.length === 0) throw new Error(`${place} holds no recordings; music-relay record writes them.`)
  const recordings = await Promise.all(files.map(async (file) => {
    const recording = parsed(await readFile(file, 'utf8')) as Partial<Recording & RecordedRefusal> | undefined
    if (typeof recording?.call !== 'string') throw new Error(`${basename(file)} is no recording of music-relay record.`)
    return { ask: undefined, answer: undefined, ...recording } as Recording & Partial<RecordedRefusal>
  }))
  return new Map(recordings.filter(({ refused }) => refused === undefined)
    .map((recording) => [recording.call, recording]))
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface CheckedRecording {
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

/** Reads every recording as the endpoints would, and sends nothing. `http://127.0.0.1:9` is an address at which nothing listens. */
export async function checkRecordings (recordings: ReadonlyMap<string, Recording>): Promise<CheckedRecording[]> {
  const settings = settingsOf({ upstreamOrigin: 'http://127.0.0.1:9', imageOrigin: 'http://127.0.0.1:9' })
  const { calls, recorder } = await examine({ settings, cookie: anybody, replay: recordings })
  return [...recordings.keys()].sort().map((call): CheckedRecording => {
    const report = calls.find((one) => one.call === call)
    const probe = recorder.probes.get(call)
    if (report === undefined || probe?.heard === undefined) return { call, verdict: 'not read', findings: [] }
    const unread = probe.kind === 'unreadable' || probe.kind === 'bug' || report.findings.length > 0
    return {
      call,
      verdict: unread ? 'not readable' : 'ok',
      findings: report.findings,
      ...probe.outcome === 'ok' ? {} : { outcome: probe.outcome }
    }
  })
}

// Removes secrets and personal values, and what may be one. Every field keeps a value of its type.

/** Last whole words of private fields (`clientIp`, `host_uid`), unlike `vip`, `dissid`, `design`, `capacity`. */
const privateWords: ReadonlySet<string> = new Set(
  [
    'uin uid ip key guid nick nickname namecard openid unionid token phone mobile email mail authst cookie session sid udid',
    'imei address sign signature location birthday province city vkey ekey skey pskey euin'
  ].join(' ').split(' ')
)
/** Private names that are written without a mark between their words. */
const privateWhole =
  /^(?:(?:client|user|server|host|login|real)ip|(?:user|host|to|from|login|owner)uid|(?:music|user|account|owner)id|(?:..)?(?:music|auth|session|refresh|access)key)$|uin$/
const privateAnywhere =
  /encrypt|nick|passw|secret|credential|avatar|head_?(pic|url|img)|portrait|user_?name|creator_?name|real_?name|phone|vkey|ekey|guid|openid|token/i
/** Fields that describe a person. Everything below them is private. */
const person = /^(creator|creator_?info|user|user_?info|owner|host|profile|account)$/i
/** Calls whose answers are about people or for one person. All their texts are scrubbed. */
const personalCall = /^(user|comments|daily|recommend|radio\.personal|feed|login)\b/

const pairs = /\b([\w-]{0,40}(?:uin|uid|ip|vkey|ekey|skey|key|guid|openid|unionid|token|phone|sign|euin|k))(["']?\s*(?:[=:]|%3[ad])\s*["']?)[^&"'\s;,<>}]+/gi
const addresses = /\d{1,3}(?:\.\d{1,3}){3}|\b(?:[0-9a-f]{1,4}:){3,}[0-9a-f:]*/gi

/** Fields whose number is one of a few, by which readers tell rows apart. */
const kind = /type$/i

/** Text that may be base64 or hexadecimal. */
const encoded = /[\w+/-]{8,}/g

const scrubbed = 'scrubbed'

/** The provider's own words, by which readers find something in answers for one person. */
const ownWords = /^(?:每日30首|今日私享|recforyou[\w@]*)$/

interface ScrubTask {
  readonly call: string
  /** Texts that must not occur anywhere: the key and the numbers of the account that was used. */
  readonly secrets: readonly string[]
}

export function scrub (value: unknown, { call, secrets }: ScrubTask): unknown {
  const long = secrets.filter((secret) => secret.length > 3)
  const spellings = [...new Set(long.flatMap((secret) => [secret, encodeURIComponent(secret)]))].sort((a, b) =>
    b.length - a.length
  )
  const spelled = spellings.length === 0 ? undefined
    : new RegExp(spellings.map((secret) => secret.replaceAll(/[^\w%-]/g, '\\$&')).join('|'), 'gi')
  return walk(value, personalCall.test(call))

  function walk (value: unknown, isPrivate: boolean): unknown {
    if (Array.isArray(value)) return value.map((row) => walk(row, isPrivate))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, held]) =>
        [clean(key), kind.test(key) && typeof held === 'number' ? held : walk(held, isPrivate || isPrivateName(key))]))
    }
    if (typeof value === 'string') return isPrivate ? clean(blank(value)) : inText(value)
    if (typeof value === 'number') {
      return isPrivate || long.includes(String(Math.abs(value))) ? Math.sign(value) * Math.min(Math.abs(value), 1)
        : value
    }
    return value
  }

  /** A text may itself be JSON. Its field names then show which values are private. */
  function inText (text: string): string {
    if (!/^\s*[{[]/.test(text)) return clean(text)
    try {
      return JSON.stringify(walk(parseAnswer(text), false))
    } catch {
      return clean(text)
    }
  }

  function clean (text: string): string {
    const open = spelled === undefined ? text
      : text.replaceAll(spelled, scrubbed).replaceAll(encoded, (part) => hides(part, long) ? scrubbed : part)
    return open.replaceAll(pairs, inPair).replaceAll(addresses, scrubbed)
  }
}

/** The name of a pair may follow an encoded `&` or `?`, whose digits then look like a part of it. */
const inPair = (pair: string, name: string, mark: string): string =>
  name === 'k' || isPrivateName(name) || (/^(?:26|3f|3b)/i.test(name) && isPrivateName(name.slice(2)))
    ? `${name}${mark}${scrubbed}` : pair

const hides = (text: string, secrets: readonly string[]): boolean =>
  (['base64', 'hex'] as const).some((encoding) => {
    const decoded = Buffer.from(text, encoding).toString('latin1')
    return secrets.some((secret) => decoded.includes(secret))
  })

function isPrivateName (key: string): boolean {
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replace(/[\d_-]+$/, '').split(/[_-]+/)
  const ends = [words.at(-1) ?? '', words.slice(-2).join('')].some((end) => privateWords.has(end))
  return ends || privateWhole.test(words.join('')) || privateAnywhere.test(key) || person.test(key)
}

/** Digits stay digits: some calls write numbers as text. "!" stays in ids: it says of what kind they are. */
function blank (text: string): string {
  if (/^\d+$/.test(text)) return Number(text) === 0 ? '0' : '1'
  if (/^<!doctype html>/i.test(text)) return markup(text)
  return text === '' || ownWords.test(text) ? text : /^\w+!\w+$/.test(text) ? `${scrubbed}!` : scrubbed
}

/** Returns a page without its texts and values. Names of tags, attributes and classes stay. */
function markup (page: string): string {
  const tags = [...page.matchAll(/<(\/?\w+)([^<>]*)>([^<]*)/g)].map(([, tag, attributes = '', text = '']) => {
    const values = [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)]
      .map(([, name, value = '']) => ` ${name}="${name === 'class' ? value : blank(value)}"`)
    return `<${tag}${values.join('')}>${blank(text.trim())}`
  })
  return `<!doctype html>${tags.join('')}`
}

// Compares two sets of recordings and lists the changes in the shape of each answer.

interface CallDiff {
  readonly call: string
  /** Paths like `data.list[].id`, with their types. */
  readonly added: readonly { readonly path: string, readonly type: string }[]
  readonly removed: readonly { readonly path: string, readonly type: string }[]
  readonly retyped: readonly { readonly path: string, readonly from: string, readonly to: string }[]
}

export interface Diff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Calls in both whose answers differ in shape. */
  readonly changed: readonly CallDiff[]
}

type Recordings = ReadonlyMap<string, Recording>

/** Compares the recordings by call name. Values are ignored: only paths and types count. */
export function diff (older: Recordings, newer: Recordings): Diff {
  const only = (some: Recordings, others: Recordings): string[] => [...some.keys()].filter((call) => !others.has(call))
  const changed = [...older].flatMap(([call, before]) => {
    const after = newer.get(call)
    if (after === undefined) return []
    const found = compare(call, shapeOf(before), shapeOf(after))
    return found.added.length + found.removed.length + found.retyped.length === 0 ? [] : [found]
  })
  return { added: only(newer, older), removed: only(older, newer), changed }
}

export const isSame = ({ added, removed, changed }: Diff): boolean =>
  added.length + removed.length + changed.length === 0

/** Types by path. All rows of a list share one path. A null does not show the type of a field. */
type Shape = ReadonlyMap<string, ReadonlySet<string>>

function compare (call: string, before: Shape, after: Shape): CallDiff {
  const missing = (from: Shape, to: Shape): { path: string, type: string }[] => [...from]
    .filter(([path]) => !to.has(path) && isKnown(to, parentOf(path)))
    .map(([path, types]) => ({ path, type: written(types) }))
  const retyped = [...before].flatMap(([path, types]) => {
    const [from, to] = [written(types), written(after.get(path) ?? new Set())]
    return from === '' || to === '' || from === to ? [] : [{ path, from, to }]
  })
  return { call, added: missing(after, before), removed: missing(before, after), retyped }
}

/** Whether the fields below this path are known. They are not if the list is empty or the value is null or absent. */
const isKnown = (shape: Shape, path: string | undefined): boolean => {
  const types = path === undefined ? undefined : shape.get(path)
  if (path === undefined) return true
  return types?.has('object') === true || !path.endsWith('[]') && types?.has('list') === true && shape.has(`${path}[]`)
}

function parentOf (path: string): string | undefined {
  if (path === '') return undefined
  if (path.endsWith('[]')) return path.slice(0, -2)
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : ''
}

const written = (types: ReadonlySet<string>): string => [...types].filter((type) => type !== 'null').sort().join('|')

function shapeOf ({ ask, answer }: Recording): Shape {
  const shape = new Map<string, Set<string>>()
  const asked = textsIn(ask)
  const walk = (value: unknown, path: string): void => {
    const types = shape.get(path) ?? new Set()
    shape.set(path, types.add(typeOf(value)))
    if (Array.isArray(value)) for (const row of value) walk(row, `${path}[]`)
    else if (typeof value === 'object' && value !== null) {
      // A key that occurs in the request is an id. The next recording may have another id there.
      for (const [key, held] of Object.entries(value)) {
        walk(held, [path, asked.has(key) ? '{}' : key].filter(Boolean).join('.'))
      }
    }
  }
  walk(answer, '')
  return shape
}

function textsIn (value: unknown): Set<string> {
  if (typeof value === 'object' && value !== null) {
    return new Set(Object.values(value).flatMap((held) => [...textsIn(held)]))
  }
  return new Set(typeof value === 'string' || typeof value === 'number' ? [String(value)] : [])
}

function typeOf (value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
