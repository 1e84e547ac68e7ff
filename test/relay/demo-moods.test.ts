/** The moods of the demo upstream: what each one does to the calls it is about, and how they are switched. */
import t from 'tap'
import { hows, moodHelp, moodLines, moodTargets, type How, type MoodTarget } from '../../src/demo/moodNames.ts'
import { signatureOf } from '../../src/demo/signature.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, memberUin } from '../support/helper.ts'
import { ask, classic, loginAs, type ForeignReply } from '../support/demoClient.ts'
import { test } from '../support/stage.ts'
import { whole } from '../support/whole.ts'

/** The key with which the accounts of a new demo begin. */
const keyOf = (demo: DemoUpstream, name: 'ordinary' | 'member'): string =>
  /qm_keyst=([^;]+)/.exec(cookieOf(demo, name))?.[1] ?? ''
const memberComm = (demo: DemoUpstream, authst = keyOf(demo, 'member')): object =>
  ({ uin: memberUin, authst, tmeLoginType: 1 })

/** A batch with one call, as a member, in the block of a program. */
async function call (demo: DemoUpstream, name: string, param: object, comm: object = {}): Promise<ForeignReply> {
  const [module, method] = name.split('/')
  return await ask(demo, '/cgi-bin/musicu.fcg', {
    body: JSON.stringify({ comm: { ...memberComm(demo), ...comm }, req: { module, method, param } })
  })
}

const search = 'music.search.SearchCgiService/DoSearchForQQMusic'
const words = { query: 'paper', search_type: 0, page_num: 1, num_per_page: 20 }
const vkey = {
  guid: '1', uin: '0', platform: '20', songmid: ['00DemoSong0001'], songtype: [0], filename: ['M50000DemoSong0001.mp3'],
  loginflag: 1
}
const list = { disstid: 7700000001, song_num: 20 }

const phoneBlock = {
  ct: 11, cv: 1601, v: 1601, uid: '0', tmeAppID: 'qqmusic', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8',
  QIMEI36: 'x'
}

async function signedSearch (demo: DemoUpstream): Promise<ForeignReply> {
  const body = JSON.stringify({ comm: { ct: '19' }, req: {
    module: 'music.search.SearchCgiService', method: 'DoSearchForQQMusicDesktop', param: words
  } })
  return await ask(demo, `/cgi-bin/musics.fcg?sign=${signatureOf(body)}`, { body })
}

/** For each subject a request that is about it, and what a healthy answer to it has: rows, or a text. */
const requests: Readonly<Record<
  MoodTarget, readonly [send: (demo: DemoUpstream) => Promise<ForeignReply>, had: (body: any) => { length: number }]
>> = {
  'search': [(demo) => classic(demo, '/soso/fcgi-bin/client_search_cp', { w: 'paper', format: 'json' }), ({ data }) =>
    data.song.list
  ],
  'search-for': [
    (demo) => classic(demo, '/soso/fcgi-bin/search_for_qq_cp', { w: 'paper', format: 'json' }),
    ({ data }) => data.song.list
  ],
  'lite': [(demo) => call(demo, `${search}Lite`, words, { ct: 11, tmeAppID: 'qqmusiclight' }), ({ req }) =>
    req.data.body.item_song
  ],
  'signed': [signedSearch, ({ req }) => req.data.body.song.list],
  'desktop': [(demo) => call(demo, `${search}Desktop`, words, { ct: '19' }), ({ req }) => req.data.body.song.list],
  'phone': [
    (demo) => call(demo, `${search}Mobile`, { ...words, searchid: '18014398509481984' }, phoneBlock),
    ({ req }) => req.data.body.item_song
  ],
  'programs': [(demo) => call(demo, `${search}Desktop`, words, { ct: '19' }), ({ req }) => req.data.body.song.list],
  'suggestions': [(demo) => classic(demo, '/splcloud/fcgi-bin/smartbox_new.fcg', { key: 'paper' }), ({ data }) => data.song.itemlist],
  'hotwords': [(demo) => classic(demo, '/splcloud/fcgi-bin/gethotkey.fcg', { format: 'json' }), ({ data }) => data.hotkey],
  'hotwords-desktop': [(demo) => call(demo, 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC', {}), ({ req }) => req.data.vec_hotkey],
  'hotwords-phone': [(demo) => call(demo, 'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile', {}), ({ req }) => req.data.vec_hotkey],
  'play': [(demo) => call(demo, 'vkey.GetVkeyServer/CgiGetVkey', vkey), ({ req }) => req.data.midurlinfo[0].purl],
  'lyrics': [(demo) => classic(demo, '/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { songmid: '00DemoSong0001', format: 'json' }), ({ lyric }) => lyric],
  'lyrics-program': [(demo) => call(demo, 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', { songMID: '00DemoSong0001' }), ({ req }) => req.data.lyric],
  'playlist': [(demo) => call(demo, 'music.srfDissInfo.DissInfo/CgiGetDiss', list), ({ req }) => req.data.songlist],
  'daily': [
    (demo) => call(demo, 'music.srfDissInfo.DissInfo/CgiGetDiss', { disstid: 0, dirid: 202, enc_host_uin: memberUin }),
    ({ req }) => req.data.songlist
  ],
  'feed': [(demo) => call(demo, 'music.recommend.RecommendFeed/get_recommend_feed', {}), ({ req }) => req.data.v_shelf],
  'song': [(demo) => call(demo, 'music.pf_song_detail_svr/get_song_detail_yqq', { song_id: 5000001 }), ({ req }) =>
    req.data.track_info.mid
  ],
  'chart': [(demo) => call(demo, 'music.musicToplist.Toplist/GetDetail', { topId: 62 }), ({ req }) => req.data.songInfoList],
  'album': [(demo) => call(demo, 'music.musichallAlbum.AlbumSongList/GetAlbumSongList', { albumMid: '00DemoAlbu0001', begin: 0, num: 9 }), ({ req }) =>
    req.data.songList
  ],
  'singer': [
    (demo) => call(demo, 'music.musichallSinger.SingerInfoInter/GetSingerDetail', { singer_mids: ['00DemoSing0001'] }),
    ({ req }) => req.data.singer_list
  ],
  'comments': [(demo) => call(
    demo, 'music.globalComment.CommentRead/GetHotCommentList', { BizType: 1, BizId: '5000001', PageSize: 9, PageNum: 0 }
  ), ({ req }) => req.data.CommentList.Comments],
  'mv-play': [(demo) => call(
    demo, 'music.stream.MvUrlProxy/GetMvUrls', { vids: ['demoV000004'], request_type: 10003, guid: '0'.repeat(32) }
  ), ({ req }) => req.data.demoV000004.mp4]
}

type Outcomes = Readonly<Record<How, (reply: ForeignReply, had: (body: any) => { length: number }) => unknown>>

const outcomes: Outcomes = {
  500: ({ status, text }) => status === 500 && text === '',
  404: ({ status }) => status === 404,
  html: ({ status, headers, text }) => status === 200 && String(headers['content-type'])
    .startsWith('text/html') && text.startsWith('<!DOCTYPE'),
  empty: ({ status, body }, had) => status === 200
    && body.code === 0 && (body.req?.code ?? 0) === 0 && had(body).length === 0,
  2001: ({ body }) => body.code === 0
    && body.req.code === 2001 && body.req.data.feedbackURL !== undefined && body.req.data.body.song.list.length === 0,
  ...Object.fromEntries(([-2, -9, -12] as const).map(
    (value) => [`filter${-value}`, ({ body }: ForeignReply, had: (body: any) => { length: number }) =>
      body.code === 0 && body.req.code === 0 && body.req.data.meta.is_filter === value && had(body).length === 0]
  )) as Pick<Outcomes, 'filter2' | 'filter9' | 'filter12'>,
  104009: ({ body }) => body.req.code === 104009 && body.req.data.retcode === 104009
    && body.req.data.msg.endsWith(';invalidq;') && body.req.data.midurlinfo[0].result === 0
    && body.req.data.midurlinfo[0].purl === '' && body.req.data.sip.length === 0
}

test('a mood does to its call what its name says, to no other call, and nothing once it is off', async ({ t, demo }) => {
  const others = async (but: MoodTarget): Promise<string[]> => {
    const some: MoodTarget[] = ['search', 'signed', 'play', 'playlist', 'daily', 'song']
    const ill = await Promise.all(some.filter((other) => other !== but && !(but === 'programs' && other === 'signed')
      && !(but === 'playlist' && other === 'daily')).map(async (other) => {
      const [send, had] = requests[other]
      const reply = await send(demo)
      return reply.status === 200 && had(reply.body).length > 0 ? [] : [other]
    }))
    return ill.flat()
  }
  let turn = 0
  for (const [subject, [send, had]] of Object.entries(requests) as [MoodTarget, (typeof requests)[MoodTarget]][]) {
    const healthy = await send(demo)
    t.ok(had(healthy.body).length > 0, `${subject} is healthy`)
    for (const how of moodTargets[subject].hows as readonly How[]) {
      demo.moods.on(`${subject}-${how}`)
      const reply = await send(demo)
      t.ok(outcomes[how](reply, had), `${subject}-${how}: ${reply.status} ${reply.text.slice(0, 200)}`)
      if (how === 'empty') t.same(
        Object.keys(reply.body.req?.data ?? reply.body.data), Object.keys(healthy.body.req?.data ?? healthy.body.data),
        `${subject} is empty in its own shape`
      )
      if (whole || turn++ % 4 === 0) t.same(await others(subject), [], `${subject}-${how} is about ${subject}`)
      demo.moods.off(`${subject}-${how}`)
    }
    t.equal(had((await send(demo)).body).length, had(healthy.body).length, `${subject} is healthy again`)
  }
})

t.test('risk control forgets a program after a minute of the demo\'s clock', async (t) => {
  const clock = { at: 1_800_000_000_000 }
  const demo = await demoFor(t, { now: () => clock.at, moods: ['programs-2001'] })
  const codes = async (): Promise<number[]> => await Promise.all((['lite', 'signed', 'desktop', 'phone'] as const)
    .map(async (subject) => (await requests[subject][0](demo)).body.req.code))
  t.same(await codes(), [2001, 2001, 2001, 2001])
  clock.at += 59_000
  t.same(await codes(), [2001, 2001, 2001, 2001])
  clock.at += 1_000
  t.same(await codes(), [0, 0, 0, 0])
  t.notOk(demo.moods.list().some(({ on }) => on))
  demo.moods.on('signed-2001')
  t.same(await codes(), [0, 2001, 0, 0], 'and can be annoyed again')
})

t.test('risk control of the whole upstream refuses programs and play addresses for good, and the site\'s search not', async (t) => {
  const clock = { at: 1_800_000_000_000 }
  const demo = await demoFor(t, { now: () => clock.at, moods: ['risk-control'] })
  clock.at += 600_000
  for (const subject of ['lite', 'signed', 'desktop', 'phone'] as const) {
    t.ok(outcomes[2001](await requests[subject][0](demo), requests[subject][1]), subject)
  }
  t.ok(outcomes[104009](await requests.play[0](demo), requests.play[1]))
  for (const subject of ['search', 'search-for', 'playlist', 'daily'] as const) {
    t.ok(requests[subject][1]((await requests[subject][0](demo)).body).length > 0, subject)
  }
})

test('keys can expire and can be rotated, for whoever has them', async ({ t, demo }) => {
  const who = async (authst?: string): Promise<number> => {
    const { body } = await ask(demo, '/cgi-bin/musicu.fcg', { body: JSON.stringify({
      comm: memberComm(demo, authst),
      req: { module: 'music.UserInfo.userInfoServer', method: 'GetLoginUserInfo', param: {} }
    }) })
    return body.req.code
  }
  const byCookie = async (): Promise<number> => (await ask(
    demo, '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg?format=json',
    { host: 'c6.y.qq.com', headers: { referer: 'https://y.qq.com/', cookie: cookieOf(demo, 'member') } }
  )).body.code
  t.same([await who(), await byCookie()], [0, 0])
  demo.moods.on('key-expired')
  t.same([await who(), await byCookie()], [1000, 1000])
  demo.moods.off('key-expired')
  t.equal(await who(), 0)

  demo.moods.on('key-rotated')
  t.same([await who(), await byCookie()], [1000, 1000], 'the key of before is dead')
  const { musickey: fresh } = await loginAs(demo, 'alt')
  t.not(fresh, keyOf(demo, 'member'))
  t.equal(await who(fresh), 0, 'a login gives the one that is valid')
  demo.moods.off('key-rotated')
  t.same([await who(), await who(fresh)], [0, 1000])
})

t.test('queued faults come before moods, and of several moods the first one counts', async (t) => {
  const demo = await demoFor(t, { moods: ['search-500', 'search-empty'] })
  demo.next('/soso/fcgi-bin/client_search_cp', { status: 418 })
  const statuses: number[] = []
  for (let times = 0; times < 2; times += 1) statuses.push((await requests.search[0](demo)).status)
  t.same(statuses, [418, 500])
  demo.reset()
  t.equal((await requests.search[0](demo)).status, 500, 'a mood stays')
  demo.moods.off('search-500')
  t.ok(outcomes.empty(await requests.search[0](demo), requests.search[1]))
})

test('a name that is no mood is refused with the list of those that are', async ({ t, demo }) => {
  for (const wrong of ['search-501', 'search', '', ',', 'lyrics-2001', 'search-500,nothing']) {
    t.throws(() => demo.moods.on(wrong), { name: 'RangeError', message: /search-500, .*key-expired, key-rotated, risk-control/ }, wrong)
    t.throws(() => demo.moods.off(wrong), RangeError)
    await t.rejects(demoFor(t, { moods: [wrong] }), RangeError)
  }
  t.notOk(demo.moods.list().some(({ on }) => on), 'not even the good half of a list')
  demo.moods.on('search-500, key-expired')
  t.same(demo.moods.list().filter(({ on }) => on).map(({ name }) => name), ['search-500', 'key-expired'])
})

t.test('the help text has a line for each subject, each way to be ill and each mood of the whole upstream', async (t) => {
  const lines = moodHelp().split('\n')
  for (const { name, about } of moodLines()) {
    const [subject, how] = [name.slice(0, name.lastIndexOf('-')), name.slice(name.lastIndexOf('-') + 1)]
    const line =
      lines.find((each) => each.trim().startsWith(Object.hasOwn(moodTargets, subject) ? `${subject}-{` : `${name} `))
    t.match(line, Object.hasOwn(moodTargets, subject) ? how : about, name)
  }
  for (const [how, about] of Object.entries(hows)) {
    t.ok(lines.some((line) => line.includes(`…-${how}`) && line.includes(about)), how)
  }
})

test('moods are switched at the demo\'s own address, as JSON or on a page, from this machine only', async ({ t, demo }) => {
  const { host } = new URL(demo.origin)
  const control = async (method: string, path: string, headers: Record<string, string> = {}): Promise<ForeignReply> =>
    await ask(demo, path, { host, method, headers })
  const { body } = await control('GET', '/demo/moods')
  t.same(body, demo.moods.list())
  t.match(body.find(({ name }: any) => name === 'search-500'), { about: 'the site\'s search, client_search_cp: HTTP 500 without a body', on: false })
  t.same((await control('PUT', '/demo/moods/search-500')).body.map(({ name }: any) => name), ['search-500'])
  t.equal((await requests.search[0](demo)).status, 500)
  const page = await control('GET', '/demo/moods', { accept: 'text/html,*/*' })
  t.match(page.headers['content-type'], /^text\/html/)
  t.match(page.text, /name="search-500" checked/)
  t.same((await control('DELETE', '/demo/moods/search-500', { origin: demo.origin, 'sec-fetch-site': 'same-origin' })).body, [])
  t.equal((await requests.search[0](demo)).status, 200)
  t.match(await control('PUT', '/demo/moods/nothing'), { status: 404, body: { error: /There is no mood "nothing"/ } })

  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' }, { origin: 'null' }, { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { host: 'evil.example' },
    { host: '127.0.0.1.evil.example' }, { host: 'c.y.qq.com' }, { host: '10.0.0.1' }
  ]
  for (const headers of foreign) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const path = method === 'GET' ? '/demo/moods' : '/demo/moods/search-500'
      t.equal((await control(method, path, headers)).status, 403, `${method} ${JSON.stringify(headers)}`)
    }
  }
  t.notOk(demo.moods.list().some(({ on }) => on))
  for (const own of ['localhost:4200', '[::1]:4200', '127.8.8.8']) {
    t.equal((await control('GET', '/demo/moods', { host: own })).status, 200, own)
  }
})
