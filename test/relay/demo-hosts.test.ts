/** Who is let in by the demo upstream, and by which marks: account, Referer, host. Facts and dates: src/demo/WIRE.md. */
import { hash33 } from '../../src/demo/accounts.ts'
import { cookieOf, memberUin } from '../support/helper.ts'
import { ask, classic, gateway } from '../support/demoClient.ts'
import { test } from '../support/stage.ts'
import { commentsClassic as comments, personalRadio as similar, smartbox, whoAmI as who } from '../support/wires.ts'

test('an account in the common block is enough, and a key that does not fit it is an expired one', async ({ t, demo }) => {
  const keyOf = (name: 'ordinary' | 'member' | 'expired'): string => /qm_keyst=([^;]+)/.exec(cookieOf(demo, name))?.[1] ?? ''
  const code = async (call: string, comm: object, headers?: Record<string, string>): Promise<number> => (await gateway(demo, call, {}, comm, headers)).code
  for (const comm of [
    { uin: memberUin, authst: keyOf('member'), tmeLoginType: 1 }, { qq: memberUin, authst: keyOf('member'), tmeLoginType: '1' }, { ct: 11, qq: '1000000101', authst: keyOf('ordinary'), tmeLoginType: 2 },
    { uin: 1000000101, authst: keyOf('ordinary'), tmeLoginType: 2 }
  ]) t.equal(await code(who, comm), 0, JSON.stringify(comm))
  for (const comm of [
    { uin: memberUin, authst: keyOf('ordinary'), tmeLoginType: 1 }, { uin: memberUin, authst: keyOf('member'), tmeLoginType: 2 }, { uin: '1000000303', authst: keyOf('expired'), tmeLoginType: 2 },
    { uin: '0', authst: keyOf('member') }, { uin: memberUin, authst: '' }, { uin: memberUin }
  ]) t.equal(await code(who, comm), 1000, JSON.stringify(comm))
  // An expired key is told from no key by calls that are public.
  t.equal((await gateway(demo, 'music.recommend.TrackRelationServer/GetRadarSong', { Page: 1 }, { uin: memberUin, authst: 'W_X_wrong', tmeLoginType: 1 })).code, 1000)
  t.equal((await gateway(demo, 'music.recommend.TrackRelationServer/GetRadarSong', { Page: 1 }, {})).code, 0)
  t.equal(await code(similar, { uin: memberUin, authst: keyOf('member'), tmeLoginType: 1, g_tk: 5381 }, { cookie: cookieOf(demo, 'expired') }), 0, 'the block, not the cookie')
  t.equal(await code(similar, { uin: memberUin, g_tk: hash33(keyOf('member')) }, { cookie: cookieOf(demo, 'member') }), 1000, 'a cookie alone is nobody here')
})

test('classic calls want a Referer of the site; a comment form needs none, and has its parameters in the body', async ({ t, demo }) => {
  const query = { topid: '5000001', biztype: '1', cmd: '8', pagesize: '3', outCharset: 'utf-8', format: 'json' }
  for (const referer of ['https://y.qq.com/', 'https://c.y.qq.com/', 'http://m.y.qq.com']) t.match((await classic(demo, comments, query, { headers: { referer } })).body.comment.commentlist[0], { commentid: /./ }, referer)
  for (const headers of [{}, { referer: 'https://example.com/' }, { referer: 'https://y.qq.com.example.com/' }] as Record<string, string>[]) t.same((await classic(demo, comments, query, { headers })).body, { code: 0, subcode: 1, msg: 'invalid referer' })
  const form = await ask(demo, comments, { host: 'c.y.qq.com', body: new URLSearchParams(query).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  t.match(form.body, { code: 0, topid: '5000001', comment: { commentlist: [{ commentid: /./ }] } })
  t.same((await ask(demo, smartbox, { host: 'c.y.qq.com', body: 'key=paper' })).body.msg, 'invalid referer', 'other forms do')
})

test('suggestions are JSON without a format, at both hosts; other calls are not', async ({ t, demo }) => {
  const long = { cv: '4747474', ct: '24', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', notice: '0', platform: 'yqq.json', needNewCode: '1', uin: '0', hostUin: '0', is_xml: '0', key: 'paper' }
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
  t.same([demo.calls(`c6.y.qq.com${smartbox}`).length, demo.calls(`c.y.qq.com${smartbox}`).length, demo.calls(smartbox).length], [1, 1, 2])
  const codes = await Promise.all(['u', 'szu', 'shu'].map(async (name) => (await ask(demo, '/cgi-bin/musicu.fcg', { host: `${name}.y.qq.com`, body: `{"req":{"module":"${who.split('/')[0]}","method":"${who.split('/')[1]}"}}` })).body.req.code))
  t.same(codes, [1000, 1, 1000])
})
