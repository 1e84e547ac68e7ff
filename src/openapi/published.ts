/** The shipped openapi.yaml, with the facts of this relay in it: its address, and the name of its cookie parameter. */
import { readFile } from 'node:fs/promises'
import module from 'node:module'
import type { Settings } from '../core/config.ts'

/** How the shipped file says what differs between relays. */
const [server, cookie] = ['url: http://127.0.0.1:3200\n    description: The relay.\n', '?cookie=,']

/** Returns the document as YAML. `origin`: where clients reach the relay. */
export async function publishedYaml ({ cookieParamName }: Pick<Settings, 'cookieParamName'>, origin: string): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve('music-relay/openapi.yaml')), 'utf8')
  for (const part of [server, cookie]) if (!text.includes(part)) throw new Error(`openapi.yaml: has no ${part.trim()}`)
  return text.replace(server, () => `url: ${origin}\n`).replace(cookie, () => `?${cookieParamName}=,`)
}

/**
 * Returns a YAML text as a value. Loads its reader, which no start needs.
 * @throws {Error} The package cannot be loaded at the moment, such as with too many open files. A later call may succeed.
 */
export function parsedYaml (text: string): object {
  // `import()` would cache a failure for ever.
  const { parse } = module.createRequire(import.meta.url)('yaml') as typeof import('yaml')
  return parse(text) as object
}
