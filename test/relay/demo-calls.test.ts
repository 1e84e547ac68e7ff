/** The calls of the demo upstream as other clients send them, and by which marks they are let in: account, Referer, host. Facts and dates: src/demo/WIRE.md. */
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf, song, memberUin } from '../support/helper.ts'
import { ask, classic, gateway } from '../support/demoClient.ts'
import { sharedStage } from '../support/stage.ts'
import {
  playlist as diss, playlistSibling as sibling, commentsClassic as comments, personalRadio as similar, smartbox,
  whoAmI as who
} from '../support/wires.ts'
import { hash33 } from '../../src/demo/accounts.ts'

const test = sharedStage('calls of the demo')

const classicDetail = 'fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'

type Name = 'ordinary' | 'member' | 'expired'

/** The common block of an account, which needs no cookie. */
function commOf (demo: DemoUpstream, name: Name): { uin: string, authst: string, tmeLoginType: number } {
  const { uin = '', authst = '', type = '' } =
    /\buin=(?<uin>\d+);.*qm_keyst=(?<authst>[^;]+);.*tmeLoginType=(?<type>\d)/.exec(cookieOf(demo, name))?.groups ?? {}
  return { uin, authst, tmeLoginType: Number(type) }
}

const midsOf = (songs: { mid: string }[]): string[] => songs.map(({ mid }) => mid)

test('folder 202 has the thirty songs of the day, for the account alone', async ({ t, demo }) => {
  const folder = async (name: Name | undefined, enc_host_uin: string): Promise<any> => await gateway(demo, diss,
    {
      disstid: 0, dirid: 202, enc_host_uin, onlysonglist: 0, orderlist: 0, tag: 1, userinfo: 1, is_mobile: 1,
      new_format: 1
    }, name === undefined ? {} : commOf(demo, name))
  for (const [name, list] of [['ordinary', 7700000009], ['member', 7700000010]] as const) {
    const { code, data } = await folder(name, commOf(demo, name).uin)
    t.match({ code, data }, { code: 0, data: {
      dirinfo: { dirid: 202, title: '每日30首', songnum: 30 }, total_song_num: 30, hasmore: 0, songlist: { length: 30 }
    } })
    t.same(
      midsOf(data.songlist), midsOf((await gateway(demo, diss, { disstid: list, song_num: 30 }, {})).data.songlist),
      'the playlist that the page names'
    )
    t.same(await folder(name, ''), { code, data }, 'an empty owner is the caller')
  }
  t.match(await folder('ordinary', commOf(demo, 'member').uin), { code: 0, data: { total_song_num: 0, songlist: [] } })
  for (const name of ['expired', undefined] as const) t.same(await folder(name, '1000000101'), { code: 1000, data: {} })
})

test('a private playlist has a title that says so and no songs', async ({ t, demo }) => {
  const disstid = 7700000501
  for (const call of [diss, sibling]) {
    t.match(await gateway(demo, call, { disstid, song_num: 10 }, {}), {
      code: 0, data: { code: 0, dirinfo: { title: '歌单被主人设为隐私', songnum: 0 }, songlist: [], total_song_num: 0 }
    })
  }
  t.match((await classic(
    demo, `/qzone-music/${classicDetail}`, { disstid: String(disstid), format: 'json', utf8: '1' }
  )).body, { code: 0, cdlist: [{ dissname: '歌单被主人设为隐私', songnum: 0, songlist: [] }] })
  t.same((await classic(
    demo, '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', { id: String(disstid), format: 'json' }
  )).body.data.cdlist, [])
  const { body } = await classic(demo, '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg', { sin: '0', ein: '59', format: 'json' })
  t.equal(body.data.sum, 498, 'no list of playlists has it')
})

test('the classic detail shows only the caller\'s own lists, its twin shows everybody\'s', async ({ t, demo }) => {
  const ask = async (folder: string, disstid: number, name?: Name): Promise<any> =>
    (await classic(demo, `/${folder}/${classicDetail}`, {
      type: '1', json: '1', utf8: '1', new_format: '1', disstid: String(disstid), format: 'json'
    },
      { headers: { referer: 'https://y.qq.com/', ...(name && { cookie: cookieOf(demo, name) }) } })).body
  const refused = { code: 0, subcode: 4000, cdnum: 0, cdlist: undefined }
  const whole = { code: 0, subcode: 0, cdnum: 1, cdlist: [{ songlist: [{ mid: /^00DemoSong/ }] }] }
  t.match(await ask('qzone', 7700000001), refused)
  t.match(await ask('qzone', 7700000001, 'ordinary'), refused)
  t.match(await ask('qzone', 7700000012), refused)
  t.match(await ask('qzone', 7700000012, 'expired'), refused)
  t.match(await ask('qzone', 7700000012, 'ordinary'), { ...whole, cdlist: [{ disstid: '7700000012' }] }, 'a list that the account has made')
  t.match(await ask('qzone', 7700000002, 'ordinary'), whole, 'a hidden one, too')
  for (const name of [undefined, 'ordinary'] as const) t.match(await ask('qzone-music', 7700000001, name), {
    ...whole, cdlist: [{ disstid: '7700000001', songnum: 55, songlist: { length: 55 } }]
  })
  t.match(await ask('qzone-music', 7700000002), refused, 'but not what is hidden')
})

test('a long playlist comes at once', async ({ t, demo }) => {
  const disstid = 7700000005
  const first = midsOf((await gateway(demo, diss, { disstid, song_num: 1400 }, {})).data.songlist)
  t.equal(first.length, 420)
  t.same(midsOf((await gateway(demo, sibling, { disstid, song_begin: 0, song_num: 1400 }, {})).data.songlist), first)
  const { body } = await classic(demo, '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', {
    id: String(disstid), format: 'json', newsong: '1', platform: 'yqq', inCharset: 'utf8', outCharset: 'utf-8'
  })
  t.same(midsOf(body.data.cdlist[0].songlist), first)
})

test('the public lists of another account are found by its encrypted id', async ({ t, demo }) => {
  const of = async (hostmid: string, more: Record<string, string> = {}): Promise<any> =>
    (await classic(demo, '/rsc/fcgi-bin/fcg_user_created_diss',
      {
        cid: '205360838', ct: '24', hostuin: '0', hostmid, sin: '0', n: '100', format: 'json', outCharset: 'utf-8',
        ...more
      })).body.data.lst
  const lists = await of('demoOrdinary0**')
  t.equal(lists.length, 38)
  t.match(lists[0], { dissid: 7700000010, title: String, picurl: demo.origin, intro: '', song_count: 30 })
  t.same(await of('demoOrdinary0**', { sin: '36', n: '10' }), lists.slice(36))
  t.same(await of('nobody**'), [])
})

test('MVs are filtered under both spellings, and some addresses are placeholders', async ({ t, demo }) => {
  const list = async (param: object): Promise<any> => (await gateway(
    demo, 'MvService.MvInfoProServer/GetAllocMvInfo', { order: 1, start: 0, size: 50, ...param }, {}
  )).data
  const [all, korea, live] = [await list({}), await list({ area: 19 }), await list({ version: 9 })]
  t.ok(korea.total > 0 && live.total > 0 && korea.total + live.total < all.total)
  t.same(await list({ area_id: 19 }), korea)
  t.same(await list({ version_id: 9 }), live)
  t.same(await list({ area: 19, area_id: 19, version: 7, version_id: 7 }), korea)
  t.same((await list({ area: 4711 })).list, null)

  const placeholder = 'http://mv6.music.tc.qq.com/'
  const [mixed, bare] = ['demoV000024', 'demoV000028'] as const
  const { data } = await gateway(
    demo, 'music.stream.MvUrlProxy/GetMvUrls', { vids: [mixed, bare], request_type: 10003, guid: '0'.repeat(32) }, {}
  )
  const usable = (vid: string): any[] => data[vid].mp4.filter(({ code }: { code: number }) => code === 0)
  t.equal(usable(mixed).length, 3)
  for (const { freeflow_url: urls } of usable(mixed)) {
    t.same([urls.length, urls[0]], [3, placeholder])
    t.equal((await fetch(urls[1])).status, 200)
  }
  for (const { freeflow_url: urls, url, vkey, cn } of usable(bare)) {
    t.same(urls, [placeholder])
    t.equal((await fetch(`${url[0]}${vkey}/${cn}?fname=${cn}`)).status, 200)
  }
})

test('songs of a singer in the classic list, and tabs of the home page', async ({ t, demo }) => {
  const singermid = '00DemoSing0001'
  const tracks = async (more: Record<string, string>): Promise<any> => (await classic(
    demo, '/v8/fcg-bin/fcg_v8_singer_track_cp.fcg', { singermid, begin: '0', num: '5', order: 'listen', ...more }
  )).body.data
  const { list, total } = await tracks({ newsong: '1', platform: 'mac' })
  const detail = (await gateway(
    demo, 'music.web_singer_info_svr/get_singer_detail_info', { sort: 5, singermid, sin: 0, num: 5 }, {}
  )).data
  t.same(list.map(({ musicData }: any) => musicData), detail.songlist)
  t.equal(total, detail.total_song)
  t.equal(detail.singer_info.fans, (await classic(
    demo, '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg', { singermid, format: 'json' }
  )).body.num, 'the followers, too')
  t.match((await tracks({})).list[0].musicData, { songmid: list[0].musicData.mid, strMediaMid: /./ })
  t.same((await tracks({ newsong: '1', begin: '4', num: '1' })).list[0].musicData, list[4].musicData)

  const tab = async (TabID: string, comm: object = { ct: 11, cv: 12060012 }, more: object = {}): Promise<any> =>
    await gateway(demo, 'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageTabDetail', {
      SingerMid: singermid, IsQueryTabDetail: 1, TabID, PageNum: 0, PageSize: 5, Order: 0, ...more
    }, comm)
  t.same(midsOf((await tab('song_sing')).data.SongTab.List), midsOf(detail.songlist))
  t.match(
    (await tab('song_sing')).data, { HasMore: 1, TabID: 'song_sing', TabList: null, AlbumTab: { AlbumList: null } }
  )
  t.match((await tab('album')).data.AlbumTab.AlbumList[0], { albumMid: /^00DemoAlbu/, totalNum: 0 })
  t.match((await tab('video')).data.VideoTab.VideoList[0], { vid: /^demoV/ })
  t.match((await tab('wiki')).data.IntroductionTab.List[0], {
    ItemType: 2, SingerInfoList: [{ Title: '中文名', Content: 'The Paper Lanterns' }]
  })
  t.match((await tab('producer')).data, { SongTab: { List: null }, HasMore: 0 })
  t.match((await tab('song_sing', { ct: 11 }, { PageNum: 1000 })).data, { SongTab: { List: null }, HasMore: 0 })
  t.match(await tab('song_sing', { ct: 24 }), { code: 10000, data: { SongTab: { List: null } } })
})

test('similar songs answer the web block, and a phone only with its session', async ({ t, demo }) => {
  const similar = async (comm: object): Promise<any> =>
    await gateway(demo, 'music.recommend.TrackRelationServer/GetSimilarSongs', { songid: 5000001 }, comm)
  t.match(await similar({ ct: 24, cv: 0 }), { code: 0, data: { vecSong: { length: 11 } } })
  t.same(await similar({ ct: 11, cv: 12060012 }), { code: 2001 })
  t.equal((await similar({ ct: 11, sid: 'any' })).code, 0)
})

test('lyrics are found under each spelling of the MID', async ({ t, demo }) => {
  const { body: { lyric } } =
    await classic(demo, '/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { songmid: song(1), format: 'json' })
  t.ok(lyric)
  for (const name of ['songMID', 'songMid', 'songmid']) {
    t.equal(
      (await gateway(demo, 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', { [name]: song(1) }, {})).data.lyric,
      lyric, name
    )
    t.equal(
      (await classic(demo, '/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { [name]: song(1), format: 'json' })).body.lyric,
      lyric, name
    )
  }
})

test('calls that are gone say so with their own codes, and a GET has a longest length', async ({ t, demo }) => {
  for (const call of ['playlist.RecommendServer/get_recommend', 'music.library.AlbumServer/get_album_by_tags', 'music.web_srf_svr/get_recommend', 'playlist.web_srf/get_tags', 'comment.CommentReadServer/GetCommentList', 'music.srfDissInfo.DissInfo/SIGetDissInfo']) {
    t.same(await gateway(demo, call, {}, {}), { code: 500003, subcode: 860100005 }, call)
  }
  t.same(await gateway(demo, 'musicToplist.ToplistInfoServer/GetOverview', {}, {}), { code: 500005 })
  const get = async (length: number): Promise<number> => {
    const data = JSON.stringify({
      req: { module: 'music.musicToplist.Toplist', method: 'GetAll', param: { filler: 'x'.repeat(length) } }
    })
    return (await ask(demo, `/cgi-bin/musicu.fcg?data=${encodeURIComponent(data)}`)).status
  }
  t.same([await get(8000), await get(9500)], [200, 414])
})

test('a body of more than thirty calls is refused everywhere, and a picture has only the sizes of the provider', async ({ t, demo }) => {
  const codes = async (count: number): Promise<number[]> => {
    const one = { module: 'music.musicToplist.Toplist', method: 'GetAll', param: {} }
    const calls = Object.fromEntries(Array.from({ length: count }, (_, at) => [`req_${at}`, one]))
    const { body } = await ask(demo, '/cgi-bin/musicu.fcg', { body: JSON.stringify(calls) })
    return [body.code, ...Object.keys(calls).map((key) => body[key].code)]
  }
  t.same([await codes(30), await codes(31)], [Array(31).fill(0), Array(32).fill(500000)])
  const picture = async (size: string): Promise<number> =>
    (await ask(demo, `/music/photo_new/T002R${size}M00000DemoAlbu0001.jpg`, { host: '127.0.0.1' })).status
  t.same([await picture('500x500'), await picture('640x640')], [200, 404])
})

test('an account in the common block is enough, and a key that does not fit it is an expired one', async ({ t, demo }) => {
  const keyOf = (name: 'ordinary' | 'member' | 'expired'): string =>
    /qm_keyst=([^;]+)/.exec(cookieOf(demo, name))?.[1] ?? ''
  const code = async (call: string, comm: object, headers?: Record<string, string>): Promise<number> =>
    (await gateway(demo, call, {}, comm, headers)).code
  for (const comm of [
    { uin: memberUin, authst: keyOf('member'), tmeLoginType: 1 },
    { qq: memberUin, authst: keyOf('member'), tmeLoginType: '1' },
    { ct: 11, qq: '1000000101', authst: keyOf('ordinary'), tmeLoginType: 2 },
    { uin: 1000000101, authst: keyOf('ordinary'), tmeLoginType: 2 }
  ]) t.equal(await code(who, comm), 0, JSON.stringify(comm))
  for (const comm of [
    { uin: memberUin, authst: keyOf('ordinary'), tmeLoginType: 1 },
    { uin: memberUin, authst: keyOf('member'), tmeLoginType: 2 },
    { uin: '1000000303', authst: keyOf('expired'), tmeLoginType: 2 },
    { uin: '0', authst: keyOf('member') }, { uin: memberUin, authst: '' }, { uin: memberUin }
  ]) t.equal(await code(who, comm), 1000, JSON.stringify(comm))
  // An expired key is told from no key by calls that are public.
  t.equal((await gateway(demo, 'music.recommend.TrackRelationServer/GetRadarSong', { Page: 1 }, {
    uin: memberUin, authst: 'W_X_wrong', tmeLoginType: 1
  })).code, 1000)
  t.equal((await gateway(demo, 'music.recommend.TrackRelationServer/GetRadarSong', { Page: 1 }, {})).code, 0)
  t.equal(await code(similar, { uin: memberUin, authst: keyOf('member'), tmeLoginType: 1, g_tk: 5381 }, {
    cookie: cookieOf(demo, 'expired')
  }), 0, 'the block, not the cookie')
  t.equal(
    await code(similar, { uin: memberUin, g_tk: hash33(keyOf('member')) }, { cookie: cookieOf(demo, 'member') }), 1000,
    'a cookie alone is nobody here'
  )
})

test('classic calls want a Referer of the site; a comment form needs none, and has its parameters in the body', async ({ t, demo }) => {
  const query = { topid: '5000001', biztype: '1', cmd: '8', pagesize: '3', outCharset: 'utf-8', format: 'json' }
  for (const referer of ['https://y.qq.com/', 'https://c.y.qq.com/', 'http://m.y.qq.com']) t.match(
    (await classic(demo, comments, query, { headers: { referer } })).body.comment.commentlist[0], { commentid: /./ },
    referer
  )
  for (const headers of [
    {}, { referer: 'https://example.com/' }, { referer: 'https://y.qq.com.example.com/' }
  ] as Record<string, string>[]) {
    t.same((await classic(demo, comments, query, { headers })).body, { code: 0, subcode: 1, msg: 'invalid referer' })
  }
  const form = await ask(demo, comments, { host: 'c.y.qq.com', body: new URLSearchParams(query).toString(), headers: {
    'content-type': 'application/x-www-form-urlencoded'
  } })
  t.match(form.body, { code: 0, topid: '5000001', comment: { commentlist: [{ commentid: /./ }] } })
  t.same((await ask(demo, smartbox, { host: 'c.y.qq.com', body: 'key=paper' })).body.msg, 'invalid referer', 'other forms do')
})

test('suggestions are JSON without a format, at both hosts; other calls are not', async ({ t, demo }) => {
  const long = {
    cv: '4747474', ct: '24', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', notice: '0', platform: 'yqq.json',
    needNewCode: '1', uin: '0', hostUin: '0', is_xml: '0', key: 'paper'
  }
  const { body } = await classic(demo, smartbox, { key: 'paper' })
  t.match(body, { code: 0, data: { song: { itemlist: [{ mid: '00DemoSong0001' }] } } })
  t.same((await classic(demo, smartbox, long, { host: 'c6.y.qq.com' })).body, body)
  t.match((await classic(demo, smartbox, { key: 'paper', callback: 'suggest' })).text, /^suggest\(\{/)
  t.match((await classic(demo, '/splcloud/fcgi-bin/gethotkey.fcg', {})).text, /^callback\(\{/)
})

test('a fault can be of one host of several, and the demo knows which was asked', async ({ t, demo }) => {
  demo.next(`c6.y.qq.com${smartbox}`, { status: 500 }, Infinity)
  demo.next(`szu.y.qq.com/${who}`, { code: 1 }, Infinity)
  t.equal((await classic(demo, smartbox, { key: 'paper' }, { host: 'c6.y.qq.com' })).status, 500)
  t.equal((await classic(demo, smartbox, { key: 'paper' })).status, 200)
  t.same([
    demo.calls(`c6.y.qq.com${smartbox}`).length, demo.calls(`c.y.qq.com${smartbox}`).length, demo.calls(smartbox).length
  ], [1, 1, 2])
  const codes = await Promise.all(['u', 'szu', 'shu'].map(async (name) => (await ask(demo, '/cgi-bin/musicu.fcg', {
    host: `${name}.y.qq.com`, body: `{"req":{"module":"${who.split('/')[0]}","method":"${who.split('/')[1]}"}}`
  })).body.req.code))
  t.same(codes, [1000, 1, 1000])
})
