/**
 * Endless lists of songs: stations, the radar, the personal station. The cursor of a list contains the songs that a
 * session has already received, because the relay stores nothing: a checksum with the name of the list, the next round,
 * and 24 bits of a hash for each song. The checksum detects cursors that are broken or of another list. It is not a
 * signature: a cursor affects only its caller's own list, so forging one gains nothing.
 */
import { createHash } from 'node:crypto'
import { GetRadioListsQuery, Radios, type RadioGroup } from '../../../schemas/discover.ts'
import {
  GetPersonalRadioQuery, GetRadarSongsQuery, GetRadioSongsQuery, RadioSongs, mostHeard
} from '../../../schemas/radio.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  InvalidInput, codeMsgData, endpoint, isUnknown, maybe, nameOf, need, notFound, noteMissing, optional, pictureOf,
  response, textOf, uniqueBy, upstreamEmpty, type Answer, type ClassicCall, type Context, type MusicuCall, type Upstream
} from '../kit.ts'
import { personalRadio, personalStation, radarSongs, radioTracks } from '../recommend/recommended.ts'
import { sessionCheck } from '../shared/accountCalls.ts'
import { readPart, together, type CountedRows, type Part } from '../shared/pages.ts'
import { listedSong } from '../shared/song.ts'

/** A session: the next `round` of the upstream, from 0, and the songs already received as hashes, the latest last. */
interface Heard { readonly round: number, readonly marks: readonly number[] }

const [sumBytes, roundBytes, markBytes] = [4, 2, 3]
const headBytes = sumBytes + roundBytes
const lastRound = 2 ** (8 * roundBytes) - 1

const hashOf = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** Returns the hash of a song. With 500 songs, one new song in 30,000 is mistaken for a known one. */
const markOf = (song: string): number => hashOf(song).readUIntBE(0, markBytes)

/** Returns the cursor of a session. Only the latest songs fit. */
export function writeCursor (list: string, { round, marks }: Heard): string {
  const latest = marks.slice(-mostHeard)
  const bytes = Buffer.alloc(headBytes + latest.length * markBytes)
  bytes.writeUIntBE(round % (lastRound + 1), sumBytes, roundBytes)
  for (const [at, mark] of latest.entries()) bytes.writeUIntBE(mark, headBytes + at * markBytes, markBytes)
  hashOf(list, '\n', bytes.subarray(sumBytes)).copy(bytes, 0, 0, sumBytes)
  return bytes.toString('base64url')
}

/** Returns the state in a cursor, or the start of a session. Throws InvalidInput for any other text. */
function readCursor (list: string, cursor: string | undefined): Heard {
  if (cursor === undefined) return { round: 0, marks: [] }
  const bytes = Buffer.from(cursor, 'base64url')
  const count = (bytes.length - headBytes) / markBytes
  const isWhole = bytes.toString('base64url') === cursor && Number.isInteger(count) && count >= 0 && count <= mostHeard
  if (
    !isWhole || !hashOf(list, '\n', bytes.subarray(sumBytes)).subarray(0, sumBytes).equals(bytes.subarray(0, sumBytes))
  ) {
    throw new InvalidInput('cursor: must be nextCursor of an earlier answer of the same list.')
  }
  return {
    round: bytes.readUIntBE(sumBytes, roundBytes),
    marks: Array.from({ length: count }, (_, at) => bytes.readUIntBE(headBytes + at * markBytes, markBytes))
  }
}

// The next songs of an endless list. The upstream sends a few at once, and repeats some of them.

/** An endless list: the name in its cursors, and the request for a round, from 0. `begins`: nothing was played yet. */
interface Endless {
  readonly name: string
  readonly fetch: (round: number, begins: boolean) => Promise<CountedRows<Song>>
}

/** Maximum requests for one answer, and the number of requests in a row without a new song that ends the list. */
const [mostRounds, mostStale] = [8, 2]

const keyOf = ({ mid, id, title }: Song): string => mid || String(id || title)

/** What a list that has played sends at its end: like repetitions only, which the next request confirms. */
const noSongs: CountedRows<Song> = { rows: [], skipped: 0 }

/** Returns `limit` new songs, or fewer. Throws the error of the first request; a later one shortens the answer. */
async function nextSongs (
  { limit, cursor }: { readonly limit: number, readonly cursor?: string },
  { name, fetch }: Endless,
  context: Pick<Context, 'cacheAtMost' | 'log' | 'loginRefused'>
): Promise<RadioSongs> {
  const begun = readCursor(name, cursor)
  const marks = [...begun.marks]
  const heard = new Set(marks)
  const songs: Song[] = []
  let { round } = begun
  let failed = false
  let skipped = 0
  for (let sent = 0, stale = 0; sent < mostRounds && stale < mostStale && songs.length < limit; sent++) {
    const begins = marks.length === 0
    const next = optional(fetch(round, begins), (error) => !begins && isUnknown(error))
      .then((found) => found ?? noSongs)
    const batch = sent === 0 ? await next
      : await optional(next, (error) => noteMissing(context, error, 'the answer has fewer songs'))
    failed = batch === undefined
    if (batch === undefined) break
    skipped += batch.skipped
    const fresh = uniqueBy(batch.rows, keyOf).filter((song) => !heard.has(markOf(keyOf(song))))
    const taken = fresh.slice(0, limit - songs.length)
    songs.push(...taken)
    for (const song of taken) {
      heard.add(markOf(keyOf(song)))
      marks.push(markOf(keyOf(song)))
    }
    stale = taken.length === 0 ? stale + 1 : 0
    // A round with unused songs is requested again.
    if (taken.length === fresh.length) round++
  }
  return {
    songs,
    skipped,
    ...(songs.length === 0 && !failed ? {} : { nextCursor: writeCursor(name, { round, marks }) })
  }
}

// Songs of a radio station, a few at each call. The upstream selects them again for each request and has no pages
// (clients, 2026-08 to 2026-10). Its older call requires a login.

/** `firstplay`: 1 begins, 0 continues. */
const stationOf = (id: number, firstplay: 0 | 1): MusicuCall<CountedRows<Song>> => ({
  name: 'radio.songs',
  request: { module: 'pf.radiosvr', method: 'GetRadiosonglist', param: { id, firstplay, num: 30 } },
  optionalFields: ['track_list[].track'],
  read: (answer) => radioTracks(answer, 'track_list', 'songlist', 'tracks')
})

const olderStationOf = (id: number, firstplay: 0 | 1): MusicuCall<CountedRows<Song>> => ({
  name: 'radio.songs.older',
  request: { module: 'mb_track_radio_svr', method: 'get_radio_track', param: { id, firstplay, num: 15 } },
  optionalFields: ['tracks[].track'],
  read: (answer) => radioTracks(answer, 'tracks')
})

async function songsOf (id: number, begins: boolean, upstream: Upstream): Promise<CountedRows<Song>> {
  const firstplay = begins ? 1 : 0
  const chain = [stationOf(id, firstplay), ...upstream.loggedIn ? [olderStationOf(id, firstplay)] : []]
  const songs = await optional(upstream.firstOf(chain), (error) => begins && isUnknown(error))
  if (songs === undefined) throw notFound('radio.songs', `The radio station ${id}`)
  return songs
}

export const getRadioSongs = endpoint({
  method: 'GET',
  path: '/getRadioSongs',
  tag: 'radio',
  summary: 'Songs of a radio station, a few at each call',
  summaryInChinese: '电台的歌曲，每次几首，不重复，直到上游没有新的',
  description: 'Pass nextCursor of an answer as cursor to get more: no song repeats within one session. A station ends: an answer without nextCursor means that the upstream has only repetitions, often after 50 to 100 songs. Then begin again without a cursor. The relay stores nothing: the cursor contains the previous songs. Each call returns other songs, so nothing is cached. A station without songs is 404, like an unknown one, because the upstream sends the same answer.',
  example: { radioId: 199, limit: 3 },
  probe: () => [{ radioId: 199, limit: 1 }],
  songs: ({ songs }) => songs.map(listedSong),
  input: GetRadioSongsQuery,
  record: RadioSongs,
  envelope: codeMsgData,
  login: 'optional',

  async run ({ radioId, ...page }, context) {
    if (radioId === personalStation) throw new InvalidInput('radioId: 99 is the personal station, whose songs /getPersonalRadio has.')
    return await nextSongs(page, {
      name: `radio ${radioId}`,
      fetch: async (_round, begins) => await songsOf(radioId, begins, context.upstream)
    }, context)
  }
})

// Songs of the upstream's radar, as an endless list: general, or chosen for an account. Each page has ten songs,
// different from the other pages (recorded 2026-08, observed 2026-09).

export const getRadarSongs = endpoint({
  method: 'GET',
  path: '/getRadarSongs',
  tag: 'radio',
  summary: 'New discoveries of the upstream, a few at each call',
  summaryInChinese: '雷达推荐的歌曲，每次几首，不重复，直到上游没有新的',
  description: 'With a login, the songs are chosen for the account. Pass nextCursor of an answer as cursor to get more: no song repeats within one session. The list ends, too: without nextCursor the upstream has only repetitions; begin again without a cursor. An expired cookie counts as none, with x-relay-warning.',
  example: { limit: 3 },
  probe: () => [{ limit: 1 }],
  songs: ({ songs }) => songs.map(listedSong),
  input: GetRadarSongsQuery,
  record: RadioSongs,
  envelope: codeMsgData,
  login: 'optional',

  async run (page, context) {
    const { upstream } = context
    const fetch = async (round: number): ReturnType<Parameters<typeof nextSongs>[1]['fetch']> => {
      const call = radarSongs(round + 1, ({ songs: rows, skipped }) => ({ rows, skipped }))
      return upstream.loggedIn ? await upstream.firstOf([sessionCheck(call)]) : await upstream.send(call)
    }
    return await nextSongs(page, { name: 'radar', fetch }, context)
  }
})

// The songs recommended to an account: about five at once, different ones each time (2026-09).

export const getPersonalRadio = endpoint({
  method: 'GET',
  path: '/getPersonalRadio',
  tag: 'radio',
  summary: 'The personal station of an account: songs that it may like, a few at each call',
  summaryInChinese: '账户的私人电台：猜你喜欢的歌曲，每次几首',
  description: 'Pass nextCursor of an answer as cursor to get more: no song repeats within one session. The list ends, too: without nextCursor the upstream has only repetitions; begin again without a cursor. The upstream sends about five songs at once, so ten cost two requests. An expired cookie is COOKIE_REJECTED.',
  example: { limit: 5 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  songs: ({ songs }) => songs.map(listedSong),
  input: GetPersonalRadioQuery,
  record: RadioSongs,
  envelope: codeMsgData,
  login: 'required',

  async run (page, context) {
    return await nextSongs(page, {
      name: 'personal',
      fetch: async () => await context.upstream.firstOf(personalRadio((found) => found))
    }, context)
  }
})

// Radio stations: the gateway's shape is that of clients (2019 to 2026-10), the classic one is of 2019.

/** In this response the `id` of a group is the group's own number, not a station's. */
const radios: MusicuCall<Radios> = {
  name: 'radios',
  request: { module: 'pf.radiosvr', method: 'GetRadiolist', param: { ct: '24' } },
  read: (answer) => readStations(answer, 'radio_list', 'list')
}

/** The response nests `data` twice, and its numbers are strings. */
const classicRadios = (): ClassicCall<Radios> => ({
  name: 'radios.classic',
  request: {
    path: '/v8/fcg-bin/fcg_v8_radiolist.fcg',
    query: { channel: 'radio', format: 'json', page: 'index', tpl: 'wk', new: 1, p: Math.random(), outCharset: 'utf-8' }
  },
  read: (answer) => readStations(answer, 'data.data.groupList', 'radioList')
})

function readStations (answer: Answer, path: string, stations: string): Radios {
  const parts: Part<unknown>[] = []
  const groups = maybe.list(answer, path, (group): RadioGroup | undefined => {
    const list = readPart(group, [stations], (station) => ({
      radioId: need.int(station, 'radioId', 'id'),
      radioName: nameOf(station, 'radioName', 'title', 'name'),
      radioImg: pictureOf(station, 'radioImg', 'pic_url'),
      listenNum: maybe.int(station, 'listenNum', 'listener_count') ?? 0
    }))
    parts.push(list)
    return list.rows.length === 0 ? undefined : { name: textOf(group, 'name', 'title'), radios: list.rows }
  })
  const { rows, skipped } = together(parts)
  if (rows.length === 0) throw upstreamEmpty(answer.call, 'radio stations')
  return { groups, skipped }
}

export const getRadioLists = endpoint({
  method: 'GET',
  path: '/getRadioLists',
  tag: 'discover',
  summary: 'Radio stations, by group',
  summaryInChinese: '电台列表，按分组',
  description: 'Groups without a station are omitted.',
  example: {},
  probe: () => [{}],
  input: GetRadioListsQuery,
  record: Radios,
  envelope: response,
  cache: 'slow',

  async run (_input, { upstream }) {
    return await upstream.firstOf([radios, classicRadios()])
  }
})
