/** The standard's own document of OpenSubsonic, which is not part of the project: answers have the documented fields, and no others. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Answer } from './opensubsonicPlayer.ts'

const file = fileURLToPath(new URL('../../../shared/players/opensubsonic-openapi.json', import.meta.url))
export const document = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined

/**
 * Closes every object, so that an undocumented field is a failure. `part`: of an object that has more parts elsewhere.
 * A component stays open, because some are parts; references to it are closed instead.
 */
function closed (schema: any, part = false): any {
  if (Array.isArray(schema)) return schema.map((each) => closed(each))
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = (key: string, value: any): unknown => {
    if (key === 'allOf') return value.map((each: unknown) => closed(each, true))
    return key === 'properties' ? mapped(value, (_, each) => closed(each)) : closed(value)
  }
  const isObject = schema.type === 'object' || schema.allOf !== undefined || schema.$ref !== undefined
  return { ...mapped(schema, inner), ...isObject && !part ? { unevaluatedProperties: false } : {} }
}

const mapped = (object: object, change: (key: string, value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]))

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

/** Returns what says of an answer of a method what is wrong with it; without the document, nothing is. */
export function checkerOf (): (name: string, answer: Answer) => readonly string[] {
  if (document === undefined) return () => []
  const ajv =
    new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': isTime, float: true, binary: true } })
  ajv.addSchema({
    $id: 'doc', components: { schemas: mapped(document.components.schemas, (_, schema) => closed(schema, true)) }
  })
  const checks = new Map<string, ValidateFunction>()
  const checkOf = (name: string): ValidateFunction => {
    const answer = document.paths[`/rest/${name}`].get.responses[200]
    const found = answer.$ref === undefined ? answer : document.components.responses[answer.$ref.split('/').at(-1)]
    const schema = JSON.stringify(found.content['application/json'].schema).replaceAll('"#/components', '"doc#/components')
    // Those of the methods without content are the same.
    const check = checks.get(schema) ?? ajv.compile(closed(JSON.parse(schema)))
    checks.set(schema, check)
    return check
  }
  return (name, { type, text, status }) => {
    if (!type.startsWith('application/json')) return [`is ${type}: ${text.slice(0, 100)}`]
    const check = checks.get(name) ?? checkOf(name)
    checks.set(name, check)
    if (check(JSON.parse(text))) return []
    // One alternative of two always fails: only the one that fits the status counts.
    const other = status === 'ok' ? 'SubsonicFailureResponse' : 'SuccessResponse'
    return [...new Set((check.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes(other)).map((
      { instancePath, message, params }
    ) => `${instancePath.replaceAll(/\/\d+/g, '/n')} ${message} ${JSON.stringify(params)}`))].slice(0, 8)
  }
}
