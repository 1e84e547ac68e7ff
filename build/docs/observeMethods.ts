/** Which endpoints each method of OpenSubsonic calls: each runs on the demo, with an input for each of its branches. */
import type { CacheClass } from '../../src/cache/policy.ts'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import { execute } from '../../src/relay/run.ts'
import { resolveIdentity } from '../../src/relay/identity.ts'
import { createRuntime } from '../../src/relay/runtime.ts'
import { startDemoUpstream } from '../../src/demo/upstream.ts'
import { registry } from '../../src/endpoints/index.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import type { Call } from '../../src/players/call.ts'
import { newAlbumsName } from '../../src/players/opensubsonic/albums.ts'
import { createLibraries } from '../../src/players/opensubsonic/library.ts'
import type { AnyMethod, MediaContext } from '../../src/players/opensubsonic/method.ts'
import { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import { createRecords } from '../../src/players/opensubsonic/shelf.ts'
import { recommendations } from '../../src/players/opensubsonic/songs.ts'

type Inputs = readonly Readonly<Record<string, string>>[]

const [song, album, liked, singer, playlist, chart] = [
  'so-00DemoSong0001',
  'al-00DemoAlbu0001',
  'la-00DemoAlbu0005',
  'ar-00DemoSing0001',
  'pl-7700000001',
  'ch-62'
].map((id) => ({ id })) as [Id, Id, Id, Id, Id, Id]
interface Id extends Readonly<Record<string, string>> { readonly id: string }

const lists: Inputs = [{ type: 'newest' }, { type: 'starred' }, { type: 'byGenre', genre: newAlbumsName }]
const similar: Inputs = [song, album, liked, singer]
const searches: Inputs = [{}, { query: 'paper' }]

/** Inputs of the methods that need some. */
const inputs: Readonly<Record<string, Inputs>> = {
  getAlbum: [album, liked],
  getAlbumInfo: [album],
  getAlbumInfo2: [album],
  getAlbumList: lists,
  getAlbumList2: lists,
  getArtist: [singer],
  getArtistInfo: [singer],
  getArtistInfo2: [singer],
  getCoverArt: [album, singer, song, playlist, chart],
  getLyrics: [{ artist: 'The Paper Lanterns', title: 'First Light' }],
  getLyricsBySongId: [song],
  getMusicDirectory: [singer, album, liked],
  getPlaylist: [playlist, chart, { id: 'li-liked' }, { id: 'li-daily' }, { id: 'li-radar' }, { id: 'ra-199' }],
  getSonicSimilarTracks: [song],
  findSonicPath: [{ startSongId: song.id, endSongId: 'so-00DemoSong0005' }],
  getSimilarSongs: similar,
  getSimilarSongs2: similar,
  getSong: [song],
  getSongsByGenre: recommendations.map(({ name }) => ({ genre: name })),
  getTopSongs: [singer, { artist: 'Nobody of this library' }],
  search2: searches,
  search3: searches
}

/** An endpoint that a method calls, and how long its answer is cached for players. */
export interface CalledEndpoint {
  readonly name: string
  readonly path: string
  readonly cache: CacheClass | undefined
}

/** These pass the whole request on to the route of an endpoint. */
const passedOn: Readonly<Record<string, readonly CalledEndpoint[]>> =
  Object.fromEntries(['stream', 'download'].map((
    name
  ) => [name, [{ name: 'stream', path: registry.stream.path, cache: undefined }]]))

/** Returns the endpoints that each method calls, in the registry's order. Throws if one breaks on an answer. */
export async function observedMethods (): Promise<Readonly<Record<string, readonly CalledEndpoint[]>>> {
  const demo = await startDemoUpstream()
  const cookie = demo.accounts.find(({ name }) => name === 'member')?.cookie
  const runtime =
    createRuntime(resolveOptions({
      upstreamOrigin: demo.origin,
      imageOrigin: demo.origin,
      upstreamRatePerHost: 0,
      useGlobalCookie: true,
      globalCookie: () => cookie,
      tuning: { searchIntervalMs: 0, searchPauseMs: 0 }
    }))
  const names = new Map(Object.entries(registry).map(([name, { path }]) => [path as string, name]))
  const order = [...names.values()]
  const identity = resolveIdentity({ global: cookie }, { fallbackMode: false, useGlobalCookie: true })
  const observe = async (name: string, method: AnyMethod): Promise<readonly CalledEndpoint[]> => {
    const known = passedOn[name]
    if (known !== undefined) return known
    const seen = new Map<string, CalledEndpoint>()
    const call: Call = async (typed, input) => {
      const endpoint = typed as unknown as AnyEndpoint
      // Endpoints that only players call have a path below the one whose answers they are made of.
      const path = names.has(endpoint.path) ? endpoint.path : endpoint.path.replace(/\/\w+$/, '')
      const name = names.get(path) as string
      seen.set(name, { name, path, cache: endpoint.cache })
      return await execute(
        endpoint,
        runtime.validator.fromValues(endpoint.input, input),
        { identity },
        runtime
      ) as never
    }
    for (const input of inputs[name] ?? [{}]) {
      const parts = {
        identity,
        call,
        shared: call,
        library: createLibraries(runtime)(identity, call, call),
        work: runtime.answers.turns.begin(undefined),
        log: { warn () {} }
      }
      const queue = { songs: ['00DemoSong0001'], index: 0, position: 0, changed: 0, changedBy: '' }
      const queues = { read: async () => queue, async write () {} }
      const own = {
        user: { name: 'demo', account: 'default', identity },
        records: createRecords(runtime)(parts),
        queues,
        client: '',
        values: () => [],
        count () {}
      }
      const context = {
        ...parts,
        ...own,
        stationAddress: () => 'http://localhost',
        request: { method: 'GET', server: { runtime } }
      }
      await run(method, runtime.validator.fromText(method.input, input) as never, context as never)
        .finally(context.work.end)
    }
    return [...seen.values()].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  }
  try {
    const found: Record<string, readonly CalledEndpoint[]> = {}
    for (const [name, method] of Object.entries(methods as Readonly<Record<string, AnyMethod>>)) {
      found[name] = await observe(name, method).catch((cause) => {
        throw new Error(`${name}: ${String(cause)}`)
      })
    }
    return found
  } finally {
    await runtime.close()
    await demo.close()
  }
}

/** Runs a method. A redirect goes nowhere, and a method that refuses everybody calls nothing. */
async function run (method: AnyMethod, input: never, context: MediaContext): Promise<void> {
  const reply = { code: () => reply, header: () => reply, headers: () => reply, send: () => reply }
  if ('send' in method) await method.send(input, { ...context, reply: reply as never })
  else if (!method.summary.startsWith('Refused')) await method.run(input, context)
}
