/** What real players were tried with, and what came of it: docs/players.md is made from it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A player as it was tried. `tried`: what it did, in words. `notes`: what it cannot do with any server. */
export interface Trial { readonly client: string, readonly version: string, readonly tried: readonly string[], readonly notes?: string }

/** Writes the result of a test that is over into the folder that PLAYERS_RESULTS names, as one line of JSON. Without it, nothing. */
export function writeResult (t: Test, { client, version, tried, notes }: Trial, folder = process.env['PLAYERS_RESULTS']): void {
  if (folder === undefined || folder === '') return
  const line = { client, version, tried, result: t.passing() ? 'works' : 'fails', ...(notes === undefined ? {} : { notes }), date: new Date().toISOString().slice(0, 10) }
  writeFileSync(join(folder, `${client.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`), `${JSON.stringify(line)}\n`)
}
