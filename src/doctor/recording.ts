/** Recorded answers: one scrubbed file per call, for comparison with a later recording. */
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseAnswer } from '../upstream/reader/decode.ts'
import type { Examination } from './examine.ts'

/** One recorded call: the scrubbed request (`ask`) and its scrubbed answer. */
export interface Recording {
  readonly call: string
  readonly ask: unknown
  readonly answer: unknown
}

/**
 * Writes every recorded answer into a folder and returns the names of the calls. The files of calls without an answer
 * stay unchanged.
 */
export async function writeRecordings (folder: string, { recorder, credential }: Examination, cookie = ''): Promise<string[]> {
  // Secrets are the values of the cookie, and the digits of an account number with a letter before them.
  const values = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  const secrets = [...new Set([...values, ...values.map((value) => value.replace(/^o0*/, '')), credential?.key ?? '', credential?.uin ?? ''])]
  await mkdir(folder, { recursive: true })
  const names: string[] = []
  for (const [call, { heard }] of [...recorder.probes].sort(([a], [b]) => a < b ? -1 : 1)) {
    if (heard === undefined) continue
    const recording: Recording = { call, ask: scrub(heard.call.request, { call: '', secrets }), answer: scrub(heard.answer, { call, secrets }) }
    await writeFile(join(folder, `${call}.json`), `${JSON.stringify(recording, null, 1)}\n`)
    names.push(call)
  }
  return names
}

/** Reads a file, or all JSON files of a folder, by call name. Throws if the folder is empty or a file is not a recording. */
export async function readRecordings (place: string): Promise<Map<string, Recording>> {
  const isFolder = (await stat(place)).isDirectory()
  const files = isFolder ? (await readdir(place)).filter((file) => file.endsWith('.json')).sort().map((file) => join(place, file)) : [place]
  if (files.length === 0) throw new Error(`${place} holds no recordings; music-relay record writes them.`)
  const recordings = await Promise.all(files.map(async (file) => {
    const recording = parsed(await readFile(file, 'utf8')) as Partial<Recording> | undefined
    if (typeof recording?.call !== 'string') throw new Error(`${basename(file)} is no recording of music-relay record.`)
    return { ask: undefined, answer: undefined, ...recording } as Recording
  }))
  return new Map(recordings.map((recording) => [recording.call, recording]))
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Removes secret and personal values from an answer. The shape stays: every field keeps a value of its type. Uncertain values
// are removed.

/** Names of private fields, alone or at the end of a longer name (`hostUin`, `clientip`, `p_skey`). */
const privateEnd =
  /(uin|uid|(?:music|user|account|owner)_?id|ip|key|guid|nick|name_?card|openid|unionid|token|phone|mobile|e?mail|authst|cookie|session|sid|udid|imei|address|sign|signature|location|birthday|province|city)\d*$/i
const privateAnywhere =
  /encrypt|nick|passw|secret|credential|avatar|head_?(pic|url|img)|portrait|user_?name|creator_?name|real_?name|phone|vkey|ekey|guid|openid|token/i
/** Fields that describe a person. Everything below them is private. */
const person = /^(creator|creator_?info|user|user_?info|owner|host|profile|account)$/i
/** Calls whose answers are about people or for one person. All their texts are scrubbed. */
const personalCall = /^(user|comments|daily|recommend|radio\.personal|feed|login)\b/

const pairs = /\b([\w-]{0,40}(?:uin|uid|ip|vkey|ekey|skey|key|guid|openid|unionid|token|phone|sign|euin|k))(["']?\s*(?:[=:]|%3[ad])\s*["']?)[^&"'\s;,<>}]+/gi
const addresses = /\d{1,3}(?:\.\d{1,3}){3}|\b(?:[0-9a-f]{1,4}:){3,}[0-9a-f:]*/gi

/** Text that may be base64 or hexadecimal. */
const encoded = /[\w+/-]{8,}/g

/** Replaces every scrubbed text. */
const scrubbed = 'scrubbed'

export interface ScrubTask {
  readonly call: string
  /** Texts that must not occur anywhere: the key and the numbers of the account that was used. */
  readonly secrets: readonly string[]
}

/** Returns a scrubbed copy of the value. */
export function scrub (value: unknown, { call, secrets }: ScrubTask): unknown {
  const long = secrets.filter((secret) => secret.length > 3)
  const spellings = [...new Set(long.flatMap((secret) => [secret, encodeURIComponent(secret)]))].sort((a, b) => b.length - a.length)
  const spelled = spellings.length === 0 ? undefined : new RegExp(spellings.map((secret) => secret.replaceAll(/[^\w%-]/g, '\\$&')).join('|'), 'gi')
  return walk(value, personalCall.test(call))

  function walk (value: unknown, isPrivate: boolean): unknown {
    if (Array.isArray(value)) return value.map((row) => walk(row, isPrivate))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, held]) => [clean(key), walk(held, isPrivate || isPrivateName(key))]))
    }
    if (typeof value === 'string') return isPrivate ? blank(value) : inText(value)
    if (typeof value === 'number') return isPrivate || long.includes(String(Math.abs(value))) ? Math.sign(value) * Math.min(Math.abs(value), 1) : value
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
    const open = spelled === undefined ? text : text.replaceAll(spelled, scrubbed).replaceAll(encoded, (part) => hides(part, long) ? scrubbed : part)
    return open.replaceAll(pairs, `$1$2${scrubbed}`).replaceAll(addresses, scrubbed)
  }
}

/** Whether the decoded text contains a secret. */
const hides = (text: string, secrets: readonly string[]): boolean =>
  (['base64', 'hex'] as const).some((encoding) => {
    const decoded = Buffer.from(text, encoding).toString('latin1')
    return secrets.some((secret) => decoded.includes(secret))
  })

const isPrivateName = (key: string): boolean => privateEnd.test(key) || privateAnywhere.test(key) || person.test(key)

/** Digits become "0", because some calls write numbers as text. */
const blank = (text: string): string => text === '' ? '' : /^\d+$/.test(text) ? '0' : scrubbed
