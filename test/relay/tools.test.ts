/** The tools of `music-relay mcp`, in this process: their descriptions and schemas, and what an agent without a login is told. */
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import t from 'tap'
import { serveTools, tools } from '../../src/mcp.ts'
import { plainSchema } from '../../src/openapi/jsonSchema.ts'
import { demoFor, endpoints, relayFor, song } from '../support/helper.ts'

t.test('an agent without a login is told what to ask a person for', async (t) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { close } = await serveTools({ relay: relayFor(t, await demoFor(t)), input, output, bug: (error) => { t.fail(String(error)) } })
  t.teardown(close)
  const answers = createInterface({ input: output })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object): Promise<any> => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return JSON.parse((await answers.next()).value as string)
  }
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } })
  const { result } = await ask(2, 'tools/call', { name: 'getUserLikedSongs', arguments: {} })
  t.match(JSON.parse(result.content[0].text), { code: 'LOGIN_REQUIRED', error: 'This endpoint needs a login.', hint: /^An account must be set up .*`music-relay login`.*docs\/agents\.md, "An account"/ })
  const play = await ask(3, 'tools/call', { name: 'getMusicPlay', arguments: { songmid: song(2) } })
  const { url, reason, hint } = JSON.parse(play.result.content[0].text)
  t.match([url, reason, hint], [undefined, 'NO_COOKIE', /^Log in to play this song\. .*`music-relay login`/])
  t.notMatch(JSON.stringify([result, play]), /\bcookie\b/i, 'nothing asks for a cookie')
})

t.test('the descriptions of the ten say what the tool does, when to use it and what comes back, and name fields that there are', async (t) => {
  const namesIn = (schema: unknown): string[] => typeof schema !== 'object' || schema === null ? [] : Object.entries(schema).flatMap(([key, inner]) => [...(key === 'properties' ? Object.keys(inner as object) : []), ...namesIn(inner)])
  for (const { name, description, inputSchema } of tools()) {
    t.match(description, /^(Finds|Looks up|Gets|Reads|Lists) .*\bUse it .*\bReturns `/, name)
    const names = new Set([...Object.keys(endpoints), ...namesIn(inputSchema), ...namesIn(plainSchema(endpoints[name]?.record as TSchema)), 'dissid'])
    for (const [, field = ''] of description.matchAll(/`([^`]+)`/g)) for (const part of field.split('.')) t.ok(names.has(part), `${name} has ${field}`)
  }
  t.notMatch(JSON.stringify(tools({ all: true })), /\bcookie\b/i)
})

t.test('the schemas of tools stand by themselves and say what the endpoints say', async (t) => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, formats: { uri: true } })
  for (const { name, inputSchema } of tools({ all: true })) {
    t.notMatch(JSON.stringify(inputSchema), /"x-|"nullable"|"\$id"|"\$ref":"(?!#\/\$defs\/)/, name)
    t.doesNotThrow(() => ajv.compile(inputSchema), name)
    t.same(Object.keys((inputSchema['properties'] ?? {}) as object), Object.keys(endpoints[name]?.input.properties ?? {}), name)
  }
})
