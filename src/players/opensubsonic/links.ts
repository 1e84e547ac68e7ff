/** Links as search terms: returns the linked item as the result of a search. */
import type { Resolved } from '../../../schemas/resolve.ts'
import { RelayError } from '../../common/errors.ts'
import { getSongInfo } from '../../endpoints/music/getSongInfo.ts'
import { resolve } from '../../endpoints/search/resolve.ts'
import { albumWithSongs } from './albums.ts'
import type { MethodContext } from './method.ts'
import { playlistWithSongs } from './playlists.ts'
import { songOf, type Fields, type Singer } from './records.ts'
import { nameOf } from './singers.ts'

/** The item of a link, in the lists of a search. A playlist or chart is represented by its songs, because these lists have no playlists. */
export interface Linked { readonly singers: readonly Singer[], readonly albums: readonly Fields[], readonly songs: readonly Fields[] }

const nothing: Linked = { singers: [], albums: [], songs: [] }

/** An address of any site, with or without a scheme. The endpoint decides whether it belongs to the provider. */
const anyLink = /https?:\/\/\S|(?:^|\s)[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}\/\S/i

/** Returns the item of the first link in the text. Undefined if there is no link. Throws RelayError. */
export async function linkedBy (words: string, context: MethodContext): Promise<Linked | undefined> {
  if (!anyLink.test(words)) return undefined
  try {
    return await linked(await context.call(resolve, { text: words }), context)
  } catch (error) {
    const code = error instanceof RelayError ? error.code : undefined
    // No link of the provider. A title may look like a link.
    if (code === 'INVALID_INPUT') return undefined
    if (code === 'NOT_FOUND') return nothing
    throw error
  }
}

async function linked ({ type, id, mid }: Resolved, context: MethodContext): Promise<Linked> {
  const { call, library } = context
  switch (type) {
    case 'song': return { ...nothing, songs: [songOf((await call(getSongInfo, { songmid: mid })).songinfo.data.track_info, library)] }
    case 'album': return { ...nothing, albums: [(await albumWithSongs(`al-${mid}`, context)).album] }
    case 'singer': return { ...nothing, singers: [{ mid, name: await nameOf(mid, call) }] }
    case 'playlist':
    case 'chart': return { ...nothing, songs: (await playlistWithSongs(`${type === 'chart' ? 'ch' : 'pl'}-${id}`, context))['entry'] as Fields[] }
    default: return nothing
  }
}

// @mutate OpenSubsonic: opensubsonic-account
