/** Today's readers read every recording; one whose field has another name fails with its path. */
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { check, record } from '../../src/cli/doctor.ts'
import { checkRecordings } from '../../src/doctor/check.ts'
import { readRecordings } from '../../src/doctor/recording.ts'
import { root } from '../support/commandProcess.ts'
import { console } from '../support/doctor.ts'
import { cookieOf } from '../support/helper.ts'
import { test } from '../support/stage.ts'

const kept = join(root, 'test/recordings')

t.test('the recordings that are stored here can be read', async (t) => {
  const checked = await checkRecordings(await readRecordings(kept))
  t.ok(checked.filter(({ verdict }) => verdict === 'ok').length > 3)
  t.same(checked.filter(({ verdict }) => verdict === 'not readable'), [])
})

test('every recording of the demo passes, and holds nothing of the account', async ({ t, demo }) => {
  const cookie = cookieOf(demo, 'member')
  const folder = t.testdir({ 'cookie.txt': cookie })
  const out = join(folder, 'recorded')
  t.equal(await record({ ...console(demo, join(folder, 'cookie.txt')).task, folder: out }), 0)
  const secrets = cookie.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1)).filter((value) => value.length > 3)
  for (const file of readdirSync(out)) for (const secret of secrets) t.notMatch(readFileSync(join(out, file), 'utf8'), secret, file)
  const checked = await checkRecordings(await readRecordings(out))
  t.same(checked.filter(({ verdict }) => verdict === 'not readable'), [])
  t.same(checked.filter(({ verdict }) => verdict === 'not read').map(({ call }) => call), ['comments.replies', 'comments.replies.short', 'daily.songs', 'daily.songs.sibling'], 'which need ids that were scrubbed')

  const refusal = JSON.parse(readFileSync(join(out, 'song.similar.refused.json'), 'utf8'))
  t.match(refusal, { call: 'song.similar', date: /^2/, version: String, ask: { module: /./ }, refused: { outcome: /^biz_/, code: Number } })

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
})
