/** `music-relay login`: shows a QR code, polls the state of the scan, and stores or prints the cookie. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountState } from '../../schemas/accountState.ts'
import type { LoginRenewal } from '../../schemas/config.ts'
import type { LoginSession } from '../../schemas/login.ts'
import { RelayError } from '../common/errors.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import { createRuntime, type Runtime } from '../relay/runtime.ts'
import { functionsOf, resolveOptions, createRelay, type RelayFunctions, type RelayOptions } from '../library/relay.ts'
import { renewalIn } from '../upstream/login/renewal.ts'
import { altScanAddress, polling, scanApps, scanPagesOf, type Channel } from '../upstream/login/scan.ts'
import { sessionOf as sessionOfCredential } from '../upstream/login/loginAnswers.ts'
import { knownPairs, lackInWords } from '../upstream/wire/cookies.ts'
import { readCredential } from '../upstream/wire/credentials.ts'
import { refuseUnwritable, Failed, commandPrefix } from './process.ts'
import { draw, drawnWidth, modulesOfPng, modulesOfText, type Screen } from './screen.ts'
import {
  loginFilesOf, notWritten, openAccountsOf, othersText, refuseUnusable, storeLogin, type AccountsPlace,
  type OpenAccounts
} from './storedAccounts.ts'

interface LoginTask extends AccountsPlace {
  readonly channel: Channel
  /** Store the login as this account. Undefined: in the user-info file. */
  readonly as?: string | undefined
  /** A cookie as a person copied it, which is the login. Undefined: a QR code is shown. */
  readonly cookie?: string | undefined
  readonly print: boolean
  readonly json: boolean
  readonly picture: boolean
  readonly screen: Screen
  /** Prints the result. Progress goes to the screen. */
  readonly out: (text: string) => void
  readonly signal: AbortSignal
}

interface Code { readonly img: string, readonly id: string }
type News = { readonly state: 'waiting' | 'scanned' | 'expired' | 'cancelled' } | {
  readonly state: 'done',
  readonly session: LoginSession
}

interface Steps {
  start (relay: RelayFunctions, signal: AbortSignal): Promise<Code>
  check (relay: RelayFunctions, id: string, signal: AbortSignal): Promise<News>
}

const steps: Readonly<Record<Channel, Steps>> = {
  main: {
    async start (relay, signal) {
      const { img, qrsig } = await relay.getMainLoginQr({}, { signal })
      return { img, id: qrsig }
    },
    async check (relay, qrsig, signal) {
      const { session, status } = await relay.checkMainLoginQr({ qrsig }, { signal })
      if (session !== undefined) return { state: 'done', session }
      return { state: status === 'refused' ? 'cancelled' : status ?? 'waiting' }
    }
  },
  alt: {
    async start (relay, signal) {
      const { img, uuid } = await relay.getAltLoginQr({}, { signal })
      return { img, id: uuid }
    },
    async check (relay, uuid, signal) {
      const { session, status } = await relay.checkAltLoginQr({ uuid }, { signal })
      if (session !== undefined) return { state: 'done', session }
      return { state: status === 'confirmed' ? 'waiting' : status }
    }
  }
}

const { mostRefreshes, mostTroubles, transient, pauseMs } = polling
const troublePauseMs = 1000

/** Runs the login. Returns the exit code: 0 logged in, 1 not, 130 interrupted. Throws ConfigError. */
export async function login (task: LoginTask): Promise<number> {
  const { settings, screen, signal } = task
  if (task.as !== undefined) await refuseUnusable(task.as, task)
  else if (!task.print) await refuseUnwritable(task.folder, (wrong) => `${task.folderVariable ?? 'CONFIG_DIR'}: the login could not be stored in ${task.folder} (${wrong}). Set it to a writable folder or use --print.`)
  const runtime = createRuntime(resolveOptions(settings))
  const pictures = createPictures()
  const stored = task.as === undefined ? undefined : await openAccountsOf(task, runtime)
  try {
    const { session, renewal } = task.cookie === undefined
      ? await scanned(task, runtime, pictures)
      : await pasted(task.cookie, task, functionsOf(runtime))
    if (task.as === undefined || stored === undefined) await hand(task, session, renewal)
    else await handAs(task.as, task, session, renewal, stored, runtime)
    return 0
  } catch (error) {
    const reason = signal.aborted ? new Failed('INTERRUPTED', 'Stopped; nothing was stored.') : error
    if (!(reason instanceof Failed) && !(reason instanceof RelayError)) throw reason
    screen.lines([reason.message, ...hints(task.channel, reason)])
    if (task.json) task.out(`${JSON.stringify({ ok: false, code: reason.code, error: reason.message })}\n`)
    return signal.aborted ? 130 : 1
  } finally {
    await stored?.accounts.close()
    await Promise.all([runtime.close(), pictures.remove()])
  }
}

interface Login { readonly session: LoginSession, readonly renewal: LoginRenewal | undefined }

async function scanned (task: LoginTask, runtime: Runtime, pictures: Pictures): Promise<Login> {
  const session = await sessionOf(task, functionsOf(runtime), pictures)
  return { session, renewal: runtime.upstream.logins.renewalOf(session) }
}

/** Returns the login in a cookie, unless the provider says that it has ended. */
async function pasted (text: string, { screen, signal }: LoginTask, relay: RelayFunctions): Promise<Login> {
  const pairs = knownPairs(text)
  const credential = readCredential(pairs)
  if (credential === undefined) throw new Failed('NO_LOGIN', `This is no login: the cookie has ${lackInWords(pairs)}. Nothing was stored.`)
  const session = sessionOfCredential(credential)
  await relay.account({}, { cookie: session.cookie, signal }).catch((error: unknown) => {
    if (!(error instanceof RelayError) || signal.aborted) throw error
    if (error.code === 'COOKIE_REJECTED') {
      throw new Failed('LOGIN_ENDED', 'The provider refuses this login: it has ended. Log in again in the browser, then copy the cookie anew. Nothing was stored.')
    }
    screen.lines([`Whether the login is alive could not be asked: ${error.message}`])
  })
  const renewal = renewalIn(text)
  screen.lines([
    renewal === undefined
      ? 'The cookie lacks the data for renewals: the login ends after about three days.'
      : 'The relay renews this login. The browser from which it comes may then have to log in again.'
  ])
  return { session, renewal }
}

async function sessionOf (task: LoginTask, relay: RelayFunctions, pictures: Pictures): Promise<LoginSession> {
  const { channel, screen, signal } = task
  for (let refreshes = 0; ; refreshes++) {
    if (refreshes === 0) screen.state('Requesting a QR code …')
    const code = await steps[channel].start(relay, signal)
    screen.begin()
    if (refreshes > 0) screen.lines([`The code expired; this is a new one (${refreshes} of ${mostRefreshes}).`])
    await show(task, code, pictures)
    const news = await follow(task, relay, code)
    if (news.state === 'done') return news.session
    if (news.state === 'cancelled') throw new Failed('CANCELLED', 'The login was cancelled on the phone; nothing was stored.')
    if (refreshes === mostRefreshes) {
      throw new Failed(
        'EXPIRED',
        `Nobody logged in with ${mostRefreshes + 1} codes; nothing was stored. Run the command again when the phone is at hand.`
      )
    }
  }
}

async function follow ({ channel, screen, signal }: LoginTask, relay: RelayFunctions, { id }: Code): Promise<News> {
  const { check } = steps[channel]
  const sentences = { waiting: `Waiting: scan the code with ${scanApps[channel]} on the phone.`, scanned: 'Scanned: now confirm the login on the phone.' }
  let now: keyof typeof sentences = 'waiting'
  for (let troubles = 0;;) {
    screen.state(sentences[now])
    try {
      const news = await check(relay, id, signal)
      if (news.state !== 'waiting' && news.state !== 'scanned') return news
      screen.state(sentences[now = news.state])
      troubles = 0
      await pause(pauseMs[channel], undefined, { signal })
    } catch (error) {
      if (
        signal.aborted || !(error instanceof RelayError) || !transient.includes(error.code) || ++troubles > mostTroubles
      ) { throw error }
      screen.state(`Problem, trying again: ${error.message}`)
      await pause(Math.max(troublePauseMs, 1000 * (error.retryAfter ?? 0)), undefined, { signal })
    }
  }
}

async function show (
  { channel, picture, screen, settings }: LoginTask,
  { img, id }: Code,
  pictures: Pictures
): Promise<void> {
  const [, type = 'png', base64 = ''] = /^data:image\/(\w+);base64,(.*)$/.exec(img) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const modules = picture || screen.columns === 0 ? undefined
    : modulesOfPng(bytes) ?? (channel === 'alt' ? modulesOfText(altScanAddress(id)) : undefined)
  const drawing = modules !== undefined && drawnWidth(modules) <= screen.columns ? draw(modules) : undefined
  // The drawing and the state line below it must fit: a code that is cut at the top cannot be scanned.
  if (drawing !== undefined && drawing.length < screen.rows) screen.lines(drawing)
  else screen.lines([`QR code: ${await pictures.write(bytes, type)}`, 'Open that picture and scan it with the phone.'])
  const scanPages = scanPagesOf(settings.upstreamOrigin)
  if (scanPages !== undefined) screen.lines([`Using the demo? Simulate the scan: ${scanPages}/${channel}/${id}`])
}

type Pictures = ReturnType<typeof createPictures>

function createPictures () {
  let folder: string | undefined
  let count = 0
  return {
    /** Writes a picture that only this user can read. Returns its path. */
    async write (bytes: Buffer, type: string): Promise<string> {
      folder ??= await mkdtemp(join(tmpdir(), 'music-relay-'))
      const file = join(folder, `login-${++count}.${type}`)
      await writeFile(file, bytes, { mode: 0o600 })
      return file
    },
    async remove (): Promise<void> {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Prints the cookie of a login, or stores it together with what a renewal of its key will need. */
async function hand (
  task: LoginTask,
  { loginUin, cookie }: LoginSession,
  renewal: LoginRenewal | undefined
): Promise<void> {
  const { print, json, screen, out } = task
  if (print) {
    screen.lines([`Logged in as ${loginUin}. Treat the cookie like a password.`])
    out(json ? `${JSON.stringify({ ok: true, loginUin, cookie })}\n` : `${cookie}\n`)
    return
  }
  const { path: file, change } = loginFilesOf(task).of(defaultAccount)
  try {
    await change(async (write) => { await write({ loginUin, cookie, ...(renewal === undefined ? {} : { renewal }) }) })
  } catch (error) {
    throw new Failed('NOT_STORED', `Logged in as ${loginUin}, but ${notWritten(error, file, ' or use --print')}`)
  }
  screen.lines([`Logged in as ${loginUin}.`])
  out(json
    ? `${JSON.stringify({ ok: true, loginUin, file })}\n`
    : `Stored in ${file}, readable only by you.\n\nNext:\n  ${commandPrefix(task)}USE_GLOBAL_COOKIE=true music-relay\n\nA relay that already runs with this setting uses it within a second.\n`)
}

/** Stores a login as an account, and shows its secret if that is new. */
async function handAs (
  name: string,
  task: LoginTask,
  session: LoginSession,
  renewal: LoginRenewal | undefined,
  stored: OpenAccounts,
  runtime: Runtime
): Promise<void> {
  const { screen, json, out, settings } = task
  const { file, secret, others } = await storeLogin(name, session, renewal, stored, task, runtime)
  screen.lines([`Logged in as ${session.loginUin}.`, ...othersText(others, task)])
  if (json) return out(`${JSON.stringify({ ok: true, loginUin: session.loginUin, file, account: name, ...secret === undefined ? {} : { secret } })}\n`)
  const command = `${commandPrefix(task)}music-relay accounts`
  const use = secret === undefined
    ? `Its secret and its keys stay the same: ${command} secret ${name}\n`
    : `Its secret on this relay, instead of a cookie:\n  ${secret}\n\nSend it with each request, as Authorization: Bearer or as the password of Basic:\n  curl -H "Authorization: Bearer <secret>" http://localhost:${settings.port || 3200}/user/getUserLikedSongs\n\nFor each app, better a key that can be revoked:\n  ${command} key ${name} <app>\n`
  out(`Stored as ${name} in ${file}, ${settings.accountsSecret === '' ? 'readable only by you' : 'encrypted'}.\n\n${use}\nA relay that already runs on this folder uses the login within a second.\n`)
}

/** What to try when a channel refuses logins. */
function hints (channel: Channel, { code }: { readonly code: string }): string[] {
  if (channel === 'main' && ['QR_UNAVAILABLE', 'LOGIN_REFUSED', 'LOGIN_TIMEOUT', 'UPSTREAM_UNREACHABLE'].includes(code)) {
    return ['This channel is refused on some networks. Try the other one: music-relay login alt']
  }
  return []
}

// Whether logins are alive, for the doctor: /account is asked once for each. Nothing is renewed or stored.

/** What the provider says of a login, without the person. */
export type LoginState = Pick<AccountState, 'alive' | 'vip'>

/** Returns what the provider says of the login of a cookie; undefined if it says nothing. */
export type CheckLogin = (cookie: string) => Promise<LoginState | undefined>

/** Logins are asked about one after the other: many at once from one address look like a robot. */
export function createLoginCheck (
  options: RelayOptions,
  signal: AbortSignal
): { readonly check: CheckLogin, readonly close: () => Promise<void> } {
  const relay = createRelay(options)
  let last: Promise<unknown> = Promise.resolve()
  const checkNow = async (cookie: string): Promise<LoginState | undefined> => {
    try {
      const { alive, vip } = await relay.account({}, { cookie, signal })
      return { alive, vip }
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      // For any other failure, the table of calls says why.
      return error.code === 'COOKIE_REJECTED' ? { alive: false, vip: null } : undefined
    }
  }
  return {
    check: async (cookie) => {
      const answer = last.then(async () => await checkNow(cookie))
      last = answer.catch(() => undefined)
      return await answer
    },
    close: relay.close
  }
}

/** Returns the login and its subscription, a word or two for each; "" for what is not known. */
export function loginInWords (state: LoginState | undefined): readonly [login: string, subscription: string] {
  if (state === undefined) return ['', '']
  const { alive, vip } = state
  return [
    alive ? 'alive' : 'ended',
    vip === null ? '' : !vip.member ? 'none' : vip.until === '' ? 'yes' : `until ${vip.until}`
  ]
}
