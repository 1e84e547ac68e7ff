import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Playlist, Song } from '../catalogue/types.ts'
import { newSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { rowOf } from './mv.ts'
import { mistyped, numberOf, textOf } from './params.ts'
import { drawn } from './radio.ts'

/** Songs 12 and 13 have no related items. */
const isLonely = ({ mid }: Song): boolean => /Song001[23]$/.test(mid)

/** Finds a song by number or MID. A song without other versions, or an unknown one: null. */
function otherVersions (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { songid: 'number', songmid: 'string' })
  if (wrong) return wrong
  const song = catalogue.songByMid.get(textOf(param, 'songmid')) ?? catalogue.songById.get(numberOf(param, 'songid', 0))
  if (!song || isLonely(song)) return { code: 0, data: { versionList: null, extras: null } }
  const versions = drawn(catalogue.songs, `versions ${song.mid}`, 4 + song.id % 7)
  return {
    code: 0,
    data: {
      versionList: versions.map(newSong),
      extras: versions.map((_, at) => ({ tag: ['', '现场版', 'Remix', '翻唱'][at % 4] }))
    }
  }
}

/** Number of rows in one answer (2026-09). */
const few = 3

/**
 * `songid` is text and `songtype` is 1; anything else gives code 0 and no rows. Continues after the number of an MV.
 */
function relatedMvs (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { songtype: 'number', lastmvid: 'number' })
  if (wrong) return wrong
  const song = typeof param['songid'] === 'string' && param['songtype'] === 1
    ? catalogue.songById.get(Number(param['songid'])) : undefined
  const own = song && !isLonely(song) ? catalogue.mvs.slice(song.id % 40, song.id % 40 + 8) : []
  const last = numberOf(param, 'lastmvid', 0)
  const begin = last === 0 ? 0 : own.findIndex(({ id }) => id === last) + 1
  const rows = own.slice(begin, begin + few)
  const list = rows.map((mv) => {
    const { vid, mvid, title, picurl, playcnt, singers } = rowOf(catalogue, mv)
    return { vid, mvid, title, picurl, playcnt, singers }
  })
  return { code: 0, data: { hasmore: begin + rows.length < own.length ? 1 : 0, list } }
}

const card = (catalogue: Catalogue, { id, title, picture, creator, songs }: Playlist): Record<string, unknown> => ({
  tid: id,
  songNum: songs.length,
  cover: pictureUrl(catalogue, 'T003', 300, picture),
  title,
  creator: creator.nick,
  playCnt: ''
})

/** Three playlists after those in `vecPlaylist`, and seven constant ones. */
function relatedPlaylists (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { songid: 'number', vecPlaylist: 'numbers' })
  if (wrong) return wrong
  const song = catalogue.songById.get(numberOf(param, 'songid', 0))
  if (!song || isLonely(song)) return { code: 0, data: { hasMore: false, vecPlaylist: null, vecPlaylistNew: null } }
  const first = song.id % 200
  const [steady, others] = [
    catalogue.playlists.filter(({ state }) => state === 'public').slice(first, first + 7),
    catalogue.playlists.filter(({ state }) => state === 'public').slice(first + 5, first + 25)
  ]
  const shown = new Set((param['vecPlaylist'] ?? []) as number[])
  const left = others.filter(({ id }) => !shown.has(id))
  return {
    code: 0,
    data: {
      hasMore: left.length > few,
      vecPlaylist: left.slice(0, few).map((each) => card(catalogue, each)),
      vecPlaylistNew: [{
        title_template: '包含这首歌的歌单',
        title_content: '',
        playlists: steady.map((each) => card(catalogue, each))
      }]
    }
  }
}

export const aroundCalls: MusicuTable = {
  'music.musichallSong.OtherVersionServer/GetOtherVersionSongs': otherVersions,
  'MvService.MvInfoProServer/GetSongRelatedMv': relatedMvs,
  'music.recommend.TrackRelationServer/GetRelatedPlaylist': relatedPlaylists
}
