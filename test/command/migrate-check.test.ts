/** `music-relay migrate-check`: what it finds in logs and in source code, what it says of it, and what it does not read. */
import { spawnSync } from 'node:child_process'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { linesOf, pathOfLogLine, pathsInSource } from '../../src/cli/askedPaths.ts'
import { checkMigration, reportText } from '../../src/cli/migrateCheck.ts'
import type { MigrationReport } from '../../src/cli/migrateCheck.ts'
import { commandLine } from '../support/command.ts'
import { root } from '../support/commandProcess.ts'
const short = ({ routes }: MigrationReport): string[] => routes.map(({ count, path, becomes, here }) => `${count} ${path} ${becomes} ${here}`)
const ofSource = async (t: Test, files: Record<string, string>): Promise<MigrationReport> => await checkMigration(t.testdir(files), Readable.from([]))

t.test('a log line of every usual format gives the path without its query; a preflight and noise give none', async (t) => {
  for (const [line, path] of [
    ['10.0.0.1 - bob [21/Nov/2026:10:00:00 +0000] "GET /getRanks/62/10/1?cookie=secret HTTP/1.1" 200 512', '/getRanks/62/10/1'],
    ['10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "POST /checkQQLoginQr HTTP/2.0" 200 512 "https://player.example/getLyric" "Mozilla/5.0"', '/checkQQLoginQr'],
    ['{"level":30,"req":{"method":"GET","url":"/getLyric?songmid=1","headers":{"host":"x"}},"msg":"/other"}', '/getLyric'],
    ['{"request":{"method":"GET","uri":"/getMv?limit=2"},"status":200}', '/getMv'],
    ['{"time":"…","request":"GET /getHotkey HTTP/1.1","status":"200"}', '/getHotkey'],
    ['{"httpRequest":{"requestMethod":"GET","requestUrl":"https://music.example/getRanks?topId=4"}}', '/getRanks'],
    ['\u001b[90m<--\u001b[0m GET /getSmartbox?key=a', '/getSmartbox'],
    ['{"msg":"GET /getTicketInfo 200","level":"info"}', '/getTicketInfo'],
    ['GET /getRecommend 200 12 ms', '/getRecommend'],
    ['GET http://relay.example:3200/getNewDisks HTTP/1.1', '/getNewDisks'],
    ['"GET /a\u001b[31m HTTP/1.1"', '/a?[31m'],
    ['"OPTIONS /getRanks HTTP/1.1" 204', undefined],
    ['{"req":{"method":"OPTIONS","url":"/getRanks"}}', undefined],
    ['{"broken": "GET /getRanks', undefined],
    ['{"msg":"listening"}', undefined],
    ['server started', undefined],
    ['', undefined]
  ] as const) t.equal(pathOfLogLine(line), path, line)
})

t.test('source code gives texts that look like paths, with inserted values as values', async (t) => {
  for (const [code = '', ...found] of [
    ["fetch('/getRanks?topId=62')", '/getRanks'],
    ['fetch(`${base}/getRanks/${id}/10/1`)', '/getRanks/x/10/1'],
    ["axios.get('/getLyric/' + mid)", '/getLyric/x'],
    ['get("http://localhost:3200/getMusicPlay?songmid=" + mid)', '/getMusicPlay'],
    ["request({ url: 'getSearchByKey?key=' + key })", '/getSearchByKey'],
    ["const a = 'user/getUserPlaylists?uin=1', b = \"/user/getCookie\"", '/user/getUserPlaylists', '/user/getCookie'],
    ['requests.get(f"{BASE}/getAlbumInfo/{mid}")', '/getAlbumInfo/x'],
    ['val u = "$base/getSingerDesc"', '/getSingerDesc'],
    ["import { getLyric } from '../getLyric.js' // see /getRanks"],
    ["call('getLyric')"],
    ['a / getRanks / b']
  ]) t.same(pathsInSource(code).map(({ path }) => path), found, code)
  t.same(pathsInSource("\n\nfetch('/getMv')"), [{ path: '/getMv', line: 3 }])
})

t.test('a folder: what becomes of each route, where it is asked, and what is not read', async (t) => {
  const report = await ofSource(t, {
    'api.ts': "get('/getRanks'); get('/getRanks'); get(`/getRanks/${id}`)\npost('/api/checkQQLoginQr'); get('/getNewSongs')\nget('/songlist/add'); get('/getFoo'); page('/home')",
    'view.vue': "<a href='/lyric'>",
    'old.log': '"GET /getHotkey HTTP/1.1"\n"GET /home HTTP/1.1"',
    'notes.md': "'/getMv'",
    'bundle.js': `${' '.repeat(3 * 1024 * 1024)}'/getMv'`,
    'node_modules': { 'a.js': "'/getMv'" } as unknown as string,
    '.git': { 'a.js': "'/getMv'" } as unknown as string
  })
  t.same(short(report), [
    '2 /getRanks same /getRanks', '1 /getHotkey same /getHotkey',
    '1 /checkQQLoginQr alias /checkMainLoginQr', '1 /getRanks/:topId/:limit?/:page? alias /getRanks',
    '1 /getNewSongs instead /getRecommend', '1 /lyric instead /getLyric',
    '1 /songlist/add none ',
    '1 /getFoo unknown ', '1 /home unknown '
  ])
  t.match(report, { files: 3, counts: { same: 2, alias: 2, instead: 2, none: 1, unknown: 2 }, notes: ['bundle.js: skipped, larger than 2 MB.'] })
  t.same(report.routes.find(({ path }) => path === '/lyric')?.places, ['view.vue:1'])
  const text = reportText(report)
  t.match(text, /\n1 {2}\/lyric +use +\/getLyric\n +With songmid\n +view\.vue:1\n/)
  t.match(text, /the same\n +.*\n +response\.….data\.songInfoList -> data\.songInfoList\n/)
  t.match(text, /\nArrows: 3 routes have their values elsewhere in the answer\./)
  t.match(text, /\n3 files\. Routes: 2 the same, 2 alias, 2 use, 1 nothing, 2 unknown\.\n$/)
})

t.test('a path behind a proxy\'s prefix is found by a name that can be no other\'s; later parts of a path are values', async (t) => {
  const letters = ['/getranks', '/GETTOPLISTS', '/getSingerMV', '/getsingermv', '/LYRIC', '/getHotkey/', '/getranks/'].map((path) => `"GET ${path} HTTP/1.1"`).join('\n')
  const report = await checkMigration('-', Readable.from([letters]))
  t.same(short(report), ['2 /getRanks same /getRanks', '1 /getHotkey same /getHotkey', '1 /getSingerMv same /getSingerMv', '1 /getSingerMV alias /getSingerMv', '1 /getTopLists alias /getRanks', '1 /lyric instead /getLyric'], 'in any case')
  t.match(report.notes, ['2 requests end with a slash, such as /getRanks/: here that is 404. Leave the slash out.'])
  const log = ['/api/qq/getLyric/00DemoSong0001', '/music/user/getQQLoginQr', '/api/search', '/stream/00DemoSong0001', '/getSearchByKey/a%2Fb', '/getRanks/'].map((path) => `"GET ${path} HTTP/1.1"`).join('\n')
  t.same(short(await checkMigration('-', Readable.from([log]))), [
    '1 /getLyric/:songmid same /getLyric/:songmid', '1 /getRanks same /getRanks', '1 /getSearchByKey/:key same /getSearchByKey/:key', '1 /stream/:songmid same /stream/:songmid',
    '1 /user/getQQLoginQr alias /user/getMainLoginQr', '1 /api/search unknown '
  ])
})

t.test('a log may be large, with long lines and ever new paths: what is held is bounded', async (t) => {
  async function * chunks (): AsyncGenerator<Buffer> {
    for (let i = 0; i < 64; i++) yield Buffer.alloc(64 * 1024, 'x')
    yield Buffer.from('\n"GET /getHot')
    yield Buffer.from('key HTTP/1.1"\n')
    for (let i = 0; i < 3000; i++) yield Buffer.from(`"GET /scan/${i} HTTP/1.1"\n`)
  }
  const report = await checkMigration('-', chunks())
  t.match(report, { counts: { same: 1, unknown: 1000 }, notes: ['2000 requests of further unknown paths are not listed.'] })
  let longest = 0
  for await (const line of linesOf(chunks())) longest = Math.max(longest, line.length)
  t.equal(longest, 64 * 1024)
})

t.test('the command: text or JSON, exit codes, and a sentence for what cannot be read', async (t) => {
  const folder = t.testdir({ 'good.log': '"GET /getHotkey?cookie=secret HTTP/1.1"\n"GET /getTopLists HTTP/1.1"', 'bad.log': '"GET /lyric HTTP/1.1"', 'empty.log': '', 'a.log.gz': '' })
  const run = (...args: string[]): { status: number | null, stdout: string, stderr: string } => spawnSync(process.execPath, [...commandLine, 'migrate-check', ...args], { cwd: root, encoding: 'utf8', input: '"GET /getMv HTTP/1.1"' })
  const good = run(`${folder}/good.log`)
  t.match(good, { status: 0, stdout: /the same\n[^]*alias +\/getRanks\n[^]*Routes: 1 the same, 1 alias\.\n$/ })
  t.notMatch(good.stdout, 'secret')
  const bad = run(`${folder}/bad.log`, '--json')
  t.match([bad.status, JSON.parse(bad.stdout)], [1, { files: 1, counts: { instead: 1 }, routes: [{ path: '/lyric', becomes: 'instead', here: '/getLyric', count: 1, places: [] }] }])
  t.match(run(`${folder}/empty.log`), { status: 1, stdout: /No routes found/ })
  t.match(run('-'), { status: 0, stdout: /\/getMv +the same/ })
  t.match(run(`${folder}/nothing`), { status: 1, stderr: /nothing cannot be read \(ENOENT\)/ })
  t.match(run(`${folder}/a.log.gz`), { status: 1, stderr: /is compressed: .*zcat .* \| music-relay migrate-check -/ })
  t.equal(run().status, 2)
})
