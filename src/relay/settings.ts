/**
 * Loads settings from file, environment and options, in ascending priority, as one validated, frozen object. Also
 * checks the file with the global login. Files are only read.
 */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import type { TObject, TSchema } from '@sinclair/typebox'
import { ServiceConfig, UserInfo } from '../../schemas/config.ts'
import { renewalIn } from '../upstream/login/renewal.ts'
import { plainCookie, withAccount } from '../upstream/wire/cookies.ts'
import { ConfigError } from '../common/errors.ts'
import { isReadableByOthers } from '../common/fileAccess.ts'
import { sentence, textToValue } from './validate.ts'
import { egressOf } from '../upstream/http/egress.ts'
import { checkOrigin, isLoopbackName } from '../upstream/http/origins.ts'
import {
  knownKeys, unknownVariables, variableSet, removedSettings, warnOfRemoved, withoutRemoved, type Removed
} from './environment.ts'
import type * as types from '../common/schemaTypes.ts'

/** The settings of a relay: complete, validated and frozen. */
export type Settings = Readonly<types.ServiceConfig>

/** Name of the settings file. */
export const serviceConfigFile = 'service-config.json'

/**
 * Returns the environment variable of a setting without prefix: `upstreamOrigin` → `UPSTREAM_ORIGIN`. `cookieParamName`
 * has none.
 */
export function variableOf (key: string): string | undefined {
  return key === 'cookieParamName' ? undefined : key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

export interface SettingsSources {
  /** Folder of `service-config.json`. If the file or folder is missing, the defaults apply. */
  readonly folder: string
  /** Environment variables, with the prefix `MUSIC_RELAY_` or without. They override the file. */
  readonly env: NodeJS.ProcessEnv
  /** Options. They override file and environment. */
  readonly options?: Partial<types.ServiceConfig>
  /**
   * Called with one line about all removed settings, and with one line for each environment variable that is probably
   * misspelt.
   */
  readonly warn?: (message: string) => void
  /** Whether removed settings are worth a warning. Default: true. */
  readonly warnOfRemoved?: boolean
}

/**
 * Loads the settings of a process and returns them complete, validated and frozen.
 * @throws {ConfigError} A key is unknown, a value is wrong, or the file cannot be read.
 */
export async function loadSettings (
  { folder, env, options: given = {}, warn, warnOfRemoved: tells = true }: SettingsSources
): Promise<Settings> {
  // Without certificate checks, anyone between relay and upstream could read every cookie.
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new ConfigError('environment variable NODE_TLS_REJECT_UNAUTHORIZED: must not be 0; certificates of the upstream are always checked.')
  }
  const file = join(folder, serviceConfigFile)
  const text = await readOptional(file)
  const fromFile = withoutRemoved(text === undefined ? {} : parseObject(text, file))
  if (
    secretKeys.some((key) => String((fromFile.current as Record<string, unknown>)[key] ?? '') !== '')
    && await isReadableByOthers(file)
  ) {
    warn?.(`${file} holds secrets and can be read by others on this machine: chmod 600 it`)
  }
  const fromOptions = withoutRemoved(given)
  const removed = [...fromFile.removed, ...removedVariables(env), ...fromOptions.removed]
  if (tells) warnOfRemoved(removed, warn)
  if (warn !== undefined) {
    unknownVariables(env, variablesOf(ServiceConfig.properties), variablesOf(removedSettings)).forEach(warn)
  }

  const inFile = checked(ServiceConfig, fromFile.current, () => file)
  const inEnvironment: Record<string, unknown> = {}
  const variables: Record<string, string> = {}
  for (const [key, schema] of Object.entries(ServiceConfig.properties)) {
    // An empty text is neither true nor false.
    const variable = variableIn(env, key, (schema as TSchema)['type'] === 'boolean')
    if (variable === undefined) continue
    variables[key] = variable
    inEnvironment[key] = environmentValue(env[variable] as string, schema)
  }
  const variable = (key: string): string => `environment variable ${variables[key]}`
  const environment = checked(ServiceConfig, inEnvironment, variable)
  const options = checked(ServiceConfig, fromOptions.current, () => 'options')
  return complete(
    { ...inFile, ...environment, ...options },
    (key) => key in options ? 'options' : key in environment ? variable(key) : file
  )
}

/** Settings that are secrets or contain one. */
const secretKeys = ['accessToken', 'redisUrl', 'redisSecret', 'accountsSecret', 'subsonicPassword', 'upstreamProxy'] as const

function variablesOf (settings: object): string[] {
  return Object.keys(settings).flatMap((key) => variableOf(key) ?? [])
}

/** The variable that sets this key, or undefined. */
function variableIn (env: NodeJS.ProcessEnv, key: string, emptyCounts = false): string | undefined {
  const name = variableOf(key)
  return name === undefined ? undefined : variableSet(env, name, emptyCounts)
}

function removedVariables (env: NodeJS.ProcessEnv): Removed[] {
  return Object.entries(removedSettings).flatMap(([key, reason]) => {
    const name = variableIn(env, key)
    return name === undefined ? [] : [{ name, reason }]
  })
}

/**
 * Returns the defaults plus these options, validated and frozen. Reads no file and no environment. Throws ConfigError.
 */
export function settingsOf (options: Partial<ServiceConfig> = {}): Settings {
  return complete(checked(ServiceConfig, options, () => 'options'), () => 'options')
}

/** Adds the defaults to checked values, and normalizes origins. `where`: see `checked`. */
function complete (values: Partial<ServiceConfig>, where: (key: string) => string): Settings {
  const settings = { ...defaultsOf(ServiceConfig), ...values } as ServiceConfig
  const located = <T>(key: string, read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw new ConfigError(`${where(key)}: ${(error as Error).message}`)
    }
  }
  for (const key of ['upstreamOrigin', 'imageOrigin'] as const) {
    if (settings[key] !== '') {
      settings[key] = located(key, () => checkOrigin(settings[key], key))
    }
  }
  located('upstreamProxy', () => egressOf(settings.upstreamProxy, settings.upstreamOrigin || undefined))
  if (settings.publicOrigin !== '') {
    if (!URL.canParse(settings.publicOrigin)) {
      throw new ConfigError(
        `${where('publicOrigin')}: publicOrigin: must be an address such as https://music.example or https://music.example/relay.`
      )
    }
    const { origin, pathname } = new URL(settings.publicOrigin)
    settings.publicOrigin = `${origin}${pathname.replace(/\/$/, '')}`
  }
  // Origins are compared with what browsers send: lower case, without the default port.
  settings.corsOrigins = settings.corsOrigins.map((origin) => URL.canParse(origin) ? new URL(origin).origin : origin)
  return Object.freeze(settings)
}

/** Whether the relay listens on an address that only this machine can reach. */
export function isLoopbackBind ({ host }: Pick<Settings, 'host'>): boolean {
  return isLoopbackName(host)
}

/**
 * Whether the relay listens on all addresses of the machine. Its bind address is then not one that others could use.
 */
export function isWildcardBind ({ host }: Pick<Settings, 'host'>): boolean {
  return host === '0.0.0.0' || host === '::'
}

/**
 * Whether clients have different addresses. On a loopback address all clients have the same one, unless a trusted proxy
 * sends the original address.
 */
export function tellsClientsApart (settings: Pick<Settings, 'host' | 'trustProxy'>): boolean {
  return !isLoopbackBind(settings) || settings.trustProxy.length > 0
}

/** Target of the relay's requests, for people: the demo upstream, the provider itself, or another origin. */
export type UpstreamKind = 'demo' | 'live' | 'another origin'

/** Returns the kind of the upstream. `demo`: the demo upstream was started together with the relay. */
export function upstreamKind ({ upstreamOrigin }: Pick<Settings, 'upstreamOrigin'>, demo: boolean): UpstreamKind {
  if (demo) return 'demo'
  return upstreamOrigin === '' ? 'live' : 'another origin'
}

/**
 * Parses and validates the file with the global login. Its cookie may be an export as it is, and is returned as
 * `name=value` pairs, with what it holds for a renewal beside them; one without an account gets `loginUin`. Throws
 * ConfigError.
 */
export function checkUserInfo (text: string, file: string): UserInfo {
  const given = parseObject(text, file)
  const { cookie: pasted } = given
  const info = checked(
    UserInfo,
    typeof pasted === 'object' && pasted !== null ? { ...given, cookie: JSON.stringify(pasted) } : given,
    () => file
  ) as UserInfo
  if (info.cookie === undefined) return info
  const cookie = plainCookie(info.cookie) || info.cookie // what holds nothing of a login is there to be complained of
  const renewal = renewalIn(info.cookie)
  return {
    ...info,
    cookie: info.loginUin === undefined ? cookie : withAccount(cookie, info.loginUin),
    // That of the file may belong to the cookie that was there before.
    ...renewal === undefined || renewal.musicKey === info.renewal?.musicKey ? {} : { renewal }
  }
}

/**
 * Converts a variable to the type of its setting. Unlike in queries, booleans are only true or false, so that a setting
 * has one spelling.
 */
function environmentValue (text: string, schema: TSchema): unknown {
  if (schema['type'] === 'array') return text.split(',').map((part) => part.trim()).filter((part) => part !== '')
  return schema['type'] === 'boolean' ? ({ true: true, false: false } as Record<string, boolean>)[text] ?? text
    : textToValue(text, schema)
}

/**
 * Returns the given values, validated. Throws a ConfigError whose message begins with `where(key)`, the source of the
 * key. Only values that differ from their default are checked, because compiling a check of all settings takes a tenth
 * of a start.
 */
function checked (
  schema: TObject,
  values: Readonly<Record<string, unknown>>,
  where: (key: string) => string
): Record<string, unknown> {
  const unknownKey = Object.keys(values).find((key) => !Object.hasOwn(schema.properties, key))
  if (unknownKey !== undefined) {
    // A key that is too long or has odd characters may be a misplaced cookie, so it is not shown.
    const shown = /^[\w-]{1,40}$/.test(unknownKey) ? `${unknownKey}: unknown key` : 'it has an unknown key'
    throw new ConfigError(`${where(unknownKey)}: ${shown}. ${knownKeys(unknownKey, Object.keys(schema.properties))}`)
  }
  const own = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const properties =
    Object.fromEntries(Object.entries(schema.properties).filter(([key, { default: usual }]) =>
      Object.hasOwn(own, key) && !isDeepStrictEqual(own[key], usual)
    ))
  if (Object.keys(properties).length > 0) {
    const ajv = new Ajv({
      strict: false,
      meta: false,
      validateSchema: false,
      verbose: true,
      code: { optimize: false },
      formats: { 'ip-network': isNetwork }
    })
    const validate = ajv.compile({ type: 'object', properties })
    if (!validate(own)) {
      const [error] = validate.errors ?? []
      throw new ConfigError(`${where(error?.instancePath.split('/')[1] ?? '')}: ${sentence(error)}`)
    }
  }
  return own
}

function defaultsOf (schema: TObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema.properties).flatMap(([key, { default: usual }]) =>
    usual === undefined ? [] : [[key, structuredClone(usual as unknown)]]
  ))
}

/**
 * Whether the text is an IP address, or a network with a prefix length. Length 0 is refused: it would trust every
 * address.
 */
function isNetwork (text: string): boolean {
  const [address = '', length] = text.split('/', 2)
  const version = isIP(address)
  return version !== 0
    && (length === undefined || (Number(length) >= 1 && Number(length) <= (version === 4 ? 32 : 128)))
}

/**
 * Parses a file with one JSON object, with or without a byte order mark. Throws ConfigError, which never quotes the
 * text.
 */
export function parseObject (text: string, file: string): Record<string, unknown> {
  const json = text.replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    const mistake = mistakeIn(json)
    if (mistake !== undefined) throw new ConfigError(`${file}: ${mistake}`)
    // The parser's message may quote the text, which may be a cookie. Only the line number is shown.
    const at = /position (\d+)/.exec((error as Error).message)?.[1]
    const line = at === undefined ? '' : ` (line ${lineAt(json, Number(at))})`
    throw new ConfigError(`${file}: not valid JSON${line}; it must hold one object. Fix or remove it.`)
  }
  if (
    typeof value !== 'object' || value === null || Array.isArray(value)
  ) { throw new ConfigError(`${file}: must hold one JSON object.`) }
  return value as Record<string, unknown>
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length

/**
 * Returns what is wrong with a text that is not JSON, if it is a common mistake: what editors write, and what JSON does
 * not have.
 */
function mistakeIn (text: string): string | undefined {
  // Read as UTF-8, every second character of UTF-16 is a zero.
  if (text.includes('\0')) return 'is UTF-16 text. Save it as UTF-8, for example with "Save as" of the editor.'
  const plain = text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, (string) => '"'.repeat(string.length))
  const comment = /\/\/|\/\*|^[ \t]*#/m.exec(plain)
  if (comment !== null) return `has a comment (line ${lineAt(plain, comment.index)}), which JSON does not have. Remove it.`
  const comma = /,\s{0,999}[}\]]/.exec(plain)
  if (comma !== null) return `has a comma after the last value (line ${lineAt(plain, comma.index)}). Remove the comma.`
  const quote = /[“”‘’]|'[^'\n]{0,999}'\s{0,9}:/.exec(plain)
  return quote === null ? undefined : `has other quotes than " (line ${lineAt(plain, quote.index)}). Replace them.`
}

async function readOptional (file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ConfigError(`${file}: cannot be read (${code}).`)
  }
}
