/** Finds the paths that an app asks a relay for: in lines of access logs, and in source code. A query is never part of a path. */

/** Maximum length of a line, and of a path, in characters. The rest is ignored. */
const longestLine = 64 * 1024
const longestPath = 300

/** Splits a stream into lines. Holds one line at most, cut at `longestLine`. */
export async function * linesOf (stream: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of stream) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n')
    for (const [at, part] of parts.entries()) {
      if (at > 0) {
        yield line
        line = ''
      }
      line += part.slice(0, longestLine - line.length)
    }
  }
  if (line !== '') yield line
}

/** Returns a path without query, host and characters that a terminal acts upon; undefined if the text is none. */
function pathIn (text: string): string | undefined {
  const [, path] = /^(?:https?:\/\/[^/\s]+)?(\/[^\s?#]*)/.exec(text) ?? []
  return path?.slice(0, longestPath).replaceAll(/[^\x21-\x7e]/g, '?')
}

/** A method and what follows it: as `%r` of a log in common or combined format, or as loggers of frameworks print it. */
const requestLine = /\b(GET|POST|HEAD|PUT|PATCH|DELETE|OPTIONS) ((?:https?:\/\/|\/)\S*)/

function requested (text: string): string | undefined {
  const [, method, target] = requestLine.exec(text) ?? []
  return method === 'OPTIONS' ? undefined : pathIn(target ?? text)
}

/** Keys under which loggers write what was requested. */
const keys = ['request_uri', 'requestUri', 'requestUrl', 'originalUrl', 'original', 'url', 'uri', 'path', 'request', 'route']

function inRecord (value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 3) return undefined
  const record = value as Record<string, unknown>
  if (record['method'] === 'OPTIONS') return undefined
  for (const key of keys) {
    const text = record[key]
    const path = typeof text === 'string' ? requested(text) : undefined
    if (path !== undefined) return path
  }
  for (const inner of Object.values(record)) {
    const path = inRecord(inner, depth + 1)
    if (path !== undefined) return path
  }
  const text = record['msg'] ?? record['message']
  return typeof text === 'string' && requestLine.test(text) ? requested(text) : undefined
}

/** Returns the path of a request in a line of a log: common or combined format, JSON, or what frameworks print. A preflight is none. */
export function pathOfLogLine (line: string): string | undefined {
  if (!line.startsWith('{')) return requestLine.test(line) ? requested(line) : undefined
  try {
    return inRecord(JSON.parse(line), 0)
  } catch {
    return undefined
  }
}

/**
 * What may stand before the path of a request in source code: a quote, the end of an inserted value, or a host. Or the path begins
 * without a slash, after a base address that ends with one.
 */
const paths = /(?<=["'`})]|\$\w{1,40}|:\/\/[\w.:-]{1,200})\/[A-Za-z]\w*(?:\/[^\s"'`?#&,;<>\\]*)?|(?<=["'`])(?:user\/)?(?:get|batchGet|check|download)[A-Z]\w*(?=[?/])(?:\/[^\s"'`?#&,;<>\\]*)?/g

/** Returns the paths in source code, with the number of their line. An inserted value is the segment `x`. */
export function pathsInSource (text: string): { readonly path: string, readonly line: number }[] {
  return text.split('\n').flatMap((content, at) => [...content.slice(0, longestLine).matchAll(paths)].map(([found]) => {
    const path = found.slice(0, longestPath).replace(/\/$/, '/x').replaceAll(/\/[^/]*[${}():*+|[\]][^/]*/g, '/x').replaceAll(/[^\x21-\x7e]/g, '?')
    return { path: path.startsWith('/') ? path : `/${path}`, line: at + 1 }
  }))
}
