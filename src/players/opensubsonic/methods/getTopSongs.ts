import { Type } from '@sinclair/typebox'
import { getSmartbox } from '../../../endpoints/search/getSmartbox.ts'
import { getSingerHotsong } from '../../../endpoints/singers/getSingerHotsong.ts'
import { readId } from '../ids.ts'
import { count, method, type MethodContext } from '../method.ts'
import { songOf, type Singer } from '../records.ts'

/** Maximum number of songs in one answer. */
const most = 100

export const getTopSongs = method({
  summary: 'The most popular songs of a singer.',
  input: Type.Object({
    artist: Type.Optional(Type.String({ maxLength: 200, description: 'Name of the singer. The library is looked through first, then the catalogue.' })),
    id: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the singer. It counts before the name.' })),
    count: count(50)
  }),

  async run ({ artist = '', id, count }, context) {
    const singermid = id === undefined ? await singerNamed(artist, context) : readId(id, 'ar').own
    if (singermid === undefined || count === 0) return { topSongs: { song: [] } }
    const { songList } = await context.call(getSingerHotsong, { singermid, limit: Math.min(count, most) })
    return { topSongs: { song: songList.filter(({ mid }) => mid !== '').map((song) => songOf(song, context.library)) } }
  }
})

/** Returns the MID of a singer. Undefined if no singer has this name. If the name lists several singers, the first counts. */
async function singerNamed (name: string, { call, library }: MethodContext): Promise<string | undefined> {
  const [first = ''] = name.split(' / ')
  if (first.trim() === '') return undefined
  const isMeant = (singer: { readonly name: string }): boolean => singer.name.toLowerCase() === first.toLowerCase()
  // Without a login, the singer is found in the catalogue.
  const { singers } = await library.index().catch(() => ({ singers: [] as Singer[] }))
  const known = singers.find(isMeant)
  return known?.mid ?? ((await call(getSmartbox, { key: first })).result.singerList.find(isMeant)?.mid || undefined)
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
