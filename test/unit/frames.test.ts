/** How deep a question is: the relay's own functions between the handler of a route and the HTTP client. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { demoFor, serverFor } from '../support/helper.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const maps = new Map<string, SourceMap>()

/** Returns the place in the sources of a place in a bundle. */
function sourceOf (file: string, line: number, column: number): string {
  let map = maps.get(file)
  if (map === undefined) maps.set(file, map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))))
  const { originalSource, originalLine } =
    map.findEntry(line - 1, column - 1) as { originalSource?: string, originalLine: number }
  return originalSource === undefined ? '' : `${relative(root, resolve(dirname(file), originalSource))}:${originalLine + 1}`
}

/** Returns the functions that lead to this moment, from the inside out, as `file:line name`. */
function stack (): string[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Infinity
  const { stack: text = '' } = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  return [...text.matchAll(/^ +at (?:(.*?) \()?(?:file:\/\/)?(\/.*\.js):(\d+):(\d+)\)?$/gm)]
    .map(([, name = '', file = '', line, column]) => `${sourceOf(file, Number(line), Number(column))} ${name}`)
}

for (const [kind, settings] of Object.entries({
  'that is not in the cache': { cache: true }, 'of a relay without a cache': { cache: false }
})) {
  t.test(`a question ${kind} passes nine functions of the relay at most, in one piece; those of an endpoint are one`, async (t) => {
    const demo = await demoFor(t)
    const { get } = await serverFor(t, demo, settings)
    for (const path of ['/getHotkey', '/getRanks?topId=62', '/getSongLists', '/getRecommend', '/getRadioLists']) {
      let frames: string[] = []
      // The client tells of each request when it is made, in the call that makes it.
      const note = ({ request }: any): void => { if (request.origin === demo.origin) frames = stack() }
      subscribe('undici:request:create', note)
      t.equal((await get(path)).status, 200)
      unsubscribe('undici:request:create', note)
      const own = frames.filter((frame, at) =>
        frame.startsWith('src/')
          && !(frame.startsWith('src/endpoints/') && frames[at + 1]?.startsWith('src/endpoints/')))
      const handler = own.findIndex((frame) => frame.startsWith('src/edge/'))
      const passed = own.slice(0, handler + 1).reverse()
      t.comment(`${path}, ${passed.length}:\n${passed.join('\n')}`)
      t.ok(handler >= 5 && passed.length <= 9, `${path}: ${passed.length}\n${passed.join('\n')}`)
    }
  })
}
