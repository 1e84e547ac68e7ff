/**
 * What an editor shows on hover over the names of the library, from the language service that editors use. `PACKAGE`
 * names a folder in which the package is installed; otherwise the declarations of `dist` are looked at.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript-api'
import { errorCodes } from '../../schemas/errors.ts'
import { endpoints } from '../support/helper.ts'
import { undocumented } from '../support/undocumented.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { PACKAGE: installed } = process.env
const folder = installed ?? join(root, 'test')
const file = join(folder, 'consumer.ts')
const bare = join(folder, 'bare.ts')
const [library, client] = installed === undefined ? ['../dist/types/src/index.js', '../dist/types/src/library/httpClient.js'] : ['music-relay', 'music-relay/client']

const program = `
import { RelayError, createRelay } from '${library}'
import { createClient } from '${client}'
import type { ErrorCode } from '${library}'

const relay = createRelay({ deadlineMs: 3000, globalCookie: () => undefined })
const remote = createClient('http://localhost:3200', { accessToken: 'token' })
const { parsed } = await relay.getLyric({ songmid: 'a', isFormat: 1 }, { cookie: 'uin=1' })
const start = parsed?.lines[0]?.time
const info = await remote.getSongInfo({ songmid: 'a' })
const track = info.songinfo.data.track_info
const singers = track.singer
const file = await relay.downloadProviderMusic({ songmid: 'a', quality: 'flac' })
const hit = (await relay.getSearchByKey({ key: 'a' })).zhida
function codeOf (error: unknown): ErrorCode | undefined {
  return error instanceof RelayError ? error.code : undefined
}
${Object.keys(endpoints).map((name) => `void relay.${name}\nvoid remote.${name}`).join('\n')}
`

/** Has documentation, but for four names. */
const bareModule = `
/** Documented. */
export interface Rows { list: { inner: number }[] }
/** Documented. */
export const ask = async (options: { first: string }): Promise<Rows> => await Promise.reject(options)
export class Failed extends Error {}
`

function createService (): ts.LanguageService {
  const { config } = ts.readConfigFile(join(root, 'test/tsconfig.json'), ts.sys.readFile) as { config: unknown }
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, join(root, 'test'))
  const texts: Readonly<Record<string, string>> = { [file]: program, [bare]: bareModule }
  const read = (name: string): string | undefined => texts[name] ?? ts.sys.readFile(name)
  return ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noUnusedLocals: false }),
    getScriptFileNames: () => [file, bare],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = read(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name in texts || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories
  })
}

const service = createService()

/** What the editor shows for the first `word` after `before`. */
function hover (before: string, word: string): { signature: string, text: string, tags: string } {
  const start = program.indexOf(before)
  const at = start === -1 ? -1 : program.indexOf(word, start)
  const info = at === -1 ? undefined : service.getQuickInfoAtPosition(file, at)
  if (info === undefined) throw new Error(`The editor shows nothing for ${word} after ${before}`)
  return {
    signature: ts.displayPartsToString(info.displayParts),
    text: ts.displayPartsToString(info.documentation),
    tags: (info.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`).join('\n')
  }
}

t.test('the program of this test compiles', async (t) => {
  t.same(
    service.getSemanticDiagnostics(file).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    []
  )
})

t.test('every exported name has documentation, and every field and option that is reached from it', async (t) => {
  const compiled = service.getProgram() as ts.Program
  t.same(undocumented(compiled, bare).missing.toSorted(), ['Failed', 'Rows.list', 'Rows.list.inner', 'ask(options).first'])
  const { missing, found } = undocumented(compiled, installed === undefined ? join(
    root, 'dist/types/src/index.d.ts'
  ) : join(installed, 'node_modules/music-relay/dist/types/src/index.d.ts'))
  t.same(missing, [])
  t.ok(found > 1000, `${found} names were looked at`)
})

t.test('a function shows what it does, its input, its result, its errors and an example', async (t) => {
  const { signature, text, tags } = hover('relay.getLyric', 'getLyric')
  t.match(signature, 'getLyric(input: GetLyricInput, options?: CallOptions): Promise<Lyric>')
  t.match(text, 'Timestamped lyric of a song, with its translation.')
  t.match(text, 'For a song without lyrics both texts are empty')
  t.match(tags, '@param input.songmid MID of the song')
  t.match(tags, /@param input\.isFormat .* Default: 0\./)
  t.match(tags, '@returns Timestamped lyric of a song.')
  t.match(tags, /@throws .*INVALID_INPUT.*UPSTREAM_TIMEOUT/)
  t.match(tags, "@example await relay.getLyric({ songmid: '00DemoSong0005', isFormat: 1 })")
})

t.test('each endpoint shows its documentation and named types, of a relay and of a client', async (t) => {
  for (const [name, { summary, description, input, record, envelope }] of Object.entries(endpoints)) {
    for (const of of ['relay', 'remote']) {
      const { signature, text, tags } = hover(`void ${of}.${name}\n`, name)
      const named = record.$id === undefined || signature.includes(`Promise<${envelope.delivers === 'audio' ? 'AudioStream' : record.$id}>`)
      const documented = text.includes(`${summary}.`) && text.includes(description) && Object.keys(input.properties)
        .every((key) => tags.includes(`@param input.${key} `)) && tags.includes(`@example await relay.${name}(`)
      // Nothing is left out, and no type is without a name.
      if (!named || !documented || /\.\.\.|\{/.test(signature)) t.fail(`${of}.${name}: ${signature}`)
    }
  }
})

t.test('fields, settings and options show their meaning, their unit, their default and named types', async (t) => {
  for (const [before, word, shown] of [
    ['relay.getLyric', 'songmid', { signature: '(property) songmid: string', text: 'MID of the song' }],
    ['relay.getLyric', 'isFormat', { signature: 'isFormat?: 0 | 1', text: '1 parses the lyric into lines', tags: '@default 0' }],
    ['relay.downloadProviderMusic', 'quality', { signature: 'quality?: Quality', text: '128 (MP3, the default)', tags: "@default '128'" }],
    ['relay.getLyric', 'cookie', { signature: 'CallOptions.cookie?: string', text: 'account' }],
    ['start =', 'time', { signature: 'time?: number', text: 'Start of the line in milliseconds' }],
    ['const info', 'info', { signature: 'const info: SongInfo' }],
    ['const track', 'track_info', { signature: 'track_info: Song', text: 'A song. Missing numbers are 0' }],
    ['const singers', 'singers', { signature: 'const singers: SongSinger[]' }],
    ['const hit', 'hit', { signature: 'const hit: DirectHit | undefined' }],
    ['const file', 'file', { signature: 'const file: Download' }],
    ['createRelay({', 'deadlineMs', { text: /Milliseconds\./, tags: '@default 8000' }],
    ['createRelay({', 'globalCookie', { text: 'global cookie' }],
    ['createClient(', 'accessToken', { text: 'accessToken' }]
  ] as const) t.match(hover(before, word), shown, `${before} ${word}`)
})

t.test('error codes are explained', async (t) => {
  t.match(hover('? error.code', 'code'), { signature: '(property) RelayError.code: ErrorCode', text: 'ErrorCode' })
  const { text } = hover('): ErrorCode', 'ErrorCode')
  for (const [code, { status, meaning }] of Object.entries(errorCodes)) {
    t.match(text, `\`${code}\` (${status}): ${meaning}`)
  }
})
