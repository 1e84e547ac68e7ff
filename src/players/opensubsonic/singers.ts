/** Singers: those of the library by their initials, and details of one. */
import { Type } from '@sinclair/typebox'
import { getImageUrl } from '../../endpoints/discover/imageUrls.ts'
import { getSimilarSinger, getSingerDesc } from '../../endpoints/singers/about.ts'
import { getSingerAlbum } from '../../endpoints/singers/works.ts'
import type { Work } from '../../common/turns.ts'
import type { Call } from '../call.ts'
import { idOf, readId } from './ids.ts'
import type { Index } from './library.ts'
import { count, id, method, noInput, type AnyMethod, type MethodContext } from './method.ts'
import { singerOf, singerFolderOf, type Fields, type Singer } from './records.ts'
import { rowsOf } from './songRows.ts'

export const byName = new Intl.Collator('zh', { numeric: true })

/** The first character of each initial, in the order of Pinyin. No syllable begins with I, U or V. */
const firsts = [...'阿八嚓哒妸发旮哈讥咔垃妈拏噢妑七呥扨它穵夕丫帀']
const initials = [...'ABCDEFGHJKLMNOPQRSTWXYZ']

/** Returns the letter under which a name is listed. #: names without a letter. */
export function initialOf (name: string): string {
  const first = name.trim().normalize('NFD')[0]?.toUpperCase() ?? '#'
  if (/[A-Z]/.test(first)) return first
  if (!/\p{Script=Han}/u.test(first)) return '#'
  const at = firsts.findLastIndex((each) => byName.compare(each, first) <= 0)
  return initials[at] ?? '#'
}

/** Returns the singers of a library, as `make` makes them, by their initials, # last, slice by slice. */
export async function singersByInitial<T> (
  { singers }: Pick<Index, 'singers'>,
  work: Pick<Work, 'rows'>,
  make: (singer: Index['singers'][number]) => T
) {
  const found = new Map<string, T[]>()
  await work.rows([...singers].sort((a, b) => byName.compare(a.name, b.name)), (singer) => {
    const initial = initialOf(singer.name)
    const listed = found.get(initial) ?? []
    if (listed.push(make(singer)) === 1) found.set(initial, listed)
  })
  return [...found].sort(([a], [b]) => Number(a === '#') - Number(b === '#') || a.localeCompare(b))
    .map(([name, artist]) => ({ name, artist }))
}

/** Albums of a singer in one answer, and on a page of the endpoint. */
const mostAlbums = 300
const pageAlbums = 100

/** Returns the albums of a singer, the latest first. */
export async function albumsOfSinger (
  singermid: string,
  { call, records }: Pick<MethodContext, 'call' | 'records'>
): Promise<Fields[]> {
  const rows = await rowsOf(0, mostAlbums, pageAlbums, async (page) => {
    const { albumList, skipped } = await call(getSingerAlbum, { singermid, limit: pageAlbums, page: page + 1 })
    return { rows: albumList, skipped }
  })
  // A row contains all its singers in one text. Rows with one name show the name of the requested singer.
  const own = rows.find(({ singerName }) => !singerName.includes('/'))?.singerName
  return await records.albums(rows.flatMap(({ albumMid, albumName, singerName, publishDate }) => {
    const id = idOf('al', albumMid)
    const singers = singerName === ''
      ? []
      : singerName.split('/').map((name, _at, { length }) => ({
        mid: length === 1 || name === own ? singermid : '',
        name
      }))
    return id === undefined ? [] : [{ id, name: albumName, picture: albumMid, singers, day: publishDate }]
  }))
}

/** Returns the name of a singer, or the MID if it is unknown. */
export async function nameOf (singermid: string, call: Call): Promise<string> {
  return (await call(getSingerDesc, { singermid })).singerName || singermid
}

const sizes = { smallImageUrl: '150x150', mediumImageUrl: '300x300', largeImageUrl: '800x800' } as const

export async function picturesOf (id: string, type: 'album' | 'singer', call: Call): Promise<Fields> {
  return Object.fromEntries(await Promise.all(Object.entries(sizes).map(async ([name, size]) =>
    [name, (await call(getImageUrl, { id, type, size })).imageUrl] as const
  )))
}

const artistInfoInput = Type.Object({ id: id('a singer'), count: count(20) })

async function aboutSinger (
  singermid: string,
  most: number,
  call: Call
): Promise<{ readonly facts: Fields, readonly similar: readonly Singer[] }> {
  const [{ desc }, { singers }, pictures] = await Promise.all([
    call(getSingerDesc, { singermid }),
    call(getSimilarSinger, { singermid }),
    picturesOf(singermid, 'singer', call)
  ])
  const similar = singers.slice(0, most).flatMap(({ singerMID: mid, singerName: name }) =>
    mid === '' ? [] : [{ mid, name }]
  )
  return { facts: { biography: desc || undefined, ...pictures }, similar }
}

export const singerMethods = {
  getArtists: method({
    summary: 'The singers of liked songs by their initials, Chinese ones by Pinyin.',
    input: noInput,

    async run (_input, { library, work }) {
      const index = await singersByInitial(await library.index(), work, (singer) => singerOf(singer, singer.albums))
      return { artists: { ignoredArticles: '', index } }
    }
  }),
  getIndexes: method({
    summary: 'The singers of liked songs by their initials, as folders.',
    missing: 'ifModifiedSince is ignored.',
    input: noInput,

    async run (_input, { library, work }) {
      const index = await singersByInitial(await library.index(), work, singerFolderOf)
      return { indexes: { ignoredArticles: '', lastModified: 0, index } }
    }
  }),
  getArtist: method({
    summary: 'A singer with all albums that the provider has, at most 300.',
    input: Type.Object({ id: id('a singer') }),

    async run ({ id }, context) {
      const { own } = readId(id, 'ar')
      const [name, albums] = await Promise.all([nameOf(own, context.call), albumsOfSinger(own, context)])
      return { artist: { ...singerOf({ mid: own, name }, albums.length), album: albums } }
    }
  }),
  getArtistInfo: method({
    summary: 'About a singer, for clients that browse folders.',
    input: artistInfoInput,

    async run ({ id, count }, { call }) {
      const { facts, similar } = await aboutSinger(readId(id, 'ar').own, count, call)
      return { artistInfo: { ...facts, similarArtist: similar.map(singerFolderOf) } }
    }
  }),
  getArtistInfo2: method({
    summary: 'About a singer: text, pictures, and singers like this one.',
    input: artistInfoInput,

    async run ({ id, count }, { call }) {
      const { facts, similar } = await aboutSinger(readId(id, 'ar').own, count, call)
      return { artistInfo2: { ...facts, similarArtist: similar.map((singer) => singerOf(singer)) } }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
