/** Every operation of openapi.yaml with the input of its example. What leads to a file is tried with players and browsers. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export const documentFile = new URL('../../openapi.yaml', import.meta.url)

/** `{ id, tag, method, path, query, parts, body, bodyType, login }`: `parts` are the path parameters; GET has no body. */
export function operations () {
  const { paths, components } = parse(readFileSync(documentFile, 'utf8'))
  return Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).filter(([, { responses }]) =>
    responses['302'] === undefined).map(([method, operation]) => {
    const given = (place) => Object.fromEntries((operation.parameters ?? []).filter((each) => each.in === place)
      .map(({ name, example, schema }) => [name, example ?? schema.example]).filter(([, value]) => value !== undefined))
    const content = operation.requestBody?.content['application/json']
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      query: given('query'),
      parts: given('path'),
      body: content?.example,
      bodyType: content?.schema.$ref.split('/').at(-1),
      tag: operation.tags[0],
      login: components.responses[operation.responses['401'].$ref.split('/')
        .at(-1)].description.includes('`LOGIN_REQUIRED`')
    }
  }))
}

/** The headers that the document's schemes ask for: `secrets` has the values of each by its name. */
export function headersOf (secrets) {
  const { components: { securitySchemes } } = parse(readFileSync(documentFile, 'utf8'))
  return Object.fromEntries(Object.entries(securitySchemes).map(([name, { type, in: place, name: header }]) => {
    if (type === 'http') return ['authorization', `Bearer ${secrets[name]}`]
    if (place !== 'header') throw new Error(`${name} is in no header`)
    return [header, secrets[name]]
  }))
}

/** The request of an operation for `fetch`: `[path with query, init]`. */
export function requestOf ({ method, path, query, parts, body }) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parts[name]))
  const search = new URLSearchParams(query).toString()
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return [search === '' ? filled : `${filled}?${search}`, { method, ...init }]
}
