/** The types as a user's compiler sees them: packed.js checks them under plain `strict`. Never run. */
import {
  InvalidInput, RelayError, createClient, createRelay, type ChartSong, type ErrorCode, type Lyric, type Relay,
  type RelayFunctions
} from 'music-relay'

/** `createRelay` and `createClient` are interchangeable: both return a Relay. */
export const switched: Relay[] = [createRelay(), createClient('http://localhost:3200')]
export const there: ReturnType<typeof createRelay> = createClient('http://localhost:3200')
export const here: ReturnType<typeof createClient> = createRelay()

/** Inputs and records are typed. `cookie` and `signal` are options beside the input. */
export async function titles (relay: Relay): Promise<string[]> {
  const { topList, songInfoList } =
    await relay.getRanks({ topId: 62, limit: 3 }, { cookie: 'uin=1', signal: AbortSignal.timeout(1000) })
  const period: string | undefined = topList?.period
  return [period ?? '', ...songInfoList.map(({ songName }) => songName)]
}

/** The parts of a record have exported type names. */
export async function first (relay: Relay): Promise<{ song: ChartSong | undefined, lyric: Lyric }> {
  const { songInfoList: [song] } = await relay.getRanks({ topId: 62 })
  return { song, lyric: await relay.getLyric({ songmid: song?.mid ?? '' }) }
}

export async function wrong (relay: Relay): Promise<void> {
  // @ts-expect-error: songmid is required
  await relay.getLyric()
  // @ts-expect-error: a misspelt parameter
  await relay.getLyric({ songMid: '00DemoSong0001' })
  // @ts-expect-error: a number instead of a text
  await relay.getLyric({ songmid: 1 })
  // @ts-expect-error: no such field
  void (await relay.getLyric({ songmid: '00DemoSong0001' })).words
  // @ts-expect-error: no such endpoint
  await relay.getLyrics({ songmid: '00DemoSong0001' })
}

export function codeOf (error: unknown): ErrorCode | undefined {
  if (error instanceof InvalidInput) return error.code
  return error instanceof RelayError && error.statusCode > 400 ? error.code : undefined
}

type IsAny<T> = 0 extends (1 & T) ? true : false
/** The paths at which a type is `any`, down to a depth that no record reaches. */
type Anys<T, Path extends string, Depth extends unknown[] = []> =
  IsAny<T> extends true ? Path
    : Depth['length'] extends 8 ? never
      : T extends readonly (infer Element)[] ? Anys<Element, `${Path}[]`, [...Depth, 0]>
        : T extends object ? { [K in keyof T & string]: Anys<T[K], `${Path}.${K}`, [...Depth, 0]> }[keyof T & string]
          : never

type OfEach = { [K in keyof RelayFunctions]: Anys<Parameters<RelayFunctions[K]>[0], `${K} input`> |
  Anys<Awaited<ReturnType<RelayFunctions[K]>>, `${K} record`> }[keyof RelayFunctions]
type Found = OfEach | Anys<RelayError, 'RelayError'>
const nothing: [Found] extends [never] ? true : Found = true
void nothing
/** Proves that `Anys` finds an `any`. */
const something: Anys<{ list: { inner: ReturnType<typeof JSON.parse> }[] }, 'x'> = 'x.list[].inner'
void something
