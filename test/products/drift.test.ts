/**
 * Drift detection: every declared field of every call is removed and retyped in turn, in every row, and each change is
 * noticed. Unchanged answers, including real ones, cause no findings.
 */
import t from 'tap'
import { settingsOf } from '../../src/relay/settings.ts'
import { examine } from '../../src/doctor/examine.ts'
import { createUpstreamMonitor } from '../../src/upstream/monitor.ts'
import { RelayError } from '../../src/common/errors.ts'
import { callStatusOf, type Declared, type Finding } from '../../src/upstream/read/observer.ts'
import { maybe, need, type Answer } from '../../src/upstream/read/read.ts'
import { readAnswer } from '../../src/upstream/read/readAnswer.ts'
import type { UpstreamCall } from '../../src/upstream/calls.ts'
import {
  cookieOf, demoFor, endpoints, sample, serverFor, subAnswers, withoutSamples, type Server
} from '../support/helper.ts'
import { changed, wrong } from '../support/replay.ts'
import { brisk } from '../support/unhurried.ts'
import { sampleOf, whole } from '../support/whole.ts'
import { askEndpoint } from '../support/asks.ts'

interface Reading { readonly findings: Finding[], readonly fields: Declared[], readonly error: RelayError | undefined }

function read (call: Pick<UpstreamCall<unknown>, 'name' | 'read' | 'optionalFields'>, answer: unknown): Reading {
  const findings: Finding[] = []
  const fields = new Map<string, Declared>()
  let error: RelayError | undefined
  try {
    readAnswer(call, answer, {
      finding: (finding) => { findings.push(finding) },
      declared: (field) => { fields.set(`${field.mode} ${field.paths.join('|')}`, field) }
    })
  } catch (thrown) {
    if (!(thrown instanceof RelayError)) throw thrown
    error = thrown
  }
  return { findings, fields: [...fields.values()], error }
}

t.test('drift of every call that the demo answers', { timeout: 120_000 }, async (t) => {
  const examined = await demoFor(t)
  /** What the doctor has of every call: the call, and an answer of the demo upstream. */
  const { recorder: { probes } } = await examine({
    settings: settingsOf({ upstreamOrigin: examined.origin, imageOrigin: examined.origin }),
    cookie: cookieOf(examined, 'member'), tuning: brisk({ searchPauseMs: 0, pollDeadlineMs: 50 })
  })

  /** Errors of known issues that come with an answer. A retired call has none, and the demo still answers it. */
  const knownErrors: Readonly<Record<string, string>> = { empty: 'UPSTREAM_EMPTY', refused: 'UPSTREAM_REFUSED' }

  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

  t.test('each field of each answer, removed or retyped, is noticed', async (t) => {
    let mutations = 0
    const expected: string[] = []
    for (const [turn, [name, { heard }]] of [...probes].entries()) {
      if (heard === undefined) continue // logins have readers of their own; a refusal has no data
      const { call, answer } = heard
      const reading = read(call, answer)
      t.same(reading.findings, [], `${name}: no alarm`)
      t.equal(reading.error?.code, knownErrors[call.knownIssue?.verdict ?? ''], name)
      const missed: string[] = []
      for (const { paths, kind } of sampleOf(reading.fields, 16, turn)) {
        const retyped = paths.reduce((value, path) => changed(value, path, wrong[kind]), answer)
        const removed = paths.reduce((value, path) => changed(value, path, undefined), answer)
        if (same(removed, answer)) continue // it was not there
        mutations += 2
        const about = ({ findings }: Reading): boolean => findings.some(({ path }) => paths.includes(path))
        if (!about(read(call, retyped))) missed.push(`retyped: ${paths.join('|')}`)
        const without = read(call, removed)
        if (about(without) || paths[0]?.endsWith('[]') === true) continue // an element is no key
        // "It does not exist" is an answer; so is what the call itself says may be missing.
        if (without.error?.code === 'NOT_FOUND' || paths[0] === '{}') continue
        if (call.optionalFields?.some(
          (each) => each.endsWith('*') ? paths[0]?.startsWith(each.slice(0, -1)) === true : each === paths[0]
        ) === true) expected.push(`${name} ${paths[0]}`)
        else missed.push(`removed: ${paths.join('|')}`)
      }
      t.same(missed, [], name)
    }
    t.ok(mutations > (whole ? 2500 : 150), `${mutations} mutations`)
    const known = [
      'album.classic data', 'album.classic.detail data.getSongInfo[].album.pmid', 'daily.light dirinfo.id', 'daily.light dirinfo.title', 'lyric.classic lyric', 'lyric.classic.plain lyric', 'playlist.detail dirinfo',
      'playlist.detail.sibling dirinfo', 'radio.personal.older tracks[].track', 'radio.songs.older tracks[].track', 'search.suggestions data.album.itemlist',
      'search.suggestions data.song.itemlist', 'search.suggestions.second data.album.itemlist', 'search.suggestions.second data.song.itemlist',
      'song.similar.web vecSong', 'song.similar.web vecSongNew',
      'song.tracks tracks[].file.size_new.6', 'song.tracks tracks[].file.size_new.9'
    ]
    t.same(
      expected.filter((one) => !known.includes(one)
        && !/^(?:search|mv\.search)\.\S+ meta\.(?:ret|safety\w+)$|(?:lite|phone) meta\.is_filter$/.test(one)),
      [], 'what cannot be noticed by its absence is known, and little'
    )
    if (whole) t.same(known.filter((one) => !expected.includes(one)), [])
  })

  /** Recorded answers with current shapes, by their files. The other files are older, assembled or abridged. */
  const recorded: readonly (readonly [file: string, ...calls: string[]])[] = [
    ['getRanks', 'chart.detail'], ['getRanks.all', 'chart.all'], ['getSongInfo', 'song.detail'], ['getSongInfo.by-id', 'song.detail'],
    ['batchGetSongInfo', 'song.tracks'], ['getAlbumInfo', 'album.detail', 'album.songs'], ['getSongListDetail', 'playlist.detail'],
    ['getSongListDetail.uniform', 'playlist.detail.sibling'], ['getSongLists.plaza', 'playlists.square'], ['getNewDisks', 'albums.new'],
    ['getSingerList', 'singer.list'], ['getSingerList.unpaged', 'singer.list.whole'], ['getSingerDesc', 'singer.detail'], ['getSingerHotsong', 'singer.songs'],
    ['getSingerAlbum', 'singer.albums'], ['getSingerMv', 'singer.mvs'], ['getSimilarSinger', 'singer.similar'], ['getSingerStarNum.homepage', 'singer.homepage'],
    ['getMv', 'mv.tags', 'mv.list'], ['getRecommend.feed', 'feed'], ['getRecommend.newsong', 'home.songs'], ['getRecommend.songlist', 'recommend.playlists.square'],
    ['getPersonalRecommend', 'recommend.songs'], ['getSearchByKey.musicu-song', 'search.songs.desktop']
  ]

  t.test('real answers of today raise no alarm', { skip: withoutSamples }, async (t) => {
    for (const [file, ...names] of recorded) {
      names.forEach((name, at) => {
        const call = probes.get(name)?.heard?.call
        const { findings, fields } = read(call as UpstreamCall<unknown>, subAnswers(`${file}.json`)[at]?.data)
        t.same(findings, [], `${file}: ${name}`)
        t.ok(fields.length > 0)
      })
    }
    const suggestions = probes.get('search.suggestions')?.heard?.call
    t.same(read(suggestions as UpstreamCall<unknown>, sample('getSmartbox.json')).findings, [], 'suggestions')
  })

  const row = (answer: Answer): string | undefined => maybe.text(answer, 'name', 'title')
  const list = (...rows: unknown[]) =>
    read({ name: 'list', read: (answer) => maybe.list(answer, 'rows', row) }, { rows }).findings

  t.test('what vanished is told from what is empty', async (t) => {
    t.same(list({ name: '' }, { title: null }), [], 'empty is no news')
    t.same(list({ other: 1 }, { title: 'a' }), [], 'a row without it, beside one with it')
    t.same(list(), [], 'no rows')
    t.same(list({ other: 1 }, {}), [{ call: 'list', path: 'rows[].name', expected: 'text', seen: 'absent' }], 'gone from every row')
    const nested = (answer: unknown): Finding[] =>
      read({ name: 'nested', read: (whole) => maybe.int(whole, 'album.id', 'albumid') }, answer).findings
    t.same(nested({ album: null }), [], 'an object that is null')
    t.same(nested({ album: [] }), [], 'an empty list stands for an empty object')
    t.same(nested({ album: {} }).length, 1)
    t.same(nested({ album: 'a text' }).length, 1, 'an object became a text')
    const told = read({ name: 'rare', optionalFields: ['a', 'b.*'], read: (whole) => [
      maybe.text(whole, 'a'), maybe.text(whole, 'b.c'), maybe.text(whole, 'd')
    ] }, {})
    t.same(told.findings.map(({ path }) => path), ['d'], 'what the call says may be missing')
  })

  t.test('a skipped row and a needed field are told as well', async (t) => {
    const rows = read({ name: 'rows', read: (whole) => need.list(whole, 'rows', (one) => need.text(one, 'id')) }, {
      rows: [{ id: 'a' }, { id: 5 }, {}]
    })
    t.same(rows.findings.map(({ path, seen }) => [path, seen]), [['rows[].id', 'number'], ['rows[].id', 'absent']])
    t.equal(rows.error, undefined)
  })

  const examples = async (server: Server, cookie: string): Promise<void> => {
    for (const [name, { method, tag }] of Object.entries(endpoints)) if (method === 'GET' && tag !== 'login') {
      await askEndpoint(server, name, { headers: { 'x-custom-cookie': cookie } })
    }
  }

  t.test('/health/upstream is quiet over clean answers, and over questions about what does not exist', async (t) => {
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { cache: false })
    const cookie = cookieOf(demo, 'member')
    await examples(server, cookie)
    for (const path of [
      '/getMvByTag?tag=paper', '/getMvByTag?tag=9', '/getComments?id=5000001&cmd=6',
      '/getSongListDetail?disstid=7700000002', '/getSongListDetail?disstid=7700000003',
      '/getSingerMv?singermid=00DemoSing0002&order=time', '/getSingerList?area=6'
    ]) await server.get(path, { headers: { 'x-custom-cookie': cookie } })
    for (const path of ['/getSongInfo?songid=99', '/getLyric/zzzz', '/getAlbumInfo?albummid=zzzz', '/getSearchByKey?key=qqqqqq', '/getSongListDetail?disstid=123', '/getSingerDesc?singermid=zzzz', '/getSingerHotsong?singermid=zzzz', '/getSimilarSinger?singermid=zzzz', '/getMvPlay?vid=zzzz', '/getComments?id=77', '/getRanks?topId=999999', '/user/getUserPlaylists?uin=77777']) await server.get(path)
    const { status, headers, body } = await server.get('/health/upstream')
    t.strictSame([status, headers.get('cache-control')], [200, 'no-store'])
    t.ok(body.calls.length > 50)
    t.same(body.calls.filter(({ findings }: { findings: unknown[] }) => findings.length > 0), [])
    t.same(body.calls.filter(({ name, verdict, since, at }: {
      name: string, verdict: string, since: string, at: string
    }) => /search/.test(name) && (verdict !== 'ok' || since > at)), [], 'a search without hits is answered')
    t.equal(body.further, 0)
    t.same(server.log.filter((line) => line.includes('"drift"')), [])
    t.equal((await server.post('/health/upstream')).status, 405)
  })

  t.test('/health/upstream tells how each call last ended, and what changed', async (t) => {
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { cache: false, accessToken: 'open sesame' })
    const headers = { authorization: 'Bearer open sesame' }
    const healthOf = async (call: string): Promise<any> => {
      const { body } = await server.get('/health/upstream', { headers })
      return body.calls.find(({ name }: { name: string }) => name === call)
    }
    t.equal((await server.get('/health/upstream')).status, 401)

    const chart = 'music.musicToplist.Toplist/GetDetail'
    const mutate = (answer: any): void => {
      delete answer.data.data.intro
      answer.data.data.period = { text: 'MARKED' }
    }
    demo.next(chart, { mutate }, 2)
    for (let round = 0; round < 2; round++) t.equal(
      (await server.get('/getRanks?topId=62&limit=3', { headers })).status, 200, 'answered with what still fits'
    )
    const { verdict, outcome, at, ms, findings } = await healthOf('chart.detail')
    t.same([verdict, outcome], ['drift', 'ok'])
    t.ok(Date.parse(at) > 0 && ms >= 0)
    t.match(findings.find(({ path }: { path: string }) => path === 'data.intro'), {
      expected: 'text', seen: 'absent', count: 2
    })
    t.equal(server.log.filter((line) => line.includes('"path":"data.intro"')).length, 1, 'one line for each finding')
    t.notOk(
      JSON.stringify(server.log).includes('MARKED') || JSON.stringify(findings).includes('MARKED'), 'never a value'
    )

    await server.get('/getRanks?topId=62&limit=3', { headers })
    t.match(await healthOf('chart.detail'), { verdict: 'ok', findings }, 'well again, and what was noticed stays')

    const lyric = '/lyric/fcgi-bin/fcg_query_lyric_new.fcg'
    for (const [fault, word] of [
      [{ code: 500003 }, 'retired'], [{ code: 2001 }, 'risk-controlled'], [{ code: 1000 }, 'login needed'],
      [{ reset: true }, 'unreachable'], [{ body: '<html>' }, 'drift'], [{ status: 404 }, 'retired'],
      [{ code: 77 }, 'refused']
    ] as const) {
      demo.next(lyric, fault)
      await server.get('/getLyric/00DemoSong0001', { headers })
      // The third alternative uses the same address in another form and is not reached.
      t.equal((await healthOf('lyric.classic')).verdict, word, JSON.stringify(fault))
    }
  })

  t.test('findings are bounded', async (t) => {
    const lines: unknown[] = []
    let now = 0
    const { observer, health } =
      createUpstreamMonitor({ log: { warn: (line: unknown) => { lines.push(line) } }, now: () => now, most: 3 })
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 10; at++) {
        observer.finding({ call: 'a', path: `field${at}`, expected: 'text', seen: 'list' })
      }
      now += 1000
    }
    const { calls: [only], further } = health()
    t.equal(only?.findings.length, 3)
    t.same(only?.findings[0], {
      path: 'field0', expected: 'text', seen: 'list', count: 2, first: '1970-01-01T00:00:00.000Z',
      last: '1970-01-01T00:00:01.000Z'
    })
    t.strictSame([further, lines.length], [14, 4], 'one line each, and one that says that no more follow')
  })

  t.test('a reader that breaks is told of once, although other calls may make the answer', async (t) => {
    const lines: unknown[] = []
    const { observer } = createUpstreamMonitor({ log: { warn: (line: unknown) => { lines.push(line) } } })
    for (const error of [new Error('a bug'), new Error('again'), undefined, new Error('anew')]) {
      observer.callEnded?.({ call: 'chart', ...callStatusOf(error), ms: 1 })
    }
    t.same(lines, [{ call: 'chart' }, { call: 'chart' }])
  })
})
