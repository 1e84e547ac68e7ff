/** Kills of a process that renews a stored account, at named points: before a call of the file system, or while the upstream answers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import type { Test } from 'tap'
import type { Credential } from '../../src/upstream/wire/credentials.ts'
import { folderFor, keeperFor, keyUpstream, onDisk, type Keeper } from './accountsHelper.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A number: before the file system call of that number, of any name. `rename`: after the answer, before the new file
 * takes its name.
 * `unanswered`, `cut`, `answered`: before the answer of the upstream, in its midst, right after it.
 */
export type KillPoint = number | 'rename' | 'unanswered' | 'cut' | 'answered'

/** Renews an account again and again. It kills itself before the call `last`. */
const renewing = (module: string, folder: string, origin: string, last: KillPoint): string => `
  const fs = require('node:fs')
  let calls = 0
  let answered = false
  const count = (name) => { if (++calls === ${JSON.stringify(last)} || (answered && name === ${JSON.stringify(last)})) process.kill(process.pid, 'SIGKILL') }
  for (const [home, names] of [[fs, ['open', 'write', 'fsync', 'close', 'chmod', 'chown', 'rename', 'stat', 'realpath', 'unlink']], [fs.promises, ['open', 'readFile', 'rename', 'unlink', 'mkdir', 'stat', 'lstat', 'readdir']]]) {
    for (const name of names) {
      const own = home[name]
      home[name] = Object.assign((...args) => { count(name); return own(...args) }, own)
    }
  }
  const { openAccounts, createRuntime, resolveOptions } = require(${JSON.stringify(module)})
  const folder = ${JSON.stringify(folder)}
  const runtime = createRuntime(resolveOptions({ upstreamOrigin: ${JSON.stringify(origin)}, upstreamRatePerHost: 0 }))
  const quiet = () => {}
  const renewLogin = async (...args) => {
    const answer = await runtime.upstream.logins.renew(...args)
    answered = true
    return answer
  }
  openAccounts({ folder, secret: '', renew: true, now: Date.now, renewLogin, log: { info: quiet, warn: quiet, error: quiet } }).then(async (accounts) => {
    for (;;) {
      await accounts.renewNow('home')
      accounts.answered('home', accounts.credentialOf('home'))
    }
  })`

/** Kills a process at each of these points in turn, and checks what a relay finds afterwards. Returns how many answers were lost. */
export async function killAt (t: Test, points: readonly KillPoint[]): Promise<number> {
  const folder = folderFor(t)
  const clock = { now: Date.now() }
  const upstream = await keyUpstream(t, () => clock.now)
  const another = async (): Promise<Keeper> => await keeperFor(t, folder, upstream, { now: () => clock.now })
  const keeper = await another()
  await keeper.save('home', upstream.login('10001'))
  await keeper.close()
  const module = join(folder, 'accounts.cjs')
  buildSync({
    stdin: { resolveDir: root, loader: 'ts', contents: `
      export { openAccounts } from './src/accounts/accounts.ts'
      export { createRuntime } from './src/relay/runtime.ts'
      export { resolveOptions } from './src/library/relay.ts'` },
    outfile: module, bundle: true, platform: 'node', format: 'cjs', external: ['iovalkey'], logLevel: 'error',
    define: { 'import.meta.url': JSON.stringify(new URL('../../src/x.ts', import.meta.url).href) }
  })
  const secret = onDisk(folder, 'home').secret as string
  let lost = 0
  for (const point of points) {
    const program = renewing(module, folder, upstream.origin, point)
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = once(child, 'close')
    const renewals = upstream.logins.get('10001')?.count ?? 0
    if (typeof point === 'string' && point !== 'rename') {
      upstream.fates.push((answer, usual) => {
        if (point === 'cut') answer.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 }).write('{"code":0,')
        if (point === 'answered') usual()
        child.kill('SIGKILL')
      })
    }
    t.same(await ended, [null, 'SIGKILL'], `${point}`)
    upstream.fates.length = 0
    if (point === 'rename') {
      t.equal(upstream.logins.get('10001')?.count, renewals + 1, 'the upstream has answered')
      t.notOk(upstream.works(onDisk(folder, 'home').renewal.musicKey), 'and the file has its old content')
    }

    const after = await another()
    t.equal(after.bySecret(secret)?.name, 'home', `${point}: the account is there`)
    const { renewal } = onDisk(folder, 'home')
    if ([renewal.musicKey, renewal.previous?.musicKey].some(upstream.works)) {
      after.ended('home', {
        ...(after.credentialOf('home') as Credential),
        key: upstream.works(renewal.musicKey) ? 'of another' : renewal.musicKey
      })
      t.ok(upstream.works((after.credentialOf('home') as Credential).key), `${point}: calls are answered`)
    } else {
      // The upstream gave up the old key, and the kill was before the answer was on disk. That cannot be saved, but is
      // said.
      lost++
      t.equal(
        Number(renewal.musicKey.split('_').at(-1)), (upstream.logins.get('10001')?.count ?? 0) - 1,
        `${point}: only the last answer is missing`
      )
      clock.now += 11 * 60_000
      await after.renewNow('home')
      t.match(after.get('home'), { state: 'log in again' }, `${point}: it is said`)
      await after.save('home', upstream.login('10001'))
    }
    await after.close()
  }
  const last = await another()
  t.equal(await last.renewNow('home'), 'renewed', 'no lock is left behind that would hold')
  return lost
}
