/** `music-relay openapi --json`. */
import { buildApp } from '../app.ts'

/** The document of a relay with default settings, the same as openapi.yaml. */
export async function openapiJson (): Promise<string> {
  const app = await buildApp({ logLevel: 'silent', docs: true })
  await app.ready()
  const text = JSON.stringify(app.swagger(), null, 2)
  await app.close()
  return `${text}\n`
}
