/** What only users of the real provider can find out, for an issue: yes, no and small numbers. No secret. */
import pLimit from 'p-limit'
import { grantCalls, rootsOf, type Grants } from '../endpoints/music/grants.ts'
import { filesOf, qualitiesOf, qualityOfFile } from '../endpoints/shared/songFiles.ts'
import { readFacts, songDetail } from '../endpoints/shared/song.ts'
import { UpstreamError } from '../common/errors.ts'
import { settle } from '../upstream/calls.ts'
import { addressesOf, rootsInOrder } from '../upstream/wire/audioRoots.ts'
import type { Prober } from './prober.ts'
import type { ProbeRecorder } from './probeRecorder.ts'

/** Whether a file was granted to a program, and the status, or the failure, of a request for its first two bytes. */
interface FileFact {
  readonly quality: string
  readonly program: string
  readonly granted: boolean
  readonly range?: number | string
}

type Told = Readonly<Record<string, number | boolean>>

export interface Facts {
  /** Fields of each call's answer: a small number, or whether it is there. `rows` and `code` of searches. */
  readonly answers: Readonly<Record<string, Told>>
  /** The number of rows that a call sent when it was asked for 100. */
  readonly rowsOf100: Readonly<Record<string, number>>
  readonly files: readonly FileFact[]
}

/** Fields that decide arguments about the provider: whether it refused, what it hides, how it names things. */
const told: ReadonlySet<string> = new Set([
  'is_filter', 'sum', 'estimate_sum', 'ret', 'safetyType', 'hide', 'filetype', 'newFileType', 'retcode', 'expiration'
])

const isSmall = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) < 1e6

/** Calls `visit` with every object of an answer, down to a depth of eight. */
function eachObject (value: unknown, visit: (object: object) => void, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 8) return
  visit(value)
  for (const held of Object.values(value)) eachObject(held, visit, depth + 1)
}

function rowsIn (answer: unknown): number {
  let most = 0
  eachObject(answer, (object) => {
    if (Array.isArray(object) && typeof object[0] === 'object') most = Math.max(most, object.length)
  })
  return most
}

/** Returns the facts of the answers so far. A field that occurs several times counts with its first value. */
function answersOf ({ probes }: ProbeRecorder): Facts['answers'] {
  const facts = [...probes].flatMap(([call, { heard, refused }]): [string, Told][] => {
    const found: Record<string, number | boolean> = {}
    eachObject(heard?.answer, (object) => {
      for (const [key, held] of Object.entries(object)) {
        if (told.has(key) && !Object.hasOwn(found, key)) found[key] = isSmall(held) ? held : held !== ''
      }
    })
    if ('is_filter' in found) found['rows'] = rowsIn(heard?.answer)
    if (refused?.error.upstreamCode !== undefined) found['code'] = refused.error.upstreamCode
    return Object.keys(found).length === 0 ? [] : [[call, found]]
  })
  return Object.fromEntries(facts.sort(([a], [b]) => a < b ? -1 : 1))
}

/** Endpoints whose first request asks for as many rows as the caller does. */
const sized = ['getSingerHotsong', 'getSingerAlbum', 'getSingerMv', 'getSongListDetail'] as const

/** Fields of requests that say how many rows to send. */
const sizes = ['num', 'number', 'count', 'song_num']

async function askSizes ({ recorder, probe }: Prober): Promise<Facts['rowsOf100']> {
  for (const name of sized) await probe(name, undefined, { limit: 100 })
  return Object.fromEntries(recorder.answers().flatMap(({ call: { name, request }, answer }) => {
    const asked = 'param' in request ? request.param : request.query
    return sizes.some((size) => asked[size] === 100) ? [[name, rowsIn(answer)]] : []
  }))
}

/** Requests all files of a song from each program, and the first two bytes of each granted one. */
async function askFiles (
  songmid: string,
  { credential, recorder: { observer }, runtime: { upstream: { calls, audioFiles }, resources: { state } } }: Prober
): Promise<FileFact[]> {
  const own = calls.forRequest({ credential, observer })
  try {
    const { value: track } = await settle(own.send(songDetail({ song_mid: songmid }, (_data, row) => readFacts(row))))
    if (track === undefined) return []
    const caller = { guid: '0'.repeat(32), uin: credential?.uin ?? '' }
    const files = qualitiesOf(track).flatMap((quality) => filesOf(songmid, track, quality))
      .map((filename) => ({ songmid, filename, songType: track.songType }))
    const { value: usual = [] } = await settle(own.send(rootsOf(caller)))
    const slots = pLimit(3)
    const rangeOf = async (path: string, roots: readonly string[]): Promise<number | string> => {
      const [url = ''] = addressesOf(rootsInOrder(roots.length > 0 ? roots : usual), path, state.playerAddress)
      const { value, error } = await settle(slots(async () =>
        await audioFiles.open({ url, type: '', range: 'bytes=0-1' })
      ))
      value?.body.on('error', () => {}).destroy()
      return value?.status ?? (error instanceof UpstreamError ? error.outcome : 'no address')
    }
    return (await Promise.all(Object.entries(grantCalls(files, caller)).map(async ([program, call]) => {
      const { value: grants = { roots: [], files: [] } } = await settle<Grants>(own.send(call))
      return await Promise.all(files.map(async ({ filename }): Promise<FileFact> => {
        const path = grants.files.find((file) => file.filename === filename)?.path ?? ''
        const fact = { quality: qualityOfFile(filename) ?? '', program, granted: path !== '' }
        return path === '' ? fact : { ...fact, range: await rangeOf(path, grants.roots) }
      }))
    }))).flat()
  } finally {
    own.end()
  }
}

/** Asks for what the probes do not show, and returns all facts. Never throws for an upstream failure. */
export async function askFacts (prober: Prober): Promise<Facts> {
  const [song] = prober.sampleIds().songs
  const files = song === undefined ? [] : await askFiles(song.mid, prober)
  const rowsOf100 = await askSizes(prober)
  return { answers: answersOf(prober.recorder), rowsOf100, files }
}
