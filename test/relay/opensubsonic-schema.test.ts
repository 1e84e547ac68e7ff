/**
 * Every method of OpenSubsonic against the standard's own document, which is not part of the project: answers with content and
 * failures have the documented fields, and no other ones.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import t from 'tap'
import { methods } from '../../src/players/opensubsonic/methods/index.ts'
import { inputs, knownTo, media, refusing } from '../support/opensubsonicInputs.ts'
import type { MethodName } from '../support/opensubsonicInputs.ts'
import { playerFor, usual } from '../support/opensubsonicPlayer.ts'
import type { Answer, Parameters } from '../support/opensubsonicPlayer.ts'

const file = fileURLToPath(new URL('../../../shared/players/opensubsonic-openapi.json', import.meta.url))
const document = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
const skip = document === undefined ? 'the document of OpenSubsonic is not here' : false
const names = Object.keys(methods) as MethodName[]

/**
 * Closes every object, so that an undocumented field is a failure. `part`: of an object that has more parts elsewhere. A
 * component stays open, because some are parts; references to it are closed instead.
 */
function closed (schema: any, part = false): any {
  if (Array.isArray(schema)) return schema.map((each) => closed(each))
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === 'allOf' ? (value as unknown[]).map((each) => closed(each, true)) : key === 'properties' ? Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, closed(each)])) : closed(value)]))
  const isObject = schema.type === 'object' || schema.allOf !== undefined || schema.$ref !== undefined
  return isObject && !part ? { ...copy, unevaluatedProperties: false } : copy
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

function checkerOf (): (name: string) => ValidateFunction | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': isTime, float: true, binary: true } })
  ajv.addSchema({ $id: 'doc', components: { schemas: Object.fromEntries(Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(schema, true)])) } })
  return (name) => {
    const answer = document.paths[`/rest/${name}`]?.get.responses[200]
    const found = answer?.$ref === undefined ? answer : document.components.responses[answer.$ref.split('/').at(-1)]
    const schema = found?.content?.['application/json']?.schema
    return schema === undefined ? undefined : ajv.compile(closed(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components'))))
  }
}

/** Returns what is wrong with an answer. One alternative of two always fails, so that only the one that fits the status counts. */
function faultsOf (check: ValidateFunction, { type, text, body }: Answer): readonly string[] {
  if (!type.startsWith('application/json')) return [`is ${type}: ${text.slice(0, 100)}`]
  if (check(JSON.parse(text))) return []
  const other = body?.status === 'ok' ? 'SubsonicFailureResponse' : 'SuccessResponse'
  return [...new Set((check.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes(other)).map(({ instancePath, message, params }) => `${instancePath.replaceAll(/\/\d+/g, '/n')} ${message} ${JSON.stringify(params)}`))].slice(0, 8)
}

t.test('every method is one of the document, and has inputs here', { skip }, async (t) => {
  for (const name of names) t.ok(document.paths[`/rest/${name}`], name)
  t.same(Object.keys(inputs).sort(), [...names].sort())
})

t.test('answers with content have the documented fields only', { skip }, async (t) => {
  const player = await playerFor(t)
  const known = await knownTo(player)
  const checkOf = checkerOf()
  for (const name of names.filter((each) => !media.has(each))) {
    const check = checkOf(name)
    if (check === undefined) {
      t.fail(`${name} has no schema`)
      continue
    }
    for (const input of inputs[name](known)) {
      const answer = await player.ask(name, input)
      const what = `${name} ${JSON.stringify(input)}`
      t.equal(answer.status, 200, what)
      t.equal(answer.body?.status, refusing.has(name) ? 'failed' : 'ok', `${what}: ${answer.text.slice(0, 300)}`)
      if (refusing.has(name)) t.equal(answer.body?.error.code, 50, what)
      t.same(faultsOf(check, answer), [], what)
    }
  }
})

t.test('the check is as strict as it says', { skip }, async (t) => {
  const player = await playerFor(t)
  const { libraryAlbum } = await knownTo(player)
  const check = checkerOf()('getAlbum') as ValidateFunction
  const answer = await player.ask('getAlbum', { id: libraryAlbum })
  for (const spoil of [
    (body: any) => { body.more = 1 },
    (body: any) => { body.album.more = 1 },
    (body: any) => { body.album.song[0].more = 1 },
    (body: any) => { body.album.song[0].artists[0].more = 1 },
    (body: any) => { body.album.created = 'yesterday' },
    (body: any) => { delete body.album.song[0].title },
    (body: any) => { body.album.song[0].size = '1' }
  ]) {
    const spoilt = JSON.parse(answer.text)
    spoil(spoilt['subsonic-response'])
    t.ok(faultsOf(check, { ...answer, text: JSON.stringify(spoilt) }).length > 0, spoil.toString())
  }
})

t.test('failures have the documented fields only, whatever the method', { skip }, async (t) => {
  const player = await playerFor(t)
  const known = await knownTo(player)
  const check = checkerOf()('ping') as ValidateFunction
  const failures: readonly (readonly [string, Parameters, number])[] = [['without a password', { p: undefined }, 10], ['without a user', { u: undefined }, 10], ['with two proofs', { apiKey: 'mk_x' }, 43]]
  // A few wrong ones only: the address would be blocked.
  const wrong: readonly MethodName[] = ['ping', 'getAlbum', 'search3', 'stream', 'getCoverArt', 'star', 'getPlayQueue']
  for (const name of names) {
    for (const [what, parameters, code] of [...failures, ...wrong.includes(name) ? [['with a wrong password', { p: 'wrong' }, 40] as const, ['with a wrong token', { p: undefined, t: 'wrong', s: 'salt' }, 40] as const] : []]) {
      const answer = await player.ask(name, { ...inputs[name](known)[0], ...parameters })
      if (name === 'getOpenSubsonicExtensions') {
        t.equal(answer.body.status, 'ok', `${name} ${what}`)
        continue
      }
      t.match(answer.body, { status: 'failed', error: { code } }, `${name} ${what}`)
      t.equal(answer.status >= 400, media.has(name), `${name} ${what}: HTTP ${answer.status}`)
      t.same(faultsOf(check, answer), [], `${name} ${what}`)
    }
  }
})

t.test('what is not there, or no id of the relay, fails with the documented fields', { skip }, async (t) => {
  const player = await playerFor(t)
  const checkOf = checkerOf()
  const check = checkOf('ping') as ValidateFunction
  const byId = names.filter((name) => 'id' in methods[name].input.properties && (methods[name].input as { required?: readonly string[] }).required?.includes('id') === true)
  t.ok(byId.length > 10)
  for (const name of byId) {
    for (const [id, code] of [['al-00NoSuchThing1', 70], ['so-00NoSuchThing1', 70], ['nonsense', 70], ['', undefined], [undefined, 10]] as const) {
      const answer = await player.ask(name, { id })
      const what = `${name} ${id ?? 'without an id'}`
      // The address of a picture is made up without a question, and nobody knows of a song without a lyric whether it exists.
      if (answer.status === 302 || (name === 'getLyricsBySongId' && id?.startsWith('so-') === true)) continue
      t.same(faultsOf(check, answer), [], what)
      t.equal(answer.body?.status, 'failed', what)
      if (code !== undefined) t.equal(answer.body?.error?.code, code, `${what}: ${answer.text.slice(-200)}`)
    }
  }
})

t.test('an unknown method is a failed answer with HTTP 404', { skip }, async (t) => {
  const player = await playerFor(t)
  const check = checkerOf()('ping') as ValidateFunction
  for (const name of ['noSuchMethod', 'getTranscodeDecision', 'search', 'constructor', '__proto__', 'PING']) {
    const answer = await player.ask(name, usual)
    t.equal(answer.status, 404, name)
    t.match(answer.body, { status: 'failed', error: { code: 0 } }, name)
    t.same(faultsOf(check, answer), [], name)
  }
})
