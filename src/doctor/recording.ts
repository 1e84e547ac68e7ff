/** Recorded answers: one scrubbed file per call, for comparison with a later recording. */
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { scrub } from './scrub.ts'
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
