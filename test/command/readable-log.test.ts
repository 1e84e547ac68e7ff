/** The log of a relay that listens: lines for a person on a terminal, JSON for programs. */
import { existsSync } from 'node:fs'
import t, { type Test } from 'tap'
import { readable } from '../../src/cli/output.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { start, terminal } from '../support/commandProcess.ts'
import { demoFor, until } from '../support/helper.ts'

t.test('a line has what a person looks for, whatever the event is; a terminal gets no control characters', (t) => {
  const line = (entry: object): string => readable(
    `${JSON.stringify({ level: 'info', time: '2026-11-23T05:40:16.114Z', ...entry })}\n`
  ).replace(/^\d\d:\d\d:\d\d /, '')
  const request = {
    reqId: 'a1', method: 'GET', route: '/getRanks', status: 200, ms: 14.2, cookie_source: 'none', cache: 'MISS',
    upstream: [{ calls: ['chart.detail'], outcome: 'ok', ms: 9 }], msg: 'request'
  }
  t.equal(line(request), 'info  GET /getRanks 200 in 14 ms, MISS, chart.detail ok\n')
  t.equal(
    line({ ...request, level: 'error', status: 502, cookie_source: 'header', upstream: undefined, cache: undefined }),
    'error GET /getRanks 502 in 14 ms, cookie: header, reqId: a1\n'
  )
  t.equal(
    line({ ...request, level: 'warn', route: null, unlogged: 7, cache: undefined, upstream: undefined }),
    'warn  GET (no such route) 200 in 14 ms, unlogged: 7\n'
  )
  t.equal(line({ level: 'warn', drift: { call: 'x', path: 'a.b' }, msg: 'a field' }), 'warn  a field, drift: {"call":"x","path":"a.b"}\n')
  t.equal(line({ level: 'error', err: { type: 'Error', stack: 'Error: oh\n    at f' }, msg: 'bug' }), 'error bug, Error: oh\n    at f\n')
  t.equal(line({ msg: 'a\u001b[2J\u009bb' }), 'info  a?[2J?b\n')
  t.equal(readable('music-relay 2.0.0\n  listening\n'), 'music-relay 2.0.0\n  listening\n')
  t.end()
})

/** What a demo prints below its accounts. */
const after = (said: string): string => said.slice(Math.max(0, said.indexOf('Demo accounts')))

/** Starts the demo, or a relay in front of one, asks for a chart, and returns all that it printed by then. */
async function printed (t: Test, onTerminal: boolean, args = ['demo'], origin?: string): Promise<string> {
  const { address, said } = await start(t, origin, { CONFIG_DIR: folderFor(t) }, { args, onTerminal })
  await fetch(`${address}/health/live`)
  await fetch(`${address}/getRanks?topId=62`)
  await until(() => /GET.*getRanks.*\r?\n/.test(after(said())))
  return after(said())
}

const [forPeople, forPrograms] = [
  /^\d\d:\d\d:\d\d info  GET \/getRanks 200 in \d+ ms, MISS, chart\.detail ok\r?$/m,
  /^\{"level":"info",.*"route":"\/getRanks"/m
]

t.test('demo and relay write such lines to a terminal, and JSON to a pipe or when asked to', { skip: existsSync(terminal) ? false : 'there is no script command' }, async (t) => {
  const shown = await printed(t, true)
  t.match(shown, forPeople)
  t.notMatch(shown, /\{"level"|health\/live/)
  const piped = await printed(t, false)
  t.match(piped, forPrograms)
  t.notMatch(piped, 'health/live')
  const { origin } = await demoFor(t)
  t.match(await printed(t, true, ['serve'], origin), forPeople)
  t.match(await printed(t, false, ['serve'], origin), forPrograms)
  t.match(await printed(t, true, ['serve', '--json'], origin), forPrograms)
})
