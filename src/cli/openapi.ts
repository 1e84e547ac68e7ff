/** `music-relay openapi --json`. */
import { documentOf } from '../app.ts'

/** Returns the OpenAPI document of a relay with default settings as JSON; same content as openapi.yaml. */
export async function openapiJson (): Promise<string> {
  return `${JSON.stringify(await documentOf(), null, 2)}\n`
}
