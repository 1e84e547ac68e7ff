/** What tests of the doctor share: its settings, and its output. */
import type { doctor } from '../../src/cli/doctor.ts'
import { createScreen } from '../../src/cli/screen.ts'
import { settingsOf } from '../../src/relay/settings.ts'
import type { EndpointReport } from '../../src/doctor/examine.ts'
import { brisk } from './unhurried.ts'

export const settingsFor = ({ origin }: { origin: string }) =>
  settingsOf({ upstreamOrigin: origin, imageOrigin: origin })

/** Searches follow each other at once, and a login poll without news is short. */
export const tuning = brisk({ searchPauseMs: 0, pollDeadlineMs: 50 })

type Task = Omit<Parameters<typeof doctor>[0], 'json' | 'colour'>

export interface Console { readonly said: { out: string, progress: string }, readonly task: Task }

/** The environment of a command, and its output. */
export function console (
  demo: { origin: string }, cookieFile?: string, signal: Task['signal'] = new AbortController().signal
): Console {
  const said = { out: '', progress: '' }
  const screen = createScreen({ write: (text) => { said.progress += text } }, {})
  return { said, task: {
    settings: settingsFor(demo), tuning, cookieFile, screen, out: (text: string) => { said.out += text }, signal
  } }
}

/** The report on one endpoint. */
export const lineOf = (lines: readonly EndpointReport[], name: string) =>
  lines.find(({ endpoint }) => endpoint === name)

export const classicLyric = '/lyric/fcgi-bin/fcg_query_lyric_new.fcg'
