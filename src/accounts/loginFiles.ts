/**
 * The files of stored logins: one for each account in the folder `accounts`, and `user-info.json` for the account
 * `default`.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { lstat, readdir, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { userInfoFile } from '../../config/user-info.ts'
import { SealedAccount, StoredAccount, accountNamePattern } from '../../schemas/accounts.ts'
import type { UserInfo } from '../../schemas/config.ts'
import { ConfigError, InvalidInput } from '../common/errors.ts'
import { isOutOfFiles } from '../common/fileAccess.ts'
import { leftoversOf, readPrivate, removeLeftovers, writing, type Leftovers } from '../common/privateFile.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import { checkUserInfo, parseObject } from '../relay/settings.ts'
import { sentence } from '../relay/validate.ts'
import { refusalsAt } from './record.ts'

/** A login as a file holds it. Those of the folder also have `secret` and `createdAt`. */
export type StoredLogin = UserInfo & Partial<Pick<StoredAccount, 'secret' | 'createdAt' | 'nickname' | 'keys'>>

/** Whether a login may be what a renewal made of another one. */
type IsRenewalOf = (next: StoredLogin, login: StoredLogin) => boolean

/** The files of all accounts. */
export type LoginFiles = ReturnType<typeof createLoginFiles>

/** The file of one login. */
export type LoginFile = ReturnType<LoginFiles['of']>

const missing: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR'])

/** A login has some kilobytes. Reading anything larger would only cost memory. */
const mostBytes = 256 * 1024
/** The cookie of user-info.json may be the export of a whole browser. */
const mostUserInfoBytes = 4 * 1024 * 1024
const isName = (name: string): boolean => new RegExp(accountNamePattern).test(name)
const nameOf = (file: string): string => basename(file, '.json')

/** Where the files are, and what they depend on. */
export interface LoginFilesOptions {
  /** Folder of the settings. */
  readonly folder: string
  /** The setting `accountsSecret`: encrypts the files of the folder `accounts`. Empty: they are not encrypted. */
  readonly secret: string
  /** The setting `upstreamOrigin`: refusals of other origins do not count. Default: the upstream itself. */
  readonly origin?: string | undefined
}

export function createLoginFiles (
  { folder: settingsFolder, secret: accountsSecret, origin = '' }: LoginFilesOptions
) {
  const folder = join(settingsFolder, 'accounts')
  const check = createCheck()

  /** Returns the file of a login. That of `default` has another shape, and is never encrypted. */
  function fileAt (path: string, name: string, isUserInfo: boolean) {
    const [most, secret] = isUserInfo ? [mostUserInfoBytes, ''] : [mostBytes, accountsSecret]
    const parse = (text: string): StoredLogin =>
      isUserInfo ? checkUserInfo(text, path) : check<StoredAccount>(StoredAccount, unsealed(text, path, name), path)
    const content = async (): Promise<StoredLogin | undefined> => {
      const text = await readOrdinary(path, most)
      return text === undefined ? undefined : parse(text)
    }
    return {
      path,
      /** Returns what a text of this file holds. Throws ConfigError. */
      parse,
      /**
       * Returns all that the file holds; undefined without a file. Throws ConfigError, which names the file and the
       * field, with the file system's error as its cause.
       */
      content,
      /** Returns the login, or undefined if there is none. Throws what `content` throws. */
      read: async () => loginIn(await content()),
      /** Runs `work` as the only writer of the file, in all processes. What it reads stays true until it writes. */
      change: async <T>(work: (write: (login: StoredLogin) => Promise<void>) => Promise<T>) =>
        await writing(path, async (write) => await work(async (login) => {
          await write(sealedIfSecret(login, name, secret))
        })),
      /** Returns the logins that interrupted writes left behind complete. Within `change` no write is under way. */
      async interrupted (): Promise<readonly StoredLogin[]> {
        const found: StoredLogin[] = []
        for (const file of await leftoversOf(path)) {
          try {
            await assertReadable(file, most)
            found.push(refusalsAt(origin, parse(await readPrivate(file) ?? '')))
          } catch {} // incomplete: the write was interrupted
        }
        return found
      },
      /**
       * Encrypts the file if it should be encrypted and is not. Returns whether it did. Throws ConfigError and file
       * system errors.
       */
      seal: async () => secret !== '' && await isPlain(path) && await writing(path, async (write) => {
        if (!await isPlain(path)) return false
        await write(seal(JSON.stringify(parse(await readPrivate(path) ?? '')), name, secret))
        return true
      }),
      /** Removes the file, and what interrupted writes of it left behind. Returns false if there is no file. */
      remove: async () => await removed(path),
      /** Returns a text that changes with the file; undefined without one. */
      stamp: async () => await stampOf(path)
    }
  }

  const userInfo = () => fileAt(join(settingsFolder, userInfoFile), defaultAccount, true)
  const inFolder = (name: string) => fileAt(join(folder, `${name}.json`), name, false)

  /** Returns the login in the content of a file; undefined if there is none. */
  const loginIn = (content: StoredLogin | undefined): StoredLogin | undefined =>
    content?.cookie === undefined ? undefined : refusalsAt(origin, content)

  function unsealed (text: string, path: string, name: string): Record<string, unknown> {
    const value = parseObject(text, path)
    if (!('sealed' in value)) return value
    const sealed = check<SealedAccount>(SealedAccount, value, path)
    if (accountsSecret === '') throw new ConfigError(`${path}: is encrypted, and ACCOUNTS_SECRET is not set. Set it to that of the service.`)
    const plain = unseal(sealed, name, accountsSecret)
    if (plain === undefined) {
      throw new ConfigError(
        `${path}: encrypted with another ACCOUNTS_SECRET, or damaged. Is ACCOUNTS_SECRET that of the service? If that secret is lost, remove the account and log in again: music-relay accounts remove ${name}`
      )
    }
    return parseObject(plain, path)
  }

  return {
    /**
     * Returns the names that have a file, sorted. Without a folder there are none. Throws ConfigError if the folder
     * cannot be read, and those of `isOutOfFiles`.
     */
    async names (): Promise<readonly string[]> {
      const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        if (isOutOfFiles(error)) throw error
        throw new ConfigError(
          error.code === 'ENOTDIR'
            ? `${folder}: is not a folder. Remove the file.`
            : `${folder}: cannot be read (${error.code}). Give the folder and its files to the user of the relay: chown -R.`
        )
      })
      return found.filter((file) => file.endsWith('.json')).map(nameOf).filter((name) =>
        isName(name) && name !== defaultAccount
      ).sort()
    },
    /** Returns the file of an account, which may not exist. Throws InvalidInput for an unusable name. */
    of (name: string) {
      if (name === defaultAccount) return userInfo()
      if (!isName(name)) throw new InvalidInput('account: must be a name of 1 to 32 lower-case letters, digits and hyphens, not beginning with a hyphen.')
      return inFolder(name)
    },
    loginIn,
    /**
     * Removes what interrupted writes left in the folder `accounts`, or left of user-info.json, except what may be the
     * renewal of a login: its key is the only good one.
     */
    removeLeftovers: async (
      of: 'accounts' | 'user-info',
      isRenewalOf: IsRenewalOf
    ): Promise<Leftovers> => of === 'user-info'
      ? await removeLeftovers(settingsFolder, (file) => file === userInfoFile, async (_, text) => {
        const { content, parse } = userInfo()
        // Without user-info.json there is no login that a leftover could renew.
        return !isRenewalOf(parse(text), await content() ?? {})
      })
      : await removeLeftovers(folder, (file) => file.endsWith('.json') && isName(nameOf(file)), async (file, text) => {
        const { read, parse } = inFolder(nameOf(file))
        const login = await read()
        return login !== undefined && !isRenewalOf(parse(text), login)
      })
  }
}

/** Returns what checks the content of files. A schema is compiled with the first file: that takes longer than reading one. */
function createCheck () {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, verbose: true, code: { optimize: false } })
  return <T>(schema: TSchema, value: Record<string, unknown>, path: string): T => {
    const validate = ajv.compile(schema) // Ajv keeps what it has compiled
    if (validate(value)) return value as T
    const error = validate.errors?.[0]
    // The key may be a misplaced secret, so it is not shown.
    throw new ConfigError(`${path}: ${error?.keyword === 'additionalProperties' ? 'it has an unknown key.' : sentence(error)}`)
  }
}

/** Whether it is a readable file that is not encrypted. */
async function isPlain (path: string): Promise<boolean> {
  await assertReadable(path, mostBytes)
  const text = await readPrivate(path)
  return text !== undefined && !('sealed' in parseObject(text, path))
}

/** Throws ConfigError for what is no ordinary file: reading a pipe, for example, would never end. */
async function assertReadable (path: string, most: number): Promise<void> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined) return // reading it says why
  if (facts.isDirectory()) throw new ConfigError(`${path}: is not a file.`, { cause: { code: 'EISDIR' } })
  if (!facts.isFile()) throw new ConfigError(`${path}: is not a file.`)
  if (facts.size > most) throw new ConfigError(`${path}: is too large for a login.`)
}

/** Reads an ordinary file. Returns undefined without one. Throws ConfigError. */
async function readOrdinary (path: string, most: number): Promise<string | undefined> {
  await assertReadable(path, most)
  return await readPrivate(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path}: cannot be read (${cause.code}).`, { cause })
  })
}

/** Says why a file cannot be used. `place`: what is said of the file where the file system is the reason. */
export function unusableInWords ({ message, cause }: Error, place: string): string {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code === undefined ? message : `${place}: cannot be read (${code}).`
}

/** Removes a file, with what interrupted writes of it left behind. Returns whether it was there. */
export async function removed (path: string): Promise<boolean> {
  // They may hold a login that works.
  for (const leftover of await leftoversOf(path)) await unlink(leftover)
  return await unlink(path).then(() => true, (error: NodeJS.ErrnoException) => {
    if (missing.has(error.code)) return false
    throw error
  })
}

/**
 * Returns a text that changes with the file; undefined if there is none. Follows links, as orchestrators make them, and
 * notices their change. A link to nothing counts as a file that is there.
 */
export async function stampOf (path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path).catch(async () => await lstat(path))
    return [ino, size, mtimeMs, ctimeMs].join(' ')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return missing.has(code) ? undefined : code // reading it says why
  }
}

// Encrypts stored accounts with the secret of the operator.

const tagBytes = 16

/** The salt makes the key of each text another one, so that a nonce never counts twice for one key. */
function sealKeyOf (secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'music-relay stored account', 32))
}

/** Encrypts a text for this account. */
export function seal (text: string, name: string, secret: string): SealedAccount {
  const salt = randomBytes(32)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKeyOf(secret, salt), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(name))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return {
    sealed: 1,
    salt: salt.toString('base64url'),
    nonce: nonce.toString('base64url'),
    data: data.toString('base64url')
  }
}

/**
 * Returns what a file gets: the value, encrypted if the operator has set a secret. `name`: of the account, or of what
 * is kept.
 */
export const sealedIfSecret = <T extends object>(value: T, name: string, secret: string): T | SealedAccount =>
  secret === '' ? value : seal(JSON.stringify(value), name, secret)

/** Returns the text, or undefined if another secret, or for another account, encrypted it, or if it was changed. */
export function unseal ({ salt, nonce, data }: SealedAccount, name: string, secret: string): string | undefined {
  const bytes = Buffer.from(data, 'base64url')
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      sealKeyOf(secret, Buffer.from(salt, 'base64url')),
      Buffer.from(nonce, 'base64url'),
      {
        authTagLength: tagBytes
      }
    )
      .setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

// @mutate accounts: accounts renewal settings
