/** Ids of OpenSubsonic across all answers: each leads to what it was given for, and always has the same name. */
import t from 'tap'
import { methods } from '../../src/players/opensubsonic/methods/index.ts'
import { inputs, knownTo, media, refusing } from '../support/opensubsonicInputs.ts'
import type { MethodName } from '../support/opensubsonicInputs.ts'
import { playerFor } from '../support/opensubsonicPlayer.ts'
import type { Player } from '../support/opensubsonicPlayer.ts'

type Row = Readonly<Record<string, any>>

/** Returns every object in an answer. */
function objectsIn (value: unknown): Row[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (typeof value !== 'object' || value === null) return []
  return [value as Row, ...Object.values(value).flatMap(objectsIn)]
}

/** Asks every method, and the pages of some singers. Returns every object of the answers. */
async function everything (player: Player): Promise<Row[]> {
  const known = await knownTo(player)
  const names = (Object.keys(methods) as MethodName[]).filter((name) => !media.has(name) && !refusing.has(name))
  const asked = [...names.flatMap((name) => inputs[name](known).map((input) => [name, input] as const)), ...[1, 9, 18, 27, 204].map((number) => ['getArtist', { id: `ar-00DemoSing${String(number).padStart(4, '0')}` }] as const)]
  const rows: Row[] = []
  for (const [name, input] of asked) rows.push(...objectsIn((await player.ask(name, input)).body))
  return rows
}

/** Returns the pairs of an id and its name that a row has, of singers and albums. */
function pairsOf (row: Row): [string, string][] {
  const own: [unknown, unknown][] = [[row['id'], row['name'] ?? row['title']]]
  // A song says the names of all its singers, and the id of the first.
  if (Array.isArray(row['artists']) && row['artists'].length > 0) own.push([row['artistId'], String(row['artist']).split(' / ')[0]])
  if (row['albumId'] !== undefined) own.push([row['albumId'], row['album']])
  return own.filter((pair): pair is [string, string] => typeof pair[0] === 'string' && typeof pair[1] === 'string' && /^(so|al|la|ar|pl|ch|li)-/.test(pair[0]))
}

t.test('ids of every answer', async (t) => {
  const player = await playerFor(t)
  const rows = await everything(player)

  t.test('an id has one name in all answers', async (t) => {
    const namesOf = new Map<string, Set<string>>()
    for (const [id, name] of rows.flatMap(pairsOf)) namesOf.set(id, (namesOf.get(id) ?? new Set()).add(name))
    t.ok(namesOf.size > 300, `${namesOf.size} ids`)
    t.same([...namesOf].filter(([, names]) => names.size > 1).map(([id, names]) => [id, ...names]), [])
  })

  t.test('an id of an answer leads to what it was given for', async (t) => {
    const ids = new Set(rows.flatMap(({ id, albumId, artistId, parent }) => [id, albumId, artistId, parent]).filter((id): id is string => typeof id === 'string'))
    const byKind: Readonly<Record<string, readonly [string, string]>> = { so: ['getSong', 'song'], al: ['getAlbum', 'album'], la: ['getAlbum', 'album'], ar: ['getArtist', 'artist'], pl: ['getPlaylist', 'playlist'], ch: ['getPlaylist', 'playlist'], li: ['getPlaylist', 'playlist'] }
    for (const [kind, [method, field]] of Object.entries(byKind)) {
      const some = [...ids].filter((id) => id.startsWith(`${kind}-`)).slice(0, 30)
      t.ok(some.length > 0, kind)
      for (const id of some) {
        const { body } = await player.ask(method, { id })
        t.equal(body.status, 'ok', `${method} ${id}: ${body.error?.message ?? ''}`)
        t.equal(body[field]?.id, id, `${method} ${id}`)
      }
    }
  })

  t.test('a picture that an answer names exists', async (t) => {
    const ids = new Set(rows.map(({ coverArt }) => coverArt).filter((id): id is string => typeof id === 'string'))
    for (const kind of ['so', 'al', 'la', 'ar', 'pl', 'ch', 'li']) {
      for (const id of [...ids].filter((each) => each.startsWith(`${kind}-`)).slice(0, 12)) {
        const { status, headers, text } = await player.ask('getCoverArt', { id, size: 300 })
        t.equal(status, 302, `${id}: ${text.slice(-120)}`)
        if (status !== 302) continue
        const picture = await fetch(headers.get('location') ?? '')
        t.match([picture.status, picture.headers.get('content-type')], [200, /^image\//], `${id} at ${headers.get('location')}`)
        await picture.arrayBuffer()
      }
    }
  })

  t.test('albums say how many songs they have, and lists how long they are', async (t) => {
    const known = await knownTo(player)
    for (const id of [known.album, known.libraryAlbum]) {
      const { album } = (await player.ask('getAlbum', { id })).body
      t.equal(album.songCount, album.song.length, id)
      t.equal(album.duration, album.song.reduce((sum: number, { duration }: Row) => sum + duration, 0), id)
    }
    for (const id of [known.playlist, known.chart, ...known.lists]) {
      const { playlist } = (await player.ask('getPlaylist', { id })).body
      t.equal(playlist.songCount, playlist.entry.length, id)
      t.equal(playlist.duration, playlist.entry.reduce((sum: number, { duration }: Row) => sum + duration, 0), id)
      t.ok(playlist.entry.length > 0, id)
    }
  })
})
