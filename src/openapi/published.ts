/** The shipped openapi.yaml with the facts of this relay: address, cookie parameter, what a caller must send. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import module from 'node:module'
import { Worker } from 'node:worker_threads'
import { RelayError } from '../common/errors.ts'
import type { Settings } from '../relay/settings.ts'

/** How the shipped file says what differs between relays. */
const [server, cookie] = ['url: http://127.0.0.1:3200\n    description: The relay.\n', '?cookie=']

/** Returns the document as YAML. `origin`: where clients reach the relay. */
export async function publishedYaml (
  settings: Pick<Settings, 'cookieParamName' | 'accessToken' | 'fallbackMode'>,
  origin: string
): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve('music-relay/openapi.yaml')), 'utf8')
  for (const part of [server, cookie]) if (!text.includes(part)) throw new Error(`openapi.yaml: has no ${part.trim()}`)
  return text.replace(server, () => `url: ${origin}\n`)
    .replaceAll(cookie, () => `?${settings.cookieParamName}=`)
    .replaceAll(/^( +)security:\n(?:\1 {2}.*\n)+/gm, (block) => securityHere(block, settings))
}

/**
 * Returns the schemes of an operation at this relay. With an access token nothing is public, and a cookie is sent
 * beside it. Without fallback mode a cookie of a request is ignored.
 */
function securityHere (
  block: string,
  { accessToken, fallbackMode }: Pick<Settings, 'accessToken' | 'fallbackMode'>
): string {
  const ofCookie = /^( +)- cookieHeader: \[\]\n/gm
  const readable = fallbackMode ? block : block.replace(ofCookie, '')
  return accessToken === '' ? readable
    : readable.replace(/^ +- \{\}\n/gm, '').replace(ofCookie, '$1- account: []\n$1  cookieHeader: []\n')
}

/**
 * Returns a package that no start needs, and that is not inside the bundled command.
 * @throws {RelayError} ROUTE_NOT_FOUND: it is not installed.
 * @throws {Error} It cannot be loaded at the moment, such as with too many open files. A later call may succeed.
 */
export function packageNamed (name: string): unknown {
  try {
    // `import()` would cache a failure for ever.
    return module.createRequire(import.meta.url)(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new RelayError('ROUTE_NOT_FOUND', `This needs the package ${name.replace('/package.json', '')}, which this installation leaves out (--omit=optional).`)
  }
}

/** What the thread runs. It is a text because the bundled command has no file of its own for it. */
const reading = `const { parentPort, workerData: { from, text } } = require('node:worker_threads')
parentPort.postMessage(require('node:module').createRequire(from)('yaml').parse(text))`

/**
 * Resolves with a YAML text as a value. Rejects with what `packageNamed` throws. A thread reads it: that takes half a
 * second, in which nobody else would get an answer.
 */
export async function parsedYaml (text: string): Promise<object> {
  packageNamed('yaml/package.json')
  const thread = new Worker(reading, { eval: true, workerData: { from: import.meta.url, text } })
  const [value] = await once(thread, 'message') as [object]
  return value
}
