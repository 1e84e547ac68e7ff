/** The play queue that follows a listener to another player, and reports that the relay accepts and ignores. */
import { Type } from '@sinclair/typebox'
import { batchGetSongInfo } from '../../endpoints/music/songInfo.ts'
import { chunksOf } from '../../endpoints/shared/rows.ts'
import { RelayError } from '../../common/errors.ts'
import { boundedQueue, type PlayQueue } from '../../relay/playQueues.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Call } from '../call.ts'
import { readId } from './ids.ts'
import { method, noInput, type AnyMethod, type MethodContext } from './method.ts'
import { playable, type Fields } from './records.ts'
import type { User } from './users.ts'

const songsAtOnce = 100
const longestName = 64

const place = (what: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: what })
const ids = Type.Optional(Type.String({ description: 'Id of a song, once for each song of the queue. Without one, the queue is emptied. Anything but songs is left out.' }))
const position = Type.Optional(place('Milliseconds of the current song that were played.'))

/** Whether a key may not see what is the account's own. What it plays must not take the place of the account's queue. */
const isGuest = ({ identity: { key } }: User): boolean => key?.noLoginEndpoints === true

/** Keeps a queue. `current`: place of the current song in the list as it was sent. */
async function save (
  current: number,
  position: number,
  { user, values, client, queues, log }: MethodContext
): Promise<Record<string, never>> {
  if (isGuest(user)) return {}
  const sent = values('id').map((id) => {
    try {
      return readId(id, 'so').own
    } catch {
      return undefined
    }
  })
  const songs = sent.filter((mid) => mid !== undefined)
  const index = sent.slice(0, current).filter((mid) => mid !== undefined).length
  const queue = boundedQueue({ songs, index, position, changed: Date.now(), changedBy: client.slice(0, longestName) })
  // A report that nobody asked for: a full disk must not become an error box at each song.
  await queues.write(user.account, queue).catch((err: unknown) => {
    log.warn({ err }, 'a play queue could not be stored')
  })
  return {}
}

interface Loaded { readonly fields: Fields, readonly current: Fields | undefined, readonly index: number }

async function load ({ user, call, records, queues }: MethodContext): Promise<Loaded> {
  const queue = isGuest(user) ? undefined : await queues.read(user.account)
  const known = queue === undefined ? new Map<string, Song>() : await songsOf(queue, call)
  const rows = (queue?.songs ?? []).map((mid) => known.get(mid))
  const entry = await records.songs(rows.filter((row) => row !== undefined))
  const isGone = queue !== undefined && rows[queue.index] === undefined
  const index = Math.min(
    rows.slice(0, queue?.index ?? 0).filter((row) => row !== undefined).length,
    Math.max(0, entry.length - 1)
  )
  const changed = queue === undefined ? records.began : new Date(queue.changed).toISOString()
  const position = entry.length === 0 ? undefined : isGone ? 0 : queue?.position
  const fields = { position, username: user.name, changed, changedBy: queue?.changedBy ?? '', entry }
  return { fields, current: entry[index], index }
}

async function songsOf ({ songs }: PlayQueue, call: Call): Promise<Map<string, Song>> {
  const mids = [...new Set(songs)]
  const parts = chunksOf(mids, songsAtOnce)
  const found =
    await Promise.all(parts.map(async (part) => await call(batchGetSongInfo, { songs: part.map((mid) => [mid]) })))
  const rows = found.flat().flatMap((each) => 'songinfo' in each ? [each.songinfo.data.track_info] : [])
  if (rows.length === 0 && mids.length > 0) throw new RelayError('UPSTREAM_EMPTY', 'The songs of the queue cannot be read at the moment: try again later.')
  return new Map(playable(rows).map((song) => [song.mid, song]))
}

const ignored = (input: AnyMethod['input']): AnyMethod =>
  method({ summary: 'Accepted and ignored: nothing is reported to anybody.', input, run: () => ({}) })

export const queueMethods = {
  getPlayQueue: method({
    summary: 'The queue that a player of the account stored last: at most 500 songs, the current one and its position.',
    input: noInput,

    async run (_input, context) {
      const { fields, current } = await load(context)
      return { playQueue: { ...fields, current: current?.['id'] } }
    }
  }),
  getPlayQueueByIndex: method({
    summary: 'The same, with the place of the current song.',
    input: noInput,

    async run (_input, context) {
      const { fields, current, index } = await load(context)
      return { playQueueByIndex: { ...fields, currentIndex: current === undefined ? undefined : index } }
    }
  }),
  savePlayQueue: method({
    summary: 'Stores the queue of the account, so that another player can continue it. Of more than 500 songs, those around the current one are kept.',
    input: Type.Object({
      id: ids,
      current: Type.Optional(Type.String({ description: 'Id of the current song. The first song if left out.' })),
      position
    }),
    run: async ({ current, position = 0 }, context) =>
      await save(Math.max(0, context.values('id').indexOf(current ?? '')), position, context)
  }),
  savePlayQueueByIndex: method({
    summary: 'The same, with the place of the current song.',
    input: Type.Object({ id: ids, currentIndex: Type.Optional(place('Place of the current song, from 0.')), position }),
    run: async ({ currentIndex = 0, position = 0 }, context) => await save(currentIndex, position, context)
  }),
  scrobble: ignored(noInput),
  reportPlayback: ignored(noInput),
  createBookmark: ignored(noInput),
  deleteBookmark: ignored(noInput)
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic-queue opensubsonic-methods
