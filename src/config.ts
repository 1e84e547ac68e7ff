/** Files, then environment, then explicit options: one checked, frozen object. Config files are read-only input. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import type { ErrorObject } from 'ajv'
import type { TObject, TSchema } from '@sinclair/typebox'
import { ServiceConfig, UserInfo } from '../schemas/config.ts'
import { withAccount } from './cookies.ts'
import { sentence, textToValue } from './input.ts'
import { checkOrigin, isLoopbackName } from './provider/origins.ts'

/** A setting is wrong: the start stops. The message names file or variable, key and expectation. */
export class ConfigError extends Error {
  constructor (message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

export type Settings = Readonly<ServiceConfig>

export const serviceConfigFile = 'service-config.json'

/** `upstreamOrigin` → `UPSTREAM_ORIGIN`; undefined for the one key that has no variable. */
export function variableOf (key: string): string | undefined {
  return key === 'cookieParamName' ? undefined : key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/**
 * The settings of a process: `<folder>/service-config.json`, overridden by the environment, overridden by options.
 * A missing file or folder means the defaults. Throws ConfigError.
 */
export async function loadSettings (sources: { folder: string, env: NodeJS.ProcessEnv, options?: Partial<ServiceConfig> }): Promise<Settings> {
  // Every cookie would be open to whoever stands between.
  if (sources.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') throw new ConfigError('environment variable NODE_TLS_REJECT_UNAUTHORIZED: must not be 0; certificates of the upstream are always checked.')
  const file = join(sources.folder, serviceConfigFile)
  const fromFile = await readOptional(file)
  const inFile = checked(ServiceConfig, fromFile === undefined ? {} : parseObject(fromFile, file), () => file)
  const inEnvironment: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(ServiceConfig.properties)) {
    const variable = variableOf(key)
    const text = variable === undefined ? undefined : sources.env[variable]
    if (text !== undefined && text !== '') inEnvironment[key] = environmentValue(text, schema)
  }
  const variable = (key: string): string => `environment variable ${variableOf(key)}`
  const environment = checked(ServiceConfig, inEnvironment, variable)
  const options = checked(ServiceConfig, { ...sources.options }, () => 'options')
  return complete({ ...inFile, ...environment, ...options }, (key) => key in options ? 'options' : key in environment ? variable(key) : file)
}

/** Defaults plus these options, checked and frozen. Reads no file and no environment. Throws ConfigError. */
export function settingsOf (options: Partial<ServiceConfig> = {}): Settings {
  return complete(checked(ServiceConfig, options, () => 'options'), () => 'options')
}

/** Checked values with the defaults around them. `where`: as for `checked`. */
function complete (values: Partial<ServiceConfig>, where: (key: string) => string): Settings {
  const settings = { ...defaultsOf(ServiceConfig), ...values } as ServiceConfig
  for (const key of ['upstreamOrigin', 'imageOrigin'] as const) {
    try {
      if (settings[key] !== '') settings[key] = checkOrigin(settings[key], key)
    } catch (error) {
      throw new ConfigError(`${where(key)}: ${(error as Error).message}`)
    }
  }
  // As a browser writes it, in lower case and without the usual port: in another spelling it would never be met.
  settings.corsOrigins = settings.corsOrigins.map((origin) => URL.canParse(origin) ? new URL(origin).origin : origin)
  return Object.freeze(settings)
}

/** Whether only this machine can reach an address to listen on. */
export function isLoopbackBind ({ host }: Pick<Settings, 'host'>): boolean {
  return isLoopbackName(host)
}

/**
 * Whether an address says who asks. Behind a loopback bind everybody has the same one, unless a proxy is trusted to
 * tell whose request it passes on.
 */
export function tellsClientsApart (settings: Pick<Settings, 'host' | 'trustProxy'>): boolean {
  return !isLoopbackBind(settings) || settings.trustProxy.length > 0
}

/** What answers the relay's questions, for people: the demo of this project, the provider itself, or who stands in its place. */
export type UpstreamKind = 'demo' | 'live' | 'another origin'

/** `demo`: whoever starts the relay has started the demo upstream for it. */
export function upstreamKind ({ upstreamOrigin }: Pick<Settings, 'upstreamOrigin'>, demo: boolean): UpstreamKind {
  if (demo) return 'demo'
  return upstreamOrigin === '' ? 'live' : 'another origin'
}

/** The owner's account must not become everybody's by accident. Throws ConfigError. */
export function refuseOpenGlobalCookie (settings: Settings): void {
  if (settings.useGlobalCookie && !isLoopbackBind(settings) && settings.accessToken === '' && !settings.allowPublicGlobalCookie) {
    throw new ConfigError('useGlobalCookie: on an address that others can reach it needs accessToken, or allowPublicGlobalCookie if everybody may act with that account.')
  }
}

/** For the holder of the global login: the file's text to a checked record. A cookie that names no account gets `loginUin`. */
export function checkUserInfo (text: string, file: string): UserInfo {
  const info = checked(UserInfo, parseObject(text, file), () => file) as UserInfo
  return info.cookie === undefined || info.loginUin === undefined ? info : { ...info, cookie: withAccount(info.cookie, info.loginUin) }
}

/** true/false only, unlike query parameters: a setting is written once and should be read the same by everyone. */
function environmentValue (text: string, schema: TSchema): unknown {
  if (schema['type'] === 'array') return text.split(',').map((part) => part.trim()).filter((part) => part !== '')
  return schema['type'] === 'boolean' ? ({ true: true, false: false } as Record<string, boolean>)[text] ?? text : textToValue(text, schema)
}

/** What was probably meant: keys with the same letters, or with this one as a part. Without such, all. */
function knownKeys (wrong: string, keys: readonly string[]): string {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const sorted = (text: string): string => [...letters(text)].sort().join('')
  const near = keys.filter((key) => sorted(key) === sorted(wrong) || (letters(wrong).length > 3 && letters(key).includes(letters(wrong))))
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Known keys: ${keys.join(', ')}.`
}

/**
 * The values that are given. Throws ConfigError; it begins with `where` the key stands. Only what differs from its default is
 * checked: to compile a check of all settings takes a tenth of a start.
 */
function checked (schema: TObject, values: Readonly<Record<string, unknown>>, where: (key: string) => string): Record<string, unknown> {
  const unknownKey = Object.keys(values).find((key) => !Object.hasOwn(schema.properties, key))
  if (unknownKey !== undefined) {
    // What is too long or too odd for a key may be a cookie that slipped out of its place.
    const shown = /^[\w-]{1,40}$/.test(unknownKey) ? `${unknownKey}: unknown key` : 'it has an unknown key'
    throw new ConfigError(`${where(unknownKey)}: ${shown}. ${knownKeys(unknownKey, Object.keys(schema.properties))}`)
  }
  const own = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([key, { default: usual }]) => Object.hasOwn(own, key) && !isDeepStrictEqual(own[key], usual)))
  if (Object.keys(properties).length > 0) {
    const validate = new Ajv({ strict: false, meta: false, validateSchema: false, verbose: true, formats: { 'ip-network': isNetwork } }).compile({ type: 'object', properties })
    if (!validate(own)) throw refusalOf(validate.errors?.[0], where)
  }
  return own
}

function refusalOf (error: ErrorObject | undefined, where: (key: string) => string): ConfigError {
  return new ConfigError(`${where(error?.instancePath.split('/')[1] ?? '')}: ${sentence(error)}`)
}

function defaultsOf (schema: TObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema.properties).flatMap(([key, { default: usual }]) => usual === undefined ? [] : [[key, structuredClone(usual as unknown)]]))
}

/** An IP address, or a network with the length of its prefix. The network of all addresses trusts everybody: none. */
function isNetwork (text: string): boolean {
  const [address = '', length] = text.split('/', 2)
  const version = isIP(address)
  return version !== 0 && (length === undefined || (Number(length) >= 1 && Number(length) <= (version === 4 ? 32 : 128)))
}

function parseObject (text: string, file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The parser's own message may quote the text, and the text may be a cookie: only where it stopped is told.
    const at = /position (\d+)/.exec((error as Error).message)?.[1]
    const line = at === undefined ? '' : ` (line ${text.slice(0, Number(at)).split('\n').length})`
    throw new ConfigError(`${file}: not valid JSON${line}; it must hold one object. Mend it or remove it.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ConfigError(`${file}: must hold one JSON object.`)
  return value as Record<string, unknown>
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
