/** Today's readers read every recording; one whose field has another name fails with its path. */
import { cpSync, linkSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { check, compare, record } from '../../src/cli/doctor.ts'
import { renamed, renamingOf, type Renaming } from '../../src/demo/damage.ts'
import { calls, examine } from '../../src/doctor/examine.ts'
import type { Probe } from '../../src/doctor/probeRecorder.ts'
import { checkRecordings, readRecordings, writeRecordings } from '../../src/doctor/recording.ts'
import { root } from '../support/commandProcess.ts'
import { console, settingsFor, tuning } from '../support/doctor.ts'
import { cookieOf } from '../support/helper.ts'
import { test } from '../support/stage.ts'

const kept = join(root, 'test/recordings')

t.test('the recordings that are stored here can be read', async (t) => {
  const checked = await checkRecordings(await readRecordings(kept))
  t.ok(checked.filter(({ verdict }) => verdict === 'ok').length > 3)
  t.same(checked.filter(({ verdict }) => verdict === 'not readable'), [])
})

const refusalIn = (folder: string, call: string): unknown =>
  JSON.parse(readFileSync(join(folder, `${call}.refused.json`), 'utf8'))

test('a search that is refused with code 0 is recorded as refused, until it is answered', async ({ t, demo }) => {
  demo.moods.on('phone-filter2')
  const out = t.testdir({})
  const examination = await examine({ settings: settingsFor(demo), tuning })
  const names = await writeRecordings(out, examination)
  const call = 'search.songs.phone'
  t.match([names.includes(call), names.includes('search.songs.lite')], [false, true])
  t.match(refusalIn(out, call), {
    ask: { param: { searchid: String } }, refused: { status: 'refused', outcome: 'filter_-2' },
    answer: { meta: { is_filter: -2 } }
  })
  const { refused: _, ...answered } = examination.recorder.probes.get(call) as Probe
  await writeRecordings(out, {
    ...examination, recorder: { ...examination.recorder, probes: new Map([[call, { ...answered, outcome: 'ok' }]]) }
  })
  t.throws(() => refusalIn(out, call), { code: 'ENOENT' })
  const earlier = join(out, 'search.songs.lite.json')
  linkSync(earlier, join(out, 'same'))
  const text = readFileSync(earlier, 'utf8')
  await writeRecordings(out, examination)
  t.equal(readFileSync(join(out, 'same'), 'utf8'), text, 'a later recording takes its place when it is complete')
  t.not(readFileSync(earlier, 'utf8'), text)
})

test('every recording of the demo passes, holds nothing of the account, and differs from a later one by what has changed', async ({ t, demo }) => {
  const cookie = cookieOf(demo, 'member')
  const folder = t.testdir({ 'cookie.txt': cookie })
  const out = join(folder, 'recorded')
  const { task, said } = console(demo, join(folder, 'cookie.txt'))
  t.equal(await record({ ...task, folder: out }), 0)
  t.match(said.out, /answers in /)
  const secrets = cookie.split('; ')
    .map((pair) => pair.slice(pair.indexOf('=') + 1)).filter((value) => value.length > 3)
  t.same(
    readdirSync(out).filter((file) => secrets.some((secret) => readFileSync(join(out, file), 'utf8').includes(secret))),
    [], 'a secret'
  )
  t.ok(secrets.length > 3)
  const checked = await checkRecordings(await readRecordings(out))
  t.equal(
    checked.length, Object.keys(calls).filter((call) => !call.startsWith('login.')).length - 2,
    'all but two that the demo refuses'
  )
  t.same(checked.filter(({ verdict }) => verdict !== 'ok'), [])
  t.same(checked.filter(({ outcome }) => outcome !== undefined), [{
    call: 'playlists.classic.charset', verdict: 'ok', findings: [], outcome: 'empty'
  }], 'whose answer is always empty')

  t.match(refusalIn(out, 'song.similar'), {
    call: 'song.similar', date: /^2/, version: String, ask: { module: /./, param: {}, comm: 'mobile' },
    refused: { status: 'risk-controlled', outcome: 'biz_2001', code: 2001 }
  })

  const broken = join(folder, 'broken')
  cpSync(out, broken, { recursive: true })
  const file = join(broken, 'chart.detail.json')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"titleDetail"', '"odd"').replaceAll('"title"', '"headline"'))
  let text = ''
  t.equal(await check({ folder: broken, json: false, out: (part) => { text += part } }), 1)
  t.match(text, /^chart\.detail: not readable \(\w+\)\n {2}data\S*title: should be text, is absent$/m)
  text = ''
  t.equal(await check({ folder: out, json: true, out: (part) => { text += part } }), 0)
  t.match(JSON.parse(text), { ok: true, recordings: Array })

  const newer = join(folder, 'later')
  cpSync(out, newer, { recursive: true })
  const change = (call: string, how: (answer: any) => void): void => {
    const recording = JSON.parse(readFileSync(join(newer, `${call}.json`), 'utf8'))
    how(recording.answer)
    writeFileSync(join(newer, `${call}.json`), JSON.stringify(recording))
  }
  const headline = renamingOf('music.musicToplist.Toplist/GetDetail:data.song[].title=headline') as Renaming
  const { mutate } = renamed(headline) as { mutate: (answer: unknown) => void }
  change('chart.detail', (data) => { mutate({ data }) })
  for (const call of ['chart.all', 'home.charts']) {
    change(call, ({ group }) => { for (const each of group) each.groupId = 'a' })
  }
  text = ''
  t.equal(await compare({ older: out, newer, json: false, out: (part) => { text += part } }), 1)
  t.equal(text, 'chart.all\n  ~ group[].groupId  number -> string\nchart.detail\n  - data.song[].title  string\n  + data.song[].headline  string\nhome.charts\n  ~ group[].groupId  number -> string\n')
  text = ''
  const [one, other] = [out, newer].map((each) => join(each, 'chart.detail.json')) as [string, string]
  t.equal(await compare({ older: one, newer: other, json: true, out: (part) => { text += part } }), 1)
  t.match(JSON.parse(text), { added: [], removed: [], changed: [{
    call: 'chart.detail', removed: [{ path: 'data.song[].title', type: 'string' }], retyped: []
  }] })
  t.equal(await compare({ older: out, newer: out, json: false, out () {} }), 0)
  await t.rejects(compare({ older: out, newer: join(folder, 'none'), json: false, out () {} }))
})
