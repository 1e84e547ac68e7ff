/**
 * What the relay is measured against: the least that a program can do for the same answers. Plain JavaScript, started
 * by node alone, so that its start can be compared too.
 *   fastify-buffer  one buffer of the size asked for, over and over
 *   relay-map       asks the upstream, parses, answers a small record; no check, no cache, no limit, no log
 */
import Fastify from 'fastify'
import { Pool } from 'undici'

const [name] = process.argv.slice(2)
const app = Fastify()

if (name === 'fastify-buffer') {
  const buffers = new Map()
  app.get('/', async (request, reply) => {
    const { size } = request.query
    if (!buffers.has(size)) buffers.set(size, Buffer.alloc(Number(size), 'x'))
    return reply.header('content-type', 'application/json; charset=utf-8').send(buffers.get(size))
  })
}

if (name === 'relay-map') {
  const pool = new Pool(process.env.UPSTREAM, { connections: 64 })
  const json = { 'content-type': 'application/json', host: 'u.y.qq.com', origin: 'https://y.qq.com', referer: 'https://y.qq.com/' }
  const ask = async (call) => {
    const { body } = await pool.request({
      method: 'POST', path: '/cgi-bin/musicu.fcg', headers: json,
      body: JSON.stringify({ comm: { ct: 24, cv: 4747474 }, req_0: call })
    })
    return (await body.json()).req_0.data
  }
  const get = async (host, path) => {
    const { body } = await pool.request({ method: 'GET', path, headers: { host, referer: 'https://y.qq.com/' } })
    return await body.json()
  }
  const singers = (song) => song.singer.map((one) => one.name).join('/')
  app.get('/chart', async ({ query }) => {
    const data = await ask({ module: 'music.musicToplist.Toplist', method: 'GetDetail', param: {
      topId: Number(query.topId), offset: 0, num: Number(query.limit), withTags: false
    } })
    const head = data.data
    return {
      code: 0,
      msg: 'ok',
      data: {
        topList: {
          id: head.topId, name: head.title, period: head.period, picUrl: head.headPicUrl, updateTime: head.updateTime,
          intro: head.intro, listenNum: head.listenNum, totalNum: head.totalNum
        },
        songInfoList: data.songInfoList.map((song, at) => ({
          songId: song.id, song_id: song.id, song_mid: song.mid, mid: song.mid, songName: song.title,
          singerName: singers(song), rank: at + 1
        }))
      }
    }
  })
  app.get('/song', async ({ query }) => {
    const { track_info: song } = await ask({
      module: 'music.pf_song_detail_svr', method: 'get_song_detail_yqq', param: { song_mid: query.songmid }
    })
    return { response: { code: 0, data: { id: song.id, mid: song.mid, name: song.title, singers: song.singer.map(
      ({ id, mid, name }) => ({ id, mid, name })
    ), album: { id: song.album.id, mid: song.album.mid, name: song.album.name }, interval: song.interval } } }
  })
  app.get('/search', async ({ query }) => {
    const [songs, singersFound, albums] = await Promise.all([0, 9, 8].map(async (kind) => {
      const path = `/soso/fcgi-bin/client_search_cp?ct=24&format=json&t=${kind}&p=1&n=${query.limit}&w=${encodeURIComponent(query.key)}`
      return (await get('c.y.qq.com', path)).data
    }))
    return {
      code: 0,
      msg: 'ok',
      data: {
        songs: songs.song.list.map((one) => ({
          id: one.songid, mid: one.songmid, name: one.songname, singer: singers(one), album: one.albumname,
          interval: one.interval
        })),
        singers: singersFound.singer.list.map((one) =>
          ({ mid: one.singerMID, name: one.singerName, picture: one.singerPic })),
        albums: albums.album.list.map((one) => ({ mid: one.albumMID, name: one.albumName, picture: one.albumPic }))
      }
    }
  })
  app.get('/lyric', async ({ query }) => {
    const found = await get('c.y.qq.com', `/lyric/fcgi-bin/fcg_query_lyric_new.fcg?songmid=${query.songmid}&format=json&g_tk=5381&loginUin=0&hostUin=0&inCharset=utf8&outCharset=utf-8&notice=0&platform=yqq.json&needNewCode=0`)
    const text = (base64) => Buffer.from(base64 ?? '', 'base64').toString()
    return { response: { code: 0, lyric: text(found.lyric), trans: text(found.trans) } }
  })
  app.get('/comments', async ({ query }) => {
    const { CommentList: list } = await ask({ module: 'music.globalComment.CommentRead', method: 'GetRecCommentList', param: {
      BizType: 1, BizId: query.id, BizSubType: 2, LastCommentSeqNo: '', PageSize: 25, PageNum: 0, Flag: 1,
      CmListUIVer: 1, AudioEnable: 1, PicEnable: 1
    } })
    return { response: { code: 0, comments: list.Comments.map((one) => ({
      id: one.CmId, nick: one.Nick, text: one.Content, time: one.PubTime, praised: one.PraiseNum
    })) } }
  })
  app.get('/play', async ({ query }) => {
    const { track_info: song } = await ask({
      module: 'music.pf_song_detail_svr', method: 'get_song_detail_yqq', param: { song_mid: query.songmid }
    })
    const found = await ask({ module: 'vkey.GetVkeyServer', method: 'CgiGetVkey', param: {
      guid: '10000', songmid: [query.songmid], filename: [`M500${song.file.media_mid}.mp3`], songtype: [0], uin: '0',
      loginflag: 1, platform: '20'
    } })
    return { data: {
      playUrl: { [query.songmid]: { url: found.midurlinfo[0].purl && found.sip[0] + found.midurlinfo[0].purl } }
    } }
  })
  app.get('/singer', async ({ query }) => {
    const found = await ask({ module: 'musichall.song_list_server', method: 'GetSingerSongList', param: {
      singerMid: query.singermid, order: 1, begin: 0, num: 30, number: 30
    } })
    return { response: { code: 0, total: found.totalNum, songs: found.songList.map(({ songInfo: one }) => ({
      id: one.id, mid: one.mid, name: one.name, singers: singers(one), album: one.album.name, interval: one.interval
    })) } }
  })
}

console.log(`listening ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
process.on('SIGTERM', () => { process.exit() })
