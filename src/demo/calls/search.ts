import { pictureUrl } from '../catalogue/index.ts'
import { findPlaylists, findSongs } from '../catalogue/search.ts'
import type { Catalogue, Singer } from '../catalogue/types.ts'
import {
  classicWriting, foundAlbum, foundMv, foundPageSong, foundPlaylist, foundSinger, foundSong
} from '../shapes/found.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallContext, ClassicTable, Query } from '../types.ts'
import { queryNumber } from './params.ts'

interface Section { curnum: number, curpage: number, list: unknown[], totalnum: number }

const widest = 60

function sectionOf<Hit> (hits: readonly Hit[], query: Query, shape: (hit: Hit) => unknown): Section {
  const page = Math.max(1, queryNumber(query, 'p', 1))
  const size = Math.min(widest, Math.max(1, queryNumber(query, 'n', 10)))
  const list = hits.slice((page - 1) * size, page * size).map(shape)
  return { curnum: list.length, curpage: page, list, totalnum: hits.length }
}

function singerHit (catalogue: Catalogue, singer: Singer): Record<string, unknown> {
  const { albumNum, mvNum, songNum } = foundSinger(catalogue, singer, classicWriting(''))
  const songs = catalogue.songsBySinger.get(singer) ?? []
  const albums = catalogue.albumsBySinger.get(singer) ?? []
  return {
    albumNum,
    hotalbum: albums.slice(0, 3).map((album) => ({
      albumID: album.id,
      albumMID: album.mid,
      albumName: escapeHtml(album.name),
      albumname_hilight: escapeHtml(album.name)
    })),
    hotsong: songs.slice(0, 3).map((song) => ({
      f: '',
      songID: song.id,
      songMID: song.mid,
      songName: escapeHtml(song.title),
      songname_hilight: escapeHtml(song.title)
    })),
    mvNum,
    singerID: singer.id,
    singerMID: singer.mid,
    singerName: escapeHtml(singer.name),
    singerPic: pictureUrl(catalogue, 'T001', 150, singer.mid),
    singername_hilight: escapeHtml(singer.name),
    songNum
  }
}

/** The direct hit, if the query is exactly a singer or an album. Only with `catZhida` 1. */
function directHit (catalogue: Catalogue, { w = '', catZhida }: Query): Record<string, unknown> {
  const wanted = w.trim().toLowerCase()
  if (catZhida !== '1') return { type: 0 }
  const singer = catalogue.singers.find(({ name, otherName }) =>
    name.toLowerCase() === wanted || (otherName !== '' && otherName.toLowerCase() === wanted)
  )
  if (singer) return { chinesesinger: 0, type: 2, zhida_singer: singerHit(catalogue, singer) }
  const album = catalogue.albums.find(({ name }) => name.toLowerCase() === wanted)
  return album ? { chinesesinger: 0, type: 3, zhida_album: foundAlbum(catalogue, album, classicWriting(w)) }
    : { type: 0 }
}

/** `t` selects the type of hits. Each call answers one type. Albums (8) and singers (9) are never found. */
function sectionsOf (query: Query, catalogue: Catalogue): Record<string, Section> {
  const { w = '', t = '0' } = query
  const writing = classicWriting(w)
  const nothing = sectionOf([], query, (hit) => hit)
  if (t === '0') return { song: sectionOf(findSongs(catalogue, w), query, (song) => foundSong(song, writing)) }
  if (t === '8') return { album: nothing }
  if (t === '9') return { singer: nothing }
  if (t === '12') {
    return {
      mv: sectionOf(findSongs(catalogue, w).filter((song) => song.mv.id), query, (song) =>
        foundMv(catalogue, song, writing))
    }
  }
  return {}
}

/**
 * The answer of a classic search. No hits: code 0 with subcode 10003. `looks` false: an empty list without that
 * subcode.
 */
function searchAnswer (
  query: Query,
  { catalogue, now }: CallContext,
  sections: Record<string, Section>,
  looks: boolean
): unknown {
  const data = {
    keyword: escapeHtml(query['w'] ?? ''),
    priority: 0,
    qc: [],
    semantic: { curnum: 0, curpage: 1, list: [], totalnum: 0 },
    ...sections,
    tab: queryNumber(query, 't', 0),
    taglist: [],
    totaltime: 0,
    zhida: looks ? directHit(catalogue, query) : null
  }
  const empty = looks && Object.values(sections).every((section) => section.totalnum === 0)
  return {
    code: 0,
    data,
    message: empty ? 'no results' : '',
    notice: '',
    subcode: empty ? 10003 : 0,
    time: Math.floor(now / 1000),
    tips: ''
  }
}

/** `new_json=1` silently empties the list (measured 2026-07), and so do the types 8 and 9 (2026-08). */
function clientSearch (query: Query, context: CallContext): unknown {
  const looks = query['new_json'] !== '1' && query['t'] !== '8' && query['t'] !== '9'
  return searchAnswer(query, context, sectionsOf(looks ? query : { ...query, w: '' }, context.catalogue), looks)
}

/** The search of the phone pages: songs only; `t` is ignored (assumed). `perpage` is another name of `n`. */
function pageSearch (query: Query, context: CallContext): unknown {
  const { w = '', perpage = '10', n = perpage } = query
  return searchAnswer(query, context, {
    song: sectionOf(findSongs(context.catalogue, w), { ...query, n }, foundPageSong)
  }, true)
}

function searchPlaylists (query: Query, { catalogue }: CallContext): unknown {
  const word = query['query'] ?? ''
  const page = queryNumber(query, 'page_no', 0)
  const size = Math.min(widest, queryNumber(query, 'num_per_page', 20))
  const hits = findPlaylists(catalogue, word)
  const list = hits.slice(page * size, (page + 1) * size).map((playlist) =>
    foundPlaylist(catalogue, playlist, classicWriting(word))
  )
  return {
    code: 0,
    data: { display_num: size, keyword: escapeHtml(word), list, page_no: page, sum: hits.length },
    message: '',
    subcode: 0
  }
}

export const searchPaths: ClassicTable = {
  '/soso/fcgi-bin/client_search_cp': { answer: clientSearch },
  '/soso/fcgi-bin/search_for_qq_cp': { answer: pageSearch },
  '/soso/fcgi-bin/client_music_search_songlist': { answer: searchPlaylists }
}
