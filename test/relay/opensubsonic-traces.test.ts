/** What four players in web pages ask, as it was recorded outside of the project: each request of them is answered. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { knownTo } from '../support/opensubsonicInputs.ts'
import { writeResult } from '../players/playersDemo.ts'
import { playerTests } from '../support/opensubsonicPlayer.ts'

const folder = fileURLToPath(new URL('../../../shared/players/traces/', import.meta.url))
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.txt')) : []
const test = playerTests('recorded players in web pages')

/** A recorded request: its method, its parameters, and how often. Errors of the time of recording are not part of it. */
const line = /^(GET|POST) ([A-Za-z0-9]+)(\.view)?\??(.*?)(?: {2}form (.*?))? {2}\[(\w+), answered/

for (const file of files) {
  const steps = readFileSync(`${folder}${file}`, 'utf8').split('\n').flatMap((text) => {
    const [, http, method = '', view, query = '', form, kind] = line.exec(text) ?? []
    return http === undefined ? []
      : [{ http: http as 'GET' | 'POST', method, view: view !== undefined, given: form ?? query, kind }]
  })
  test(`${file.replace('.txt', '')}: ${steps.length} requests`, async ({ t, ...player }) => {
    t.ok(steps.length > 20)
    const known = await knownTo(player)
    const wrong: string[] = []
    for (const { http, method, view, given, kind } of steps) {
      const parameters = Object.fromEntries(given.split('&').filter((pair) =>
        pair.includes('=')).map((pair): [string, string] => {
        const [name = '', ...rest] = pair.split('=')
        return [name, rest.join('=')]
      }).filter(([name]) =>
        !['u', 'p', 't', 's', 'v', 'f', 'c'].includes(name)).map(([name, value]): [string, string] =>
        [name, value === '…' ? method === 'getCoverArt' ? known.album : known.song : value]))
      const answer = await player.ask(method, parameters, { http, view, headers: { origin: 'https://player.example' } })
      // Of what players send, only changes at the provider are refused.
      const isRefused = answer.error?.code === 50 && /^(?:un)?star$|^setRating$|Playlist$/.test(method)
      const right = kind === 'image' || kind === 'media' || kind === 'other' ? answer.http < 400
        : answer.status === 'ok' || isRefused
      if (!right) wrong.push(`${method} ${given}: ${answer.http} ${answer.text.slice(0, 160)}`)
      if (answer.headers.get('access-control-allow-origin') !== '*') wrong.push(`${method}: not readable`)
    }
    t.same(wrong, [])
    const [, client = '', version = '–'] = /^(.+?)(?:-([\d.]+))?\.txt$/.exec(file) ?? []
    writeResult(t, { client, version, tried: [`its ${steps.length} recorded requests`] })
  })
}

t.test('the recorded requests are here', {
  skip: files.length === 0 ? 'the folder of recorded requests is not here' : false
}, async (t) => { t.equal(files.length, 4) })
