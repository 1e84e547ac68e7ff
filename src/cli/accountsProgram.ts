/** `music-relay accounts` and its commands, with their options and help texts. */
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { accountNamePattern, mostPerMinute } from '../../schemas/accounts.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import { loadSettings } from '../relay/settings.ts'
import type { AccountsTask } from './accountsCommand.ts'
import { existingFolder, variableToSet, warnOn, help, type Surroundings } from './process.ts'

const inJson = 'print the result as one line of JSON'
const misuse = '2 wrong use, 78 bad configuration'

interface Json { readonly json?: true }

export function addAccountsCommand (program: Command, around: Surroundings): void {
  const { ends, leavingSignal } = around
  const accounts = program.command('accounts')
    .description('list the stored accounts, renew or remove them, show their secrets, give keys to apps')
    .addHelpText('after', help(`0 done, 1 failed, ${misuse}`,
      'music-relay accounts',
      'music-relay accounts --json',
      'music-relay accounts key living-room radio --read-only',
      'music-relay accounts <command> --help'))

  accounts.command('list', { isDefault: true })
    .description('list the accounts (the default): nickname, channel, when the login expires and was renewed, state, keys')
    .option('--json', inJson)
    .addHelpText('after', `
No secret is shown. The account ${defaultAccount} is the login of user-info.json, which music-relay login stores.
${help(`0 listed, 1 failed, ${misuse} or a file that cannot be read`, 'music-relay accounts', 'music-relay accounts --json')}`)
    // A mistyped command arrives here as an argument of the default command.
    .allowExcessArguments()
    .action(async ({ json }: Json, command: Command) => {
      if (command.args[0] !== undefined) refuse(command, 'unknown command; music-relay accounts --help lists them.')
      const { listAccounts } = await import('./accountsCommand.ts')
      ends(await listAccounts(await taskOf(around, json)))
    })

  accounts.command('renew')
    .description('renew the login of an account now, due or not')
    .argument('<name>', `name of the account, or ${defaultAccount} for the login of user-info.json`)
    .option('--json', inJson)
    .addHelpText('after', `
A running relay renews its accounts by itself. Both may be used at the same time.
${help(`0 renewed, 1 not renewed, ${misuse}`, 'music-relay accounts renew living-room')}`)
    .action(async (name: string, { json }: Json, command: Command) => {
      const { renewAccount } = await import('./accountsCommand.ts')
      leavingSignal() // An interruption does not end it: the answer holds the only good key.
      ends(await renewAccount(await taskOf(around, json), accountArgument(command, name)))
    })

  accounts.command('remove')
    .description('remove an account with its secret and its keys')
    .argument('<name>', 'name of the account')
    .option('--yes', 'do not ask')
    .option('--json', inJson)
    .addHelpText('after', help(`0 removed, 1 not removed, ${misuse}, 130 interrupted`,
      'music-relay accounts remove living-room',
      'music-relay accounts remove living-room --yes'))
    .action(async (name: string, { yes = false, json }: Json & { yes?: boolean }, command: Command) => {
      ownAccount(command, name, 'To remove it, delete user-info.json in the folder of the settings.')
      if (!yes && around.stdin.isTTY !== true) refuse(command, 'this needs a terminal to ask for confirmation. Or add --yes.')
      const { removeAccount } = await import('./accountsCommand.ts')
      ends(await removeAccount(await taskOf(around, json), name, yes ? undefined : confirmed))
    })

  accounts.command('secret')
    .description('print the secret of an account: anybody with it can act as the account')
    .argument('<name>', 'name of the account')
    .option('--new', 'replace it; the old one stops working')
    .option('--json', inJson)
    .addHelpText('after', help(`0 printed, 1 failed, ${misuse}`,
      'SECRET=$(music-relay accounts secret living-room)',
      'music-relay accounts secret living-room --new'))
    .action(async (name: string, { new: fresh = false, json }: Json & { new?: boolean }, command: Command) => {
      ownAccount(command, name, 'It has no secret: store the login under a name, with music-relay login --as <name>.')
      const { showSecret } = await import('./accountsCommand.ts')
      ends(await showSecret(await taskOf(around, json), name, fresh))
    })

  accounts.command('key')
    .description('add a key to an account, for one app, and print it once')
    .argument('<name>', 'name of the account')
    .argument('<id>', 'name of the key, such as that of the app')
    .option('--read-only', 'the key cannot start or check logins')
    .option('--no-login-endpoints', 'the key cannot start or check logins, or call endpoints that need a login: for an app that only searches and plays')
    .option('--per-minute <number>', 'requests per minute of this key alone')
    .option('--json', inJson)
    .addHelpText('after', help(`0 printed, 1 failed, ${misuse}`,
      'music-relay accounts key living-room radio --read-only',
      'KEY=$(music-relay accounts key living-room display --no-login-endpoints --per-minute 60)'))
    .action(async (
      name: string,
      id: string,
      { readOnly, loginEndpoints, perMinute, json }: Json & {
        readOnly?: true,
        loginEndpoints: boolean,
        perMinute?: string
      },
      command: Command
    ) => {
      ownAccount(command, name, 'It has no keys: store the login under a name, with music-relay login --as <name>.')
      if (perMinute !== undefined && !(/^[1-9]\d{0,6}$/.test(perMinute) && Number(perMinute) <= mostPerMinute)) {
        refuse(command, `--per-minute must be a whole number from 1 to ${mostPerMinute}.`)
      }
      const { addKey } = await import('./accountsCommand.ts')
      ends(await addKey(await taskOf(around, json), name, accountArgument(command, id, 'key'), {
        readOnly,
        noLoginEndpoints: !loginEndpoints,
        perMinute: perMinute === undefined ? undefined : Number(perMinute)
      }))
    })

  accounts.command('sessions')
    .description('list the browsers that are logged in to this relay, or end their sessions')
    .option('--end <id>', 'end the session with this id, or all')
    .option('--json', inJson)
    .addHelpText('after', help(`0 listed or ended, 1 failed, ${misuse}`, 'music-relay accounts sessions', 'music-relay accounts sessions --end all'))
    .action(async ({ end, json }: Json & { end?: string }, command: Command) => {
      if (end !== undefined && !/^(?:all|[0-9a-f]{8})$/.test(end)) {
        refuse(command, '--end must be all, or an id of 8 characters.')
      }
      const { browserSessions } = await import('./accountsCommand.ts')
      ends(await browserSessions(await taskOf(around, json), end))
    })

  accounts.command('revoke')
    .description('revoke a key, which stops working')
    .argument('<name>', 'name of the account')
    .argument('<id>', 'name of the key')
    .option('--json', inJson)
    .addHelpText('after', help(`0 revoked, 1 failed, ${misuse}`, 'music-relay accounts revoke living-room radio'))
    .action(async (name: string, id: string, { json }: Json, command: Command) => {
      ownAccount(command, name, 'It has no keys.')
      const { revokeKey } = await import('./accountsCommand.ts')
      ends(await revokeKey(await taskOf(around, json), name, accountArgument(command, id, 'key')))
    })
}

/** Returns the name. Wrong use if it cannot be one; the message does not repeat it, because it may be a secret. */
export function accountArgument (command: Command, name: string, what = 'account'): string {
  if (!new RegExp(accountNamePattern).test(name)) {
    refuse(command, `the name of the ${what} must have 1 to 32 lower-case letters, digits and hyphens, and not begin with a hyphen.`)
  }
  return name
}

/** Wrong use if it is the account of user-info.json. `instead`: what to do. */
function ownAccount (command: Command, name: string, instead: string): void {
  if (accountArgument(command, name) === defaultAccount) refuse(command, `${defaultAccount} is the login of user-info.json. ${instead}`)
}

function refuse (command: Command, message: string): never {
  return command.error(`error: ${message}`)
}

async function taskOf ({ env, stdout, stderr }: Surroundings, json = false): Promise<AccountsTask> {
  const folder = await existingFolder(env)
  const { createScreen } = await import('./screen.ts')
  return {
    folder, json,
    settings: await loadSettings({ folder, env, warn: warnOn(stderr), warnOfRemoved: false }),
    folderVariable: variableToSet(env, 'CONFIG_DIR'),
    screen: createScreen(stderr, env),
    out: (text) => { stdout.write(text) }
  }
}

/** Asks on the terminal. Anything but yes is no. */
async function confirmed (question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const leaving = new AbortController()
  terminal.once('SIGINT', () => { process.exit(130) }).once('close', () => { leaving.abort() })
  try {
    return /^y(es)?$/i.test((await terminal.question(question, { signal: leaving.signal })).trim())
  } catch {
    return false // the input ended
  } finally {
    terminal.close()
  }
}
