/** Texts that no pattern of a schema makes: links as people paste them, and cursors of answers, whole and damaged. */
import * as fc from 'fast-check'
import { writeCursor } from '../../src/endpoints/radio/radioSongs.ts'

const host = fc.constantFrom('y.qq.com', 'i.y.qq.com', 'i2.y.qq.com', 'c.y.qq.com', 'c6.y.qq.com', 'evil.example', 'y.qq.com.evil.example', 'y.qq.com:443', 'y.qq.com:8443', 'someone@y.qq.com', 'Y.QQ.COM', '127.0.0.1')
const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(
  '00DemoSong0001', '00DemoAlbu0001', '00DemoSing0001', '5000001', '800001', '7700000001', '62', 'demoV000004', '', '0',
  '9'.repeat(30), '5000001_num', '00DemoSong0001&userid=1'
) }, { weight: 1, arbitrary: fc.string({ maxLength: 40 }) })
const route = fc.tuple(fc.constantFrom('n/ryqq', 'n/ryqq_v2', 'n/yqq', 'portal'), fc.constantFrom(
  'song', 'songDetail', 'album', 'albumDetail', 'singer', 'playlist', 'playsquare', 'toplist', 'mv', 'mv/v', 'profile'
), id, fc.constantFrom('', '.html', '/', '?songtype=13', '#x')).map(([folder, kind, name, end]) => `${folder}/${kind}/${name}${end}`)
const page = fc.tuple(fc.constantFrom('v8/playsong.html', 'n2/m/share/details/taoge.html', 'n2/m/share/details/album.html', 'n2/m/share/details/mv.html', 'n3/other/pages/details/singer.html', 'n2/m/share/details/toplist.html', 'n2/m/share/profile_v2/index.html', 'n2/m/outchain/player/index.html'), fc.dictionary(
  fc.constantFrom('songmid', 'songid', 'songtype', 'type', 'id', 'disstid', 'albummid', 'albumId', 'singermid', 'vid', 'userid', 'no_redirect'), id, { maxKeys: 4 }
)).map(([path, query]) => `${path}?${new URLSearchParams(query).toString()}`)
const short = fc.tuple(fc.constantFrom('s', 'n', 'a', 'p', 'g', 'h', 'u', 'x', ''), id)
  .map(([kind, name]) => `base/fcgi-bin/u?__=${kind}${name}`)
const address = fc.tuple(
  fc.constantFrom('https://', 'http://', 'HTTPS://', '', 'ftp://', 'https:\\/\\/', 'javascript:https://'), host,
  fc.oneof(route, page, short)
).map(([scheme, name, rest]) => `${scheme}${name}/${rest}`)

/** Links as they are, in the words of an app, in a card of a chat, in a page, and next to others. */
export const links: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom('', '《First Light》 ', '分享', '{"meta":{"music":{"jumpUrl":"', '<a href="', 'https://example.com/ '),
  address, fc.constantFrom('', ' @QQ音乐', '。好听', ').', '"}}}', '">', '\\u0026x=1', '&amp;songmid=00DemoSong0002')
).map((parts) => parts.join('').slice(0, 8192))

const mark = fc.integer({ min: 0, max: 2 ** 24 - 1 })
const radio = fc.tuple(
  fc.constantFrom('radar', 'personal', 'radio 199', 'radio 101', 'radio 1'), fc.integer({ min: 0, max: 65_535 }),
  fc.array(mark, { maxLength: 20 })
).map(([list, round, marks]) => writeCursor(list, { round, marks }))
const damaged = fc.tuple(radio, fc.nat(), fc.constantFrom('A', '_', '', '~', '='))
  .map(([text, at, put]) => `${text.slice(0, at % text.length)}${put}${text.slice(at % text.length + 1)}`)

/** Cursors of the lists without an end, of related playlists and MVs, and of comments. */
export const cursors: fc.Arbitrary<string> = fc.oneof(radio, damaged, fc.constantFrom(
  '700004', '7700000001.7700000002', '1.1628467001000000093', '3.1!demosong5000001n93', '99999.x', '1628467001000000093'
))
