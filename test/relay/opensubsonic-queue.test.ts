/** The play queue that follows a listener, and reports that players send unasked. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { removeQueue, storedQueues } from '../../src/accounts/queues.ts'
import { boundedQueue, type PlayQueue } from '../../src/relay/playQueues.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { song } from '../support/helper.ts'
import { keepsFiles, withoutFiles } from '../support/noFiles.ts'
import { householdTest, idsOf, playerFor, playerTest, readXml } from '../support/opensubsonicPlayer.ts'

const id = (...numbers: readonly number[]): string[] => numbers.map((number) => `so-${song(number)}`)

playerTest('a queue that one player saved is continued by another, in both forms', async ({ t, ask, read }) => {
  t.match(
    await read('getPlayQueue'), { username: 'demo', changed: /^20/, changedBy: '', entry: [], current: undefined }
  )
  for (const http of ['GET', 'POST', 'bare'] as const) {
    t.match(await ask('savePlayQueue', {
      id: id(1, 5, 1, 10), current: song(5) && `so-${song(5)}`, position: 61_000, c: 'one'
    }, { http }), { status: 'ok' })
    const queue = await read('getPlayQueue', { c: 'another' })
    t.match(queue, { current: `so-${song(5)}`, position: 61_000, changedBy: 'one', username: 'demo', entry: [{
      title: /./, artistId: /^ar-/, size: Number
    }] })
    t.same(idsOf(queue.entry), id(1, 5, 1, 10), http)
  }
  t.match(await read('getPlayQueueByIndex'), { currentIndex: 1, position: 61_000, changedBy: 'one' })
  t.match(await ask('savePlayQueueByIndex', { id: id(1, 5, 1, 10), currentIndex: 2, position: 7 }), { status: 'ok' })
  t.match([
    await read('getPlayQueue'), await read('getPlayQueueByIndex')
  ], [{ current: `so-${song(1)}`, position: 7 }, { currentIndex: 2 }], 'a song that is there twice')
  const { children: { playQueue: [xml] = [] } } = readXml((await ask('getPlayQueue', { f: 'xml' })).text)
  t.match([xml?.attributes, xml?.children['entry']?.length], [
    { current: `so-${song(1)}`, position: '7', changedBy: 'test' }, 4
  ])
  t.match(
    await ask('savePlayQueue', { id: ['pd-1', ...id(1, 8, 9999, 5)], current: `so-${song(5)}`, position: 3 }),
    { status: 'ok' }, 'what cannot be played is left out'
  )
  t.same(idsOf((await read('getPlayQueue')).entry), id(1, 8, 5))
  t.match([await read('getPlayQueue'), await read('getPlayQueueByIndex')], [
    { current: `so-${song(5)}`, position: 3 }, { currentIndex: 2 }
  ])
  t.match(await ask('savePlayQueueByIndex', { id: id(1), currentIndex: 9 }), { status: 'ok' })
  t.match(await read('getPlayQueueByIndex'), { currentIndex: 0 })
  await ask('savePlayQueue')
  t.match(await read('getPlayQueueByIndex'), { entry: [], currentIndex: undefined }, 'emptied')
})

playerTest('reports are accepted whatever is in them; what the listener asks to change is refused', async ({ t, ask }) => {
  for (const method of [
    'scrobble', 'reportPlayback', 'createBookmark', 'deleteBookmark', 'savePlayQueue', 'savePlayQueueByIndex'
  ]) t.match(await ask(method, { id: 'x' }), { http: 200, status: 'ok' }, method)
  for (const method of ['star', 'unstar', 'setRating', 'createPlaylist', 'updatePlaylist', 'deletePlaylist']) {
    t.match(await ask(method, { id: 'x' }), { error: { code: 50 } }, method)
  }
})

householdTest('each account has a queue of its own', { cache: true }, async ({ t, secrets, play }) => {
  const as = (name: 'member' | 'partner'): object => ({ u: name, p: secrets[name] })
  await play('savePlayQueue', { ...as('member'), id: id(1, 2), current: `so-${song(2)}` })
  t.match((await play('getPlayQueue', { ...as('partner') })).body.playQueue.entry, [])
  t.same(idsOf((await play('getPlayQueue', { apiKey: secrets.member })).body.playQueue.entry), id(1, 2))
})

const queueOf = (count: number, index = 0): PlayQueue =>
  ({ songs: Array.from({ length: count }, (_, at) => `s${at}`), index, position: 5, changed: 1, changedBy: 'x' })

householdTest('a key that may not use the login of its account gets neither the queue nor the number of the account', {}, async (
  { t, accounts, secrets, play }
) => {
  const [guest, own] = [
    { apiKey: await accounts.addKey('member', 'guest', { noLoginEndpoints: true }) },
    { u: 'member', p: secrets.member }
  ]
  await play('savePlayQueue', { ...own, id: id(1, 5) })
  t.match(await play('savePlayQueue', { ...guest, id: id(2) }), { status: 'ok' }, 'no error box at each song')
  t.same((await play('getPlayQueue', guest)).body.playQueue.entry, [])
  t.same(idsOf((await play('getPlayQueue', own)).body.playQueue.entry), id(1, 5))
  t.match([await play('getAvatar', guest), await play('getAvatar', own)], [{ http: 404 }, { http: 302 }])
})

t.test('of a long queue the songs around the current one are kept', async (t) => {
  for (const [count, index] of [
    [0, 0], [3, 2], [3, 9], [500, 499], [501, 0], [5000, 0], [5000, 250], [5000, 2500], [5000, 4999]
  ] as const) {
    const kept = boundedQueue(queueOf(count, index))
    t.ok(kept.songs.length <= 500)
    t.equal(kept.songs[kept.index], `s${index}` in Object.fromEntries(
      queueOf(count).songs.map((each) => [each, 1])
    ) ? `s${index}` : count === 0 ? undefined : `s${count - 1}`, `${index} of ${count}`)
  }
})

t.test('while the process can open no file, a stored queue is not taken for none', { skip: keepsFiles }, async (t) => {
  const queues = storedQueues({
    folder: folderFor(t), secret: '', accounts: { secretOf: () => 'mr_1' }, log: { warn () {} }
  })
  const { ask, read } = await playerFor(t, { queues })
  await ask('savePlayQueue', { id: id(1, 5) })
  await withoutFiles(async () => { t.match(await ask('getPlayQueue'), { status: 'failed', error: { code: 0 } }) })
  t.same(idsOf((await read('getPlayQueue')).entry), id(1, 5))
})

t.test('stored queues are encrypted, belong to the secret of their account, and go with it', async (t) => {
  const folder = t.testdir({})
  const own: Record<string, string> = { child: 'mr_1' }
  const warnings: unknown[] = []
  const options = { folder, accounts: { secretOf: (name: string) => own[name] }, log: {
    warn: (what: unknown) => { warnings.push(what) }
  } } as const
  for (const secret of ['', 'a secret of the operator']) {
    const queues = storedQueues({ ...options, secret })
    await queues.write('child', queueOf(3, 1))
    t.same(await storedQueues({ ...options, secret }).read('child'), queueOf(3, 1))
    t.equal((await readFile(join(folder, 'queues', 'child.json'), 'utf8')).includes('"s1"'), secret === '')
    own['child'] = 'mr_2'
    t.equal(await queues.read('child'), undefined, 'another account of the name')
    own['child'] = 'mr_1'
  }
  t.equal(await storedQueues({ ...options, secret: 'another' }).read('child'), undefined)
  t.equal(await storedQueues({ ...options, secret: '' }).read('nobody'), undefined)
  await removeQueue(folder, 'child')
  await removeQueue(folder, 'child')
  t.same(await readdir(join(folder, 'queues')), [])
})
