/** For the tests of stored accounts: an upstream whose keys are renewed and die, and the accounts of a relay in front of it. */
import {
  mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync
} from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { LoginRenewal } from '../../schemas/config.ts'
import { openAccounts, type Accounts, type AccountsOptions, type NewLogin } from '../../src/accounts/accounts.ts'
import { createRuntime } from '../../src/relay/runtime.ts'
import type { Tuning } from './constants.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { listening } from './listening.ts'
import { unhurried } from './unhurried.ts'

/** One account upstream. Only its last key works. */
export interface UpstreamLogin { readonly uin: string, readonly loginType: 1 | 2, key: string, count: number }

/** What a client asked for. */
interface Renewal {
  readonly comm: any
  readonly module: string
  readonly method: string
  readonly param: any
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/**
 * What happens to the next request instead of the usual: a code, fields that replace those of the record, or a function
 * that answers. `cut`: the key is renewed, and the answer breaks off. `lost`: renewed, no byte of it arrives.
 */
type Fate = { readonly code: number } | { readonly record: object } | 'cut' | 'lost' | (
  (answer: ServerResponse, usual: () => void) => void
)

export interface KeyUpstream {
  readonly origin: string
  readonly logins: Map<string, UpstreamLogin>
  readonly requests: Renewal[]
  readonly fates: Fate[]
  /** Logs an account in. */
  login (uin: string, loginType?: 1 | 2): NewLogin
  works (key: string | undefined): boolean
}

const day = 86_400
export const keyLife = 3 * day
/** A secret that must never be seen: part of every key and token. */
export const canary = 'CANARY'

/** Starts it. Every renewal makes a new key and kills the old one at once, as the real one does (2026-11). */
export async function keyUpstream (t: Test, now: () => number): Promise<KeyUpstream> {
  const logins = new Map<string, UpstreamLogin>()
  const requests: Renewal[] = []
  const fates: Fate[] = []

  const recordOf = ({ uin, loginType, key, count }: UpstreamLogin): object => ({
    musickey: key, musickeyCreateTime: Math.floor(now() / 1000), keyExpiresIn: keyLife, str_musicid: uin, loginType,
    openid: '', unionid: '', refresh_token: '', access_token: '', expired_at: 0,
    refresh_key: `${canary}-refresh-key-${count}`, nick: 'x', phoneNo: '1'
  })

  function answer ({ module, method, param }: Renewal, response: ServerResponse): void {
    const send = (req: object): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ code: 0, req }))
    }
    const fate = fates.shift()
    if (typeof fate === 'object' && 'code' in fate) { send({ code: fate.code }); return }
    const login = [...logins.values()].find(({ key }) => key === param.musickey)
    const typed = typeof (login?.loginType === 1 ? param.str_musicid
      : param.musicid) === (login?.loginType === 1 ? 'string' : 'number')
    if (module !== 'music.login.LoginServer' || method !== 'Login') { send({ code: 500_003 }); return }
    if (login === undefined || param.refresh_token !== tokenOf(login.uin)) { send({ code: 1000 }); return }
    if (!typed) { send({ code: 10_006 }); return }
    login.key = keyOf(login.uin, ++login.count, login.loginType)
    const usual = (): void => {
      send({ code: 0, data: { ...recordOf(login), ...typeof fate === 'object' ? fate.record : {} } })
    }
    if (fate === 'lost') response.destroy()
    else if (fate === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"code":0,"req":{"code":0,"data":{"musickey":"')
      setTimeout(() => { response.destroy() }, 20)
    } else if (typeof fate === 'function') fate(response, usual)
    else usual()
  }

  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => { text += part }).on('end', () => {
      const { comm, req } = JSON.parse(text) as { comm: any, req: any }
      const renewal = { comm, ...req, text, headers: request.headers } as Renewal
      requests.push(renewal)
      answer(renewal, response)
    })
  })
  return {
    origin: await listening(t, server),
    logins,
    requests,
    fates,
    login (uin, loginType = 2) {
      const count = (logins.get(uin)?.count ?? 0) + 1
      const key = keyOf(uin, count, loginType)
      logins.set(uin, { uin, loginType, key, count })
      const renewal: LoginRenewal = {
        loginType, musicId: uin, musicKey: key, keyCreatedAt: Math.floor(now() / 1000), keyExpiresIn: keyLife,
        openId: `${canary}-open`, unionId: `${canary}-union`, accessToken: `${canary}-access`,
        accessTokenExpiresAt: 2_000_000_000, refreshToken: tokenOf(uin)
      }
      return { loginUin: `o${uin}`, cookie: `uin=o${uin}; provider_key=${key}; provider_keyst=${key}; providerLoginType=${loginType}; mine=1`, renewal }
    },
    works: (key) => [...logins.values()].some((login) => login.key === key)
  }
}

const tokenOf = (uin: string): string => `${canary}-token-${uin}`
const keyOf = (uin: string, count: number, loginType: 1 | 2): string => `${loginType === 1 ? 'W_X' : 'Q_H_L'}_${canary}_${uin}_${count}`

/** The accounts of one relay, with a clock that tests move. */
export interface Keeper extends Accounts {
  /** Log lines so far. */
  readonly log: string[]
  /** Name and outcome of each attempt to renew. */
  readonly attempts: string[]
}

/** Opens the accounts in `folder`. They do not look by themselves: tests call `tick`. */
export async function keeperFor (
  t: Test, folder: string, upstream: { readonly origin: string },
  more: Partial<AccountsOptions> & { readonly tuning?: Tuning } = {}
): Promise<Keeper> {
  const log: string[] = []
  const attempts: string[] = []
  const note = (...parts: unknown[]): void => {
    log.push(parts.map((part) => typeof part === 'string' ? part : JSON.stringify(part)).join(' '))
  }
  const runtime = createRuntime(resolveOptions({ upstreamOrigin: upstream.origin, ...unhurried, tuning: {
    loginStepDeadlineMs: 30_000, loginDeadlineMs: 30_000, circuitFailures: 1000, circuitSamples: 1000,
    hostFailingParts: 1000
  } }))
  const accounts = await openAccounts({
    folder, secret: '', renew: true, now: Date.now, uptime: uptimeOf(more.now ?? Date.now),
    renewLogin: runtime.upstream.logins.renew, log: { info: note, warn: note, error: note },
    attempted: (name, attempt) => { attempts.push(`${name} ${attempt}`) }, ...more
  })
  t.teardown(async () => {
    await accounts.close()
    await runtime.close()
  })
  return Object.assign(accounts, { log, attempts })
}

/** Opens the accounts in a folder, which are never renewed. */
export const keptAccounts = async (folder: string): Promise<Accounts> => await openAccounts({
  folder, secret: '', renew: false, now: Date.now, log: { info () {}, warn () {}, error () {} },
  renewLogin: async () => { throw new TypeError('nothing is renewed') }
})

/** Time that passes on a clock. Setting it back takes none away. */
function uptimeOf (now: () => number): () => number {
  let [last, passed] = [now(), 0]
  return () => {
    const time = now()
    passed += Math.max(0, time - last)
    last = time
    return passed
  }
}

/** An empty folder, removed after the teardown of everything that begins later. (tap's own goes before any teardown.) */
export function folderFor (t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-'))
  t.teardown(() => { rmSync(folder, { recursive: true, force: true }) })
  return folder
}

/** Path of an account's file. */
export const fileOf = (folder: string, name: string): string =>
  name === 'default' ? join(folder, 'user-info.json') : join(folder, 'accounts', `${name}.json`)

/** What the file of an account holds. */
export const onDisk = (folder: string, name: string): any => JSON.parse(readFileSync(fileOf(folder, name), 'utf8'))

/** Writes the file of an account, as another process or a person would. */
export function put (folder: string, name: string, content: unknown): void {
  mkdirSync(join(folder, 'accounts'), { recursive: true })
  writeFileSync(fileOf(folder, name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
}

export interface Scene {
  readonly folder: string
  readonly upstream: KeyUpstream
  /** Moved by the test alone. Begins with a whole second. */
  readonly clock: { now: number }
  readonly keeper: Keeper
  /** The accounts of another relay with the same folder. */
  another (options?: Parameters<typeof keeperFor>[3]): Promise<Keeper>
  /** Time passes, and a relay looks at its accounts. Default: the first one. */
  after (ms: number, who?: Keeper): Promise<void>
  /** Another process writes the file of an account, or removes it, and the first relay looks. */
  edit (name: string, content?: unknown): Promise<void>
}

/** The accounts of a relay in an empty folder, whose clock stands still. */
export async function sceneFor (t: Test, options: Parameters<typeof keeperFor>[3] = {}): Promise<Scene> {
  const folder = folderFor(t)
  const clock = { now: Math.floor(Date.now() / 1000) * 1000 }
  const upstream = await keyUpstream(t, () => clock.now)
  const another = async (more: typeof options = {}): Promise<Keeper> =>
    await keeperFor(t, folder, upstream, { now: () => clock.now, ...options, ...more })
  const keeper = await another()
  const after = async (ms: number, who = keeper): Promise<void> => {
    clock.now += ms
    await who.tick()
  }
  const edit = async (name: string, content?: unknown): Promise<void> => {
    if (content === undefined) unlinkSync(fileOf(folder, name))
    else put(folder, name, content)
    await keeper.tick()
  }
  return { folder, upstream, clock, keeper, another, after, edit }
}

/** From now on the file of an account can be read and not replaced: the name of what would replace it is too long. Returns the way back. */
export function unwritable (folder: string, name: string): () => void {
  const file = fileOf(folder, name)
  const long = join(folder, `${name}-${'x'.repeat(244 - name.length)}.json`)
  renameSync(file, long)
  symlinkSync(long, file)
  return () => {
    unlinkSync(file)
    renameSync(long, file)
  }
}

/** A folder is in the place of an account's file, so that no file can take it. Returns the way back, after which there is no file. */
export function blocked (folder: string, name: string): () => void {
  const file = fileOf(folder, name)
  unlinkSync(file)
  mkdirSync(file)
  return () => { rmdirSync(file) }
}

/** The next renewals are held. `go` lets all of them on. */
export function holding (upstream: KeyUpstream, count = 1): { readonly held: () => number, go (): void } {
  const going: (() => void)[] = []
  upstream.fates.push(...Array.from({ length: count }, (): Fate => (_answer, usual) => { going.push(usual) }))
  return { held: () => going.length, go () { for (const go of going.splice(0)) go() } }
}

/** The next renewal counts, and before its answer something happens. */
export const before = (upstream: KeyUpstream, happens: () => void): void => {
  upstream.fates.push((_answer, usual) => {
    happens()
    usual()
  })
}
