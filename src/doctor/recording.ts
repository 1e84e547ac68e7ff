/** Recorded answers: one file for each call, scrubbed, to be compared with a later recording. */
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { scrub } from './scrub.ts'
import type { Examination } from './examine.ts'

export interface Recording {
  readonly call: string
  readonly ask: unknown
  readonly answer: unknown
}

/** Writes what was heard into a folder; fulfilled with the names of the calls. A file of a call that was not heard stays as it is. */
export async function writeRecordings (folder: string, { survey, credential }: Examination, cookie = ''): Promise<string[]> {
  // Values of the cookie, and the digits of an account number that is written with a letter before them.
  const values = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  const secrets = [...new Set([...values, ...values.map((value) => value.replace(/^o0*/, '')), credential?.key ?? '', credential?.uin ?? ''])]
  await mkdir(folder, { recursive: true })
  const names: string[] = []
  for (const [call, { heard }] of [...survey.probes].sort(([a], [b]) => a < b ? -1 : 1)) {
    if (heard === undefined) continue
    const recording: Recording = { call, ask: scrub(heard.call.ask, { call: '', secrets }), answer: scrub(heard.answer, { call, secrets }) }
    await writeFile(join(folder, `${call}.json`), `${JSON.stringify(recording, null, 1)}\n`)
    names.push(call)
  }
  return names
}

/** A file, or all files of a folder. Throws for what is no recording. */
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
