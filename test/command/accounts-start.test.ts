/** What a start of the command says about stored accounts, and what the doctor says of their folder. */
import { chmodSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { checkAccounts } from '../../src/cli/accountReports.ts'
import { settingsOf } from '../../src/relay/settings.ts'
import { fileOf, folderFor, keeperFor, keyUpstream } from '../support/accountsHelper.ts'
import { root, runToEnd, start } from '../support/commandProcess.ts'

t.test('the banner of a start names the accounts', async (t) => {
  const folder = folderFor(t)
  const upstream = await keyUpstream(t, Date.now)
  const { renewal: _, ...bare } = upstream.login('20002')
  const keeper = await keeperFor(t, folder, upstream)
  await keeper.save('bare', bare)
  await keeper.save('fine', upstream.login('10001'))
  await keeper.close()
  const relay = await start(t, upstream.origin, { CONFIG_DIR: folder, RENEW_LOGINS: 'false' })
  t.match(relay.said(), /^ {2}accounts +bare \([^)]*, not renewed: music-relay login --as bare\), fine \(/m)
  t.equal(await relay.stop(), 0)
  const other = await start(t, upstream.origin, {})
  t.notMatch(other.said(), / accounts /, 'no account, no line')
  t.equal(await other.stop(), 0)
})

/** Why the test below cannot run here. An administrator may write everywhere, so another user runs the command, who must be able to read it. */
function noOtherUser (): string | false {
  if (process.platform === 'win32') return 'folders have no mode there'
  if (process.getuid?.() !== 0) return false
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return `${folder} is closed to other users`
  }
  return false
}

t.test('a folder in which no renewal can be stored is named at the start and by the doctor', { skip: noOtherUser() }, async (t) => {
  const folder = folderFor(t)
  const upstream = await keyUpstream(t, Date.now)
  const keeper = await keeperFor(t, folder, upstream)
  await keeper.save('home', upstream.login('10001'))
  await keeper.close()
  const accounts = join(folder, 'accounts')
  const uid = process.getuid?.() === 0 ? 65_534 : undefined
  chmodSync(folder, 0o755)
  chmodSync(fileOf(folder, 'home'), 0o644)
  chmodSync(accounts, 0o555)
  t.teardown(() => { chmodSync(accounts, 0o700) })
  const words = `${accounts} cannot be written (EACCES), so a renewed login could not be stored. Give it to the user of the relay: chown -R ${uid ?? process.getuid?.()} ${accounts}`
  const warned = async (env: NodeJS.ProcessEnv, expected = words): Promise<boolean> => {
    const relay = await start(t, upstream.origin, { CONFIG_DIR: folder, ...env }, { uid })
    await relay.says(/chmod 600/) // the last of the warnings of a start
    t.equal(await relay.stop(), 0)
    return relay.said().includes(expected)
  }
  t.equal(await warned({}), true)
  t.equal(await warned({ RENEW_LOGINS: 'false' }), false, 'nothing is to be stored')
  t.equal(await warned({ ACCOUNTS_SECRET: 'a secret of the operator' }, 'account home: its file is not encrypted, and cannot be written (EACCES). Make it writable, then restart the relay.'), true)
  const doctored = await runToEnd(['doctor', '--json'], {
    CONFIG_DIR: folder, UPSTREAM_ORIGIN: 'http://127.0.0.1:1'
  }, uid === undefined ? {} : { uid })
  t.match(JSON.parse(doctored.out), { accounts: [{ account: 'home', state: 'ok', problems: [words, /chmod 600/] }] })
  chmodSync(accounts, 0o700)
  t.match(
    await checkAccounts({ folder }, settingsOf({ upstreamOrigin: upstream.origin }), Date.now()),
    [{ problems: [/^Others/] }]
  )
})
