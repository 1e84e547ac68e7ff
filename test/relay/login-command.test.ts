/** `music-relay login` in this process: the drawn QR code, the output of each step, what is stored or printed, the exit codes. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { PNG } from 'pngjs'
import QRCode from 'qrcode'
import t, { type Test } from 'tap'
import { login } from '../../src/cli/loginCommand.ts'
import { draw, drawnWidth, modulesOfPng, modulesOfText, createScreen } from '../../src/cli/screen.ts'
import { checkUserInfo, settingsOf } from '../../src/relay/settings.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { altScanAddress, type Channel } from '../../src/upstream/login/scan.ts'
import { run } from '../support/accountCommands.ts'
import { loginAs } from '../support/demoClient.ts'
import { cookieOf, demoFor, memberUin, until } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { userInfoIn } from '../support/userInfo.ts'

const poll = '/connect/l/qrconnect'
const memberKey = 'W_X_demoMember'

const latest = (demo: DemoUpstream, channel: Channel): string => demo.login.ids(channel).at(-1) ?? ''

/** Id of the QR code number `count`, once a poll waits for it. */
async function held (demo: DemoUpstream, count: number): Promise<string> {
  await until(() => demo.login.ids('alt').length === count)
  const uuid = latest(demo, 'alt')
  await demo.login.held(uuid, 1)
  return uuid
}

/** The command in this process, which stores in `folder`. */
const commandOf = (demo: DemoUpstream, folder: string, ...args: string[]): ReturnType<typeof run> =>
  run(['login', ...args], { UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder })

test('an expired code is replaced by itself, and --print gives the cookie and stores nothing', async ({ t, demo }) => {
  const folder = t.testdir({})
  const command = commandOf(demo, folder, '--print')
  demo.login.expire(await held(demo, 1))
  demo.login.confirm(await held(demo, 2), 'member')
  const { code, out, err } = await command
  t.match([code, err, out], [0, /Waiting[\s\S]*new one \(1 of 3\)[\s\S]*Waiting/, new RegExp(
    `^uin=o${memberUin}; provider_key=${memberKey}\\S+; provider_keyst=\\S+; euin=\\S+; providerLoginType=1\n$`
  )])
  t.notMatch(err, memberKey)
  t.same(readdirSync(folder), [])
})

test('a cancelled login ends with 1 and leaves the stored one alone; --json says so in one line', async ({ t, demo }) => {
  const folder = t.testdir({ 'user-info.json': '{"cookie":"uin=1; provider_key=old"}' })
  const command = commandOf(demo, folder, 'alt', '--json')
  demo.login.cancel(await held(demo, 1))
  const { code, out, err } = await command
  t.match([code, err], [1, /cancelled on the phone/])
  t.same(JSON.parse(out), { ok: false, code: 'CANCELLED', error: 'The login was cancelled on the phone; nothing was stored.' })
  t.equal(readFileSync(join(folder, 'user-info.json'), 'utf8'), '{"cookie":"uin=1; provider_key=old"}')
})

test('wrong use is told apart from a wrong configuration, and both before a code is asked for', async ({ t, demo }) => {
  const folder = t.testdir({ file: '' })
  const unwritable = /: the login could not be stored in .*not a folder.*--print/
  t.match(await commandOf(demo, join(folder, 'file', 'config')), {
    code: 78, err: new RegExp(`^music-relay: CONFIG_DIR${unwritable.source}`)
  })
  t.match(await run(['login'], { UPSTREAM_ORIGIN: demo.origin, MUSIC_RELAY_CONFIG_DIR: join(folder, 'file') }), {
    code: 78, err: new RegExp(`^music-relay: MUSIC_RELAY_CONFIG_DIR${unwritable.source}`)
  })
  t.match(await run(['login', 'other'], {}), { code: 2, err: /main, alt/ })
  t.match(await run(['login', '--help'], {}), { code: 0, out: /default is alt, because[\s\S]*--print[\s\S]*Exit codes/ })
  t.equal(demo.received.length, 0)
})

/** Runs the command in this process, on a terminal that a test can read. `onCode` plays the user with the phone. */
async function onTerminal (
  t: Test, channel: Channel, demo: DemoUpstream, onCode: (id: string, count: number) => void,
  options: {
    columns?: number, rows?: number, isTTY?: boolean, TERM?: string, folder?: string, json?: boolean,
    picture?: boolean, cookie?: string, signal?: AbortSignal
  } = {}
): Promise<{ code: number, screen: string, out: string }> {
  const { columns = 120, rows, isTTY = true, TERM = 'xterm', folder = t.testdir({}), json = false, picture = false } =
    options
  const { cookie, signal = new AbortController().signal } = options
  let [screen, out, seen] = ['', '', 0]
  const write = (text: string): void => {
    screen += text
    const ids = demo.login.ids(channel)
    // The code is on the screen, and no poll has been sent yet.
    if (text.includes('Waiting') && ids.length > seen) onCode(ids.at(-1) ?? '', seen = ids.length)
  }
  const code = await login({
    channel, folder, json, picture, cookie, signal, print: false,
    settings: settingsOf({ upstreamOrigin: demo.origin }),
    screen: createScreen({ isTTY, columns, rows, write }, { TERM }),
    out: (text) => { out += text }
  })
  return { code, screen, out }
}

/** The modules of a drawn QR code, without the quiet zone. */
function seen (lines: readonly string[]): boolean[][] {
  const rows = lines.flatMap((line) => {
    const halves = [...stripVTControlCharacters(line)]
    return [halves.map((half) => half === '█' || half === '▀'), halves.map((half) => half === '█' || half === '▄')]
  })
  const last = rows.findLastIndex((row) => row.includes(true))
  return rows.slice(4, last + 1).map((row) => row.slice(4, -4))
}

const drawing = (screen: string): string[] => screen.split('\n')
  .filter((line) => line.includes('48;5;231m')).map((line) => line.slice(line.lastIndexOf('\u001b[38')))

t.test('on a terminal the code of either channel is drawn, and says what the picture says', async (t) => {
  for (const channel of ['main', 'alt'] as const) {
    const demo = await demoFor(t)
    const folder = t.testdir({})
    const { code, screen, out } =
      await onTerminal(t, channel, demo, (id) => { demo.login.confirm(id, 'member') }, { folder })
    t.equal(code, 0, screen)
    const info = await userInfoIn(folder).load()
    t.match(info.renewal, {
      loginType: channel === 'alt' ? 1 : 2, musicId: memberUin, refreshToken: /./
    }, 'the file that is stored is one that is read')
    t.notOk((screen + out).includes(info.renewal?.refreshToken ?? ''))
    const { size, data } = QRCode.create(demo.login.scanUrl(latest(demo, channel))).modules
    t.same(seen(drawing(screen)).flat(), Array.from(data, (module) => module === 1), channel)
    t.equal(seen(drawing(screen)).length, size)
    const height = drawing(screen).length
    for (const rows of [height + 1, height]) {
      const given = await onTerminal(t, channel, demo, (id) => { demo.login.cancel(id) }, { rows })
      // Each code is another text, so few are one size larger or smaller than the first.
      const needed = height + (QRCode.create(demo.login.scanUrl(latest(demo, channel))).modules.size - size) / 2
      const lines = needed < rows ? needed : 0
      t.equal(drawing(given.screen).length, lines, 'drawn only where all of it fits above the state')
      t.equal(/QR code: \/\S+/.test(given.screen), lines === 0, 'else it is a file')
    }
    t.ok(screen.includes('\r\u001b[K'), 'the state is a line that changes')
    t.match(out, /Stored in/)
    t.notMatch(screen + out, 'demoMember0')
  }
})

test('a new code takes the place of the expired one; after three the command gives up', async ({ t, demo }) => {
  const { code, screen, out } = await onTerminal(t, 'main', demo, (id) => { demo.login.expire(id) }, { json: true })
  t.equal(code, 1)
  t.equal(demo.login.ids('main').length, 4)
  t.match(JSON.parse(out), { ok: false, code: 'EXPIRED' })
  const height = drawing(screen).length / 4
  t.match(screen, new RegExp(`\u001b\\[${height + 3}A\u001b\\[J[\\s\\S]*\\(1 of 3\\)`), 'code, address (two lines) and state are taken back')
  t.match(screen, /\(3 of 3\)[\s\S]*Nobody logged in with 4 codes/)
})

t.test('where nothing can be drawn, the picture is a file', async (t) => {
  for (const options of [{ isTTY: false }, { TERM: 'dumb' }, { columns: 40 }, { picture: true }]) {
    const demo = await demoFor(t)
    let file = ''
    const { screen } = await onTerminal(t, 'main', demo, (id) => { demo.login.cancel(id) }, options)
    file = /QR code: (\/\S+)/.exec(screen)?.[1] ?? ''
    t.match(file, /login-1\.png$/, JSON.stringify(options))
    t.same(drawing(screen), [])
    t.match(screen, /cancelled on the phone/)
  }
})

t.test('the alternative channel draws the known text of a picture it cannot read; the main one gives the picture', async (t) => {
  const picture = { body: Buffer.from('ffd8ffe0', 'hex'), headers: { 'content-type': 'image/jpeg' } }
  const demo = await demoFor(t)
  demo.next('/connect/qrcode/', picture)
  const alt = await onTerminal(t, 'alt', demo, (id) => { demo.login.cancel(id) })
  t.same(seen(drawing(alt.screen)), modulesOfText(altScanAddress(latest(demo, 'alt'))))
  t.match(altScanAddress('a=b'), /^https:\/\/\S+\/connect\/confirm\?uuid=a%3Db$/)

  demo.next('/ptqrshow', { ...picture, headers: { ...picture.headers, 'set-cookie': 'qrsig=demoSig' } })
  const main = await onTerminal(t, 'main', demo, (id) => { demo.login.cancel(id) })
  t.match(main.screen, /login-1\.jpeg[\s\S]*\(1 of 3\)/, 'nobody knows that code, so it counts as expired')
  t.equal(drawing(main.screen).length > 0, true, 'the next one is drawn')
})

test('a check that fails is repeated; one that is over is not, and the other channel is named', async ({ t, demo }) => {
  demo.next(poll, { status: 500 }, 2)
  const held = await onTerminal(t, 'alt', demo, (id) => { demo.login.confirm(id, 'member') }, { isTTY: false })
  t.equal(held.code, 0)
  t.match(held.screen, /Problem, trying again: The upstream failed \(HTTP 500\)[\s\S]*Logged in as/)

  demo.reset()
  demo.next(poll, { status: 429, headers: { 'retry-after': '2' } })
  const waited = await onTerminal(t, 'alt', demo, (id) => { demo.login.confirm(id, 'member') }, { isTTY: false })
  t.equal(waited.code, 0, 'the code stays good while the upstream asks to wait')
  t.match(
    waited.screen,
    /Problem, trying again: The upstream asked the relay to wait \(HTTP 429\); try again in 2 s\.[\s\S]*Logged in as/
  )
  t.equal(waited.screen.match(/Problem/g)?.length, 1, 'it waits for that long')

  demo.reset()
  demo.next(poll, { body: '<html>' }, 9)
  const given = await onTerminal(t, 'alt', demo, () => {}, { json: true })
  t.same([given.code, JSON.parse(given.out).code, demo.calls(poll).length], [1, 'UPSTREAM_UNREADABLE', 4])

  demo.next('/ptqrlogin', { status: 403 })
  const refused = await onTerminal(t, 'main', demo, () => {})
  t.equal(refused.code, 1)
  t.match(refused.screen, /HTTP 403[\s\S]*music-relay login alt/)
  demo.next('/ptqrshow', { status: 403 })
  t.match(
    (await onTerminal(t, 'main', demo, () => {})).screen, /The upstream sent no QR code[\s\S]*music-relay login alt/
  )
})

test('a login that cannot be written says so and does not pretend', async ({ t, demo }) => {
  const folder = t.testdir({ 'user-info.json': {} })
  const { code, screen, out } =
    await onTerminal(t, 'alt', demo, (id) => { demo.login.confirm(id, 'member') }, { folder })
  t.equal(code, 1)
  t.match(screen, /user-info\.json cannot be written \(E[A-Z]+\)/)
  t.equal(out, '')
  t.notMatch(screen, memberKey)
})

t.test('a QR code is read out of a picture of any module size, and out of nothing else', async (t) => {
  for (const [text, options] of [
    ['HELLO', { scale: 1, margin: 1 }], ['https://demo.invalid/?k=123456', { scale: 3, margin: 4 }],
    ['x'.repeat(300), { width: 470, margin: 2 }], ['y'.repeat(80), { width: 147, margin: 2 }]
  ] as const) {
    const { size, data } = QRCode.create(text).modules
    const modules = modulesOfPng(await QRCode.toBuffer(text, options))
    t.same(modules?.flat(), Array.from(data, (module) => module === 1), `${size} modules`)
    t.same(seen(draw(modules ?? [])), modules)
    t.equal(drawnWidth(modules ?? []), size + 8)
  }
  const picture = (paint: (x: number, y: number) => number): Buffer => {
    const png = new PNG({ width: 60, height: 60 })
    for (let at = 0; at < 3600; at++) {
      const grey = paint(at % 60, Math.floor(at / 60))
      png.data.set([grey, grey, grey, 255], at * 4)
    }
    return PNG.sync.write(png)
  }
  const huge = PNG.sync.write(new PNG({ width: 1, height: 1 }))
  huge.writeUInt32BE(50_000, 16)
  for (const bytes of [
    picture(() => 255), picture(() => 0), picture((x, y) => (x * y) % 256), huge, Buffer.from('GIF89a'),
    Buffer.alloc(0), (await QRCode.toBuffer('HELLO')).subarray(0, 60)
  ]) {
    t.equal(modulesOfPng(bytes), undefined)
  }
})

t.test('one line that changes stays one line, however narrow the terminal is', async (t) => {
  let text = ''
  const screen = createScreen({ isTTY: true, columns: 20, write: (part) => { text += part } }, {})
  screen.state('a sentence that is longer than the terminal is wide')
  screen.state('short')
  screen.lines(['stays'])
  t.equal(text, '\r\u001b[Ka sentence that is…\r\u001b[Kshort\nstays\n')
  text = ''
  const plain = createScreen({ write: (part) => { text += part } }, {})
  for (const state of ['one', 'one', 'two']) plain.state(state)
  plain.begin()
  t.equal(text, 'one\ntwo\n')
})

const pastedOf = async (
  demo: DemoUpstream, person: 'ordinary' | 'member'
): Promise<{ text: string, key: string, secrets: string[] }> => {
  const {
    musickey: key, str_musicid: uin, openid, access_token, refresh_token, unionid, expired_at, musickeyCreateTime
  } = await loginAs(demo, person === 'member' ? 'alt' : 'main', person)
  const own = person === 'member'
    ? { wxuin: uin, wxopenid: openid, wxrefresh_token: refresh_token, wxunionid: unionid }
    : {
      uin: `o0${uin}`, psrf_qqopenid: openid, psrf_qqaccess_token: access_token, psrf_qqrefresh_token: refresh_token,
      psrf_access_token_expiresAt: expired_at, psrf_musickey_createtime: musickeyCreateTime, psrf_qqunionid: unionid
    }
  const pairs = Object.entries({ nick: '张三', ...own, qm_keyst: key })
  return {
    text: JSON.stringify(pairs.map(([name, value]) => ({ domain: '.y.qq.com', name, value: String(value) }))), key,
    secrets: [key, openid, access_token, refresh_token, unionid]
  }
}

test('--cookie takes the login of a browser: stored, renewable, and never shown', async ({ t, demo }) => {
  for (const person of ['ordinary', 'member'] as const) {
    const { text, key, secrets } = await pastedOf(demo, person)
    const folder = t.testdir({ 'pasted.json': text })
    const { code, out, err } = await commandOf(demo, folder, '--cookie', join(folder, 'pasted.json'), '--as', 'home')
    t.match([code, err], [0, /The relay renews this login[\s\S]*Logged in as o/], person)
    const { cookie, renewal } = JSON.parse(readFileSync(join(folder, 'accounts', 'home.json'), 'utf8'))
    t.match([cookie, renewal], [
      new RegExp(`^uin=o\\d+; provider_key=${key};`), { musicKey: key, openId: String, refreshToken: String }
    ])
    for (const secret of secrets) t.notMatch(out + err, secret)
    const env = { UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder }
    t.match(await run(['accounts', 'renew', 'home'], env), { code: 0 }, 'the demo renews it')
    t.equal(
      demo.keys.of(person).key, JSON.parse(readFileSync(join(folder, 'accounts', 'home.json'), 'utf8')).renewal.musicKey
    )
    t.equal(demo.keys.valid(key), false)
    demo.reset()
  }
})

test('user-info.json takes the same export as it is', async ({ t, demo }) => {
  const { text, key } = await pastedOf(demo, 'ordinary')
  const info = checkUserInfo(`{"cookie":${text}}`, 'user-info.json')
  t.match(info, { cookie: new RegExp(`; qm_keyst=${key}$`), renewal: {
    loginType: 2, musicKey: key, keyCreatedAt: Number, accessTokenExpiresAt: Number, unionId: String
  } })
  t.same(checkUserInfo(JSON.stringify(info), 'user-info.json'), info, 'written and read again it is the same')
  t.same(checkUserInfo('{"cookie":"uin=1; qm_keyst=k; psrf_qqopenid=x"}', 'user-info.json').renewal, undefined, 'a part of the data is none')
})

test('--cookie stores nothing once the user has left', async ({ t, demo }) => {
  const folder = t.testdir({})
  const cookie = cookieOf(demo, 'member')
  t.match(await onTerminal(t, 'alt', demo, () => {}, { folder, cookie, signal: AbortSignal.abort() }), {
    code: 130, screen: /Stopped; nothing was stored\.\n$/, out: ''
  })
  t.same(readdirSync(folder), [])
})

test('--cookie reads a file that PowerShell wrote', async ({ t, demo }) => {
  const folder = t.testdir({ 'cookie.txt': Buffer.from(`\ufeff${cookieOf(demo, 'member')}\r\n`, 'utf16le') })
  t.match(await commandOf(demo, folder, '--cookie', join(folder, 'cookie.txt')), { code: 0 })
})

test('--cookie says what is missing, and that a login has ended; nothing is stored', async ({ t, demo }) => {
  const folder = t.testdir({ 'half.txt': 'Cookie: uin=1', 'dead.txt': cookieOf(demo, 'expired') })
  t.match(await commandOf(demo, folder, '--cookie', join(folder, 'half.txt'), '--json'), {
    code: 1, err: /the cookie has an account but no key: copy qm_keyst/, out: /"code":"NO_LOGIN"/
  })
  t.match(await commandOf(demo, folder, '--cookie', join(folder, 'dead.txt')), { code: 1, err: /it has ended\. Log in again in the browser/ })
  t.match(await commandOf(demo, folder, '--cookie', join(folder, 'none')), { code: 78, err: /none cannot be read \(ENOENT\)/ })
  t.match(await commandOf(demo, folder, '--cookie'), { code: 1, err: /neither account nor key/ }, 'an empty stdin')
  t.same(readdirSync(folder).sort(), ['dead.txt', 'half.txt'])
})
