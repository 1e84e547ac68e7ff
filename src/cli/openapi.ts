/** `music-relay openapi --json`. */
import { settingsOf } from '../config.ts'
import { registry } from '../endpoints/index.ts'
import { documentOf } from '../http/docs.ts'

/** The document of a relay with default settings, the same as openapi.yaml. */
export async function openapiJson (): Promise<string> {
  return `${JSON.stringify(await documentOf(registry, settingsOf()), null, 2)}\n`
}
