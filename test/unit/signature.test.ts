/** The signed entry of the gateway: its signature, and what it is sent. */
import t from 'tap'
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
