/** The gateway: the programs that the relay speaks as, and the signed entry with its signature. */
import t from 'tap'
import type { CommKind } from '../../src/upstream/calls.ts'
import { createDevice, musicuRequest, signatureOf } from '../../src/upstream/wire/requests.ts'

t.test('two bodies have the signatures that public clients compute for them', async (t) => {
  t.equal(signatureOf('{"a":1}'), 'zzc7746109xq501htmv4ipz7c8owlxfpihjm1fd695c7')
  t.equal(signatureOf('{"comm":{"ct":"19"},"req":{"q":"周杰伦"}}'), 'zzce244d2e7c1bt519zj2offbwwivyvbowad60ee5cc')
})

t.test('a signed request shows an invented device and no account, and signs the body that it sends', async (t) => {
  const device = createDevice()
  t.match(device, { guid: /^[0-9A-F]{32}$/, wid: /^[1-9]\d{18}$/ })
  t.not(createDevice().guid, device.guid)
  const call = { module: 'music.m', method: 'f', param: { query: '纸' }, comm: 'signed' } as const
  const { path, headers, body = '' } =
    musicuRequest([call, { ...call, method: 'g' }], { uin: '7', key: 'secret', loginType: 2, euin: undefined }, device)
  t.equal(path, `/cgi-bin/musics.fcg?sign=${signatureOf(body)}`)
  t.match(headers, { 'user-agent': 'QQMusic 14090508(android 12)', 'content-type': 'application/json' })
  t.notOk('cookie' in headers || 'referer' in headers || body.includes('secret'))
  const { comm, ...calls } = JSON.parse(body)
  t.match(comm, { ct: '19', cv: '2151', uin: '0', tmeLoginType: 0, ...device })
  t.same(calls, { 'music.m': { module: 'music.m', method: 'f', param: call.param }, 'music.m_1': {
    module: 'music.m', method: 'g', param: call.param
  } })
})

t.test('each program introduces itself with the words that its calls were recorded with', async (t) => {
  const words = { format: 'json', inCharset: 'utf-8', outCharset: 'utf-8' }
  const phone = { ct: 11, os_ver: '12', phonetype: '0', devicelevel: '31', nettype: 'NETWORK_WIFI', udid: '0' }
  const device = createDevice()
  for (const [comm, said] of Object.entries({
    web: {
      ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', ...words, notice: 0, need_new_code: 1, g_tk: 5381,
      g_tk_new_20200303: 5381
    },
    desktop: { ct: '19', cv: '1859', uin: '0' },
    olderDesktop: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' },
    signed: {
      _channelid: '0', _os_version: '6.2.9200-2', ct: '19', cv: '2151', patch: '118', psrf_access_token_expiresAt: 0,
      psrf_qqaccess_token: '', psrf_qqopenid: '', psrf_qqunionid: '', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0',
      ...device
    },
    mobile: { ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' },
    phone: { ...phone, cv: 1601, v: 1601, tmeAppID: 'qqmusic', uid: '0', ...words, QIMEI36: '0'.repeat(36) },
    lite: { ...phone, cv: '1003006', v: '1003006', tmeAppID: 'qqmusiclight' },
    plaza: { ct: 20, cv: 1602 },
    feed: { ct: 20, cv: 1770, platform: 'wk_v17', ...words, uid: '', guid: '' }
  } satisfies Record<CommKind, object>)) {
    const call = { module: 'm', method: 'f', param: {}, comm: comm as CommKind }
    t.strictSame(JSON.parse(musicuRequest([call], undefined, device).body ?? '').comm, said, comm)
  }
})
