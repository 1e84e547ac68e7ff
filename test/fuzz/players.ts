/** Requests of players (OpenSubsonic): valid, almost valid and hostile ones, and what every answer must be. */
import * as fc from 'fast-check'
import { XMLValidator } from 'fast-xml-parser'
import type { TSchema } from '@sinclair/typebox'
import { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import type { AnyMethod } from '../../src/players/opensubsonic/method.ts'
import type { FuzzRequest } from './requests.ts'
import { links } from './texts.ts'

/** The password of the relay under test. */
export const password = 'of the fuzzer'

const ids = ['so-00DemoSong0001', 'so-00DemoSong0004', 'al-00DemoAlbu0001', 'la-00DemoAlbu0005', 'la-0', 'ar-00DemoSing0001', 'pl-7700000001', 'pl-7700000060', 'pl-7700000321', 'ch-62', 'ch-4', 'li-liked', 'li-daily', 'li-radar', 'al-', 'so-x', 'xx-1', '1', 'ch-99999999999999999999']
const proofs =
  fc.oneof({ weight: 12, arbitrary: fc.constant({ u: 'me', p: password }) }, { weight: 1, arbitrary: fc.record(
    { u: fc.string(), p: fc.string(), t: fc.string(), s: fc.string(), apiKey: fc.string() }, { requiredKeys: [] }
  ) })

/** `anything`: texts that no schema knows. `valid`: values of a schema. */
export function playerRequests (
  anything: fc.Arbitrary<string>, valid: (schema: TSchema) => fc.Arbitrary<unknown>
): fc.Arbitrary<FuzzRequest> {
  const valueOf = (name: string, schema: TSchema): fc.Arbitrary<unknown> => fc.oneof({
    weight: 8, arbitrary: name === 'id' ? fc.constantFrom(...ids)
      : name === 'query' ? fc.oneof(links, valid(schema)) : valid(schema)
  }, { weight: 1, arbitrary: anything })
  const given = fc.oneof(...Object.entries(methods as Readonly<Record<string, AnyMethod>>)
    .map(([name, { input }]) => fc.tuple(fc.constant(name), fc.record(
      Object.fromEntries(Object.entries(input.properties).map(([field, schema]) => [field, valueOf(field, schema)])),
      { requiredKeys: input.required ?? [] }
    ))))
  const frame = fc.record({
    f: fc.constantFrom('json', 'xml', 'jsonp', 'x', ''), callback: fc.oneof(fc.constant('took'), anything)
  })
  return fc.tuple(
    given, proofs, frame, fc.constantFrom('', '.view', '.view', '.View'), fc.boolean(),
    fc.dictionary(anything, anything, { maxKeys: 2 })
  ).map(([[name, values], proof, form, suffix, posted, more]): FuzzRequest => {
    const text = new URLSearchParams(Object.entries({ c: 'fuzz', v: '1.16.1', ...form, ...proof, ...values, ...more })
      .map(([key, value]): [string, string] => [key, String(value)])).toString().slice(0, 8000)
    return posted
      ? { kind: 'player', method: 'POST', target: `/rest/${name}${suffix}`, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: text }
      : { kind: 'player', method: 'GET', target: `/rest/${name}${suffix}?${text}`, headers: {} }
  })
}

/** Returns what is wrong with an answer to a player; undefined if nothing is. */
export function playerProblem (
  { status, text, type }: { readonly status: number, readonly text: string, readonly type: string }
): string | undefined {
  if (status === 302) return undefined
  if (type.startsWith('text/xml')) return XMLValidator.validate(text) === true && text.includes('<subsonic-response ')
    ? undefined
    : `no XML: ${text.slice(0, 200)}`
  const json = type.startsWith('application/javascript') ? /^\/\*\*\/[\w$.]+\((.*)\);$/s.exec(text)?.[1] : text
  try {
    const { 'subsonic-response': { status: outcome, error } } =
      JSON.parse(json ?? '') as { 'subsonic-response': { status: string, error?: { code: number, message: string } } }
    return (outcome === 'ok') === (error === undefined)
      && (error === undefined || (Number.isInteger(error.code) && error.message.length > 5))
      ? undefined
      : `neither ok nor failed: ${text.slice(0, 200)}`
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
}
