/**
 * Records as an account sees them: songs with the file that it may play, albums with their number of songs and length.
 * What a list does not say about an album is asked once; the answer is cached like that of the endpoint.
 */
import { LRUCache } from 'lru-cache'
import type { AlbumInfo } from '../../../schemas/music.ts'
import type { Song } from '../../../schemas/song.ts'
import type { BaseLogger } from 'pino'
import { RelayError } from '../../common/errors.ts'
import type { Work } from '../../common/turns.ts'
import { defaultAccount } from '../../relay/accountBook.ts'
import type { Identity } from '../../relay/identity.ts'
import type { Runtime } from '../../relay/runtime.ts'
import { chunksOf } from '../../endpoints/shared/rows.ts'
import type { Call } from '../call.ts'
import { noteMissing } from './subsonicErrors.ts'
import { readId } from './ids.ts'
import type { Library } from './library.ts'
import { mayUseLogin } from './users.ts'
import { accountState, albumsAtOnce, albumsOfMany, summaryOf } from './variants.ts'
import {
  albumOf, playable, playlistOf, songOf, type AlbumFacts, type Fields, type PlaylistFacts, type Rights
} from './records.ts'

/** How long the rights of an account are fresh, in milliseconds, and the number of accounts whose rights are known. */
const freshMs = 600_000
const mostAccounts = 1000

export const albumFactsOf = (id: string, info: AlbumInfo): AlbumFacts =>
  ({ id, name: info.albumName, picture: readId(id, 'al').own, ...summaryOf(info) })

interface RequestParts {
  readonly identity: Identity
  readonly call: Call
  /** For answers for which others may wait. */
  readonly shared: Call
  readonly library: Library
  readonly work: Work
  readonly log: Pick<BaseLogger, 'warn'>
}

export function createRecords (
  { answers: { accountName }, now }: Pick<Runtime, 'answers' | 'now'>
) {
  const began = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`
  const rightsOf = new LRUCache<string, Rights, RequestParts>({
    max: mostAccounts,
    ttl: freshMs,
    perf: { now },
    allowStale: true,
    ignoreFetchAbort: true,
    fetchMethod: async (_key, old, { context: { shared, library, log } }) => {
      try {
        await library.know()
        const { alive, vip } = await shared(accountState, {})
        return !alive ? 'usual' : vip?.member === true ? 'lossless' : 'high'
      } catch (error) {
        if (!(error instanceof RelayError)) throw error
        log.warn({ err: error }, 'what the account may play is not known')
        return old ?? 'usual'
      }
    }
  })

  return (parts: RequestParts) => {
    const { identity, identity: { credential, account: name = defaultAccount }, call, library, work, log } = parts
    /** Returns facts by album, of the albums that do not say how many songs they have and how long they are. */
    const asked = async (facts: readonly AlbumFacts[]): Promise<ReadonlyMap<string, Partial<AlbumFacts>>> => {
      const ids = facts.flatMap(({ id, songCount, seconds }) =>
        songCount === undefined || seconds === undefined ? [id] : []
      )
      const parts = chunksOf(ids, albumsAtOnce)
      const known = await Promise.all(parts.map(async (part) =>
        await call(albumsOfMany, { albummids: part.map((id) => readId(id, 'al').own) }).catch((error: unknown) => {
          noteMissing(error, log, 'the number of songs of albums is missing')
          return []
        })))
      return new Map(known.flatMap((rows, at) =>
        rows.flatMap((row, place) => row === null ? [] : [[parts[at]?.[place] ?? '', row] as const])
      ))
    }
    return {
      /** For a time that nobody knows, where the standard requires one: the day on which the relay started. */
      began,
      /** Returns songs. Those that cannot be played are left out. `inLibrary`: as liked songs. */
      async songs (rows: readonly Song[], inLibrary?: boolean): Promise<Fields[]> {
        // Separate for keys that may not see the library: their question does not read it for the account.
        const rights = credential === undefined ? 'usual'
          : await rightsOf.forceFetch(
            `${accountName(name, credential)}${mayUseLogin(identity) ? '' : ' limited'}`,
            { context: parts }
          )
        const shelf = { rights, began, isLiked: library.isLiked }
        return await work.rows(playable(rows), (song) => songOf(song, shelf, inLibrary))
      },
      async albums (facts: readonly AlbumFacts[]): Promise<Fields[]> {
        const known = await asked(facts)
        return facts.map((each) => albumOf({ ...each, ...known.get(each.id) }, began))
      },
      playlist: (facts: PlaylistFacts): Fields => playlistOf(facts, began)
    }
  }
}

export type Records = ReturnType<ReturnType<typeof createRecords>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods opensubsonic-fields
