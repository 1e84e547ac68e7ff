/**
 * What searches find: the suggestions, and the rows of all sources as records. Suggestions for words while they are
 * typed are always anonymous; at most four songs, two singers, two albums. Recorded 2026-08.
 */
import type { FoundAlbum, FoundSinger, Smartbox, SuggestedSong } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  dayInChina, maybe, nameOfKnown, need, pictureOf, textOf, type Answer, type ClassicCall
} from '../kit.ts'
import { readPart, together } from '../shared/pages.ts'
import { blankSong, readSong, singerNames } from '../shared/song.ts'

const path = '/splcloud/fcgi-bin/smartbox_new.fcg'

const optionalFields = ['data.song.itemlist', 'data.singer.itemlist', 'data.album.itemlist'] as const

/** The two entries of the suggestions to `key`; `read` converts the three lists. The second was seen in 2026-09. */
export const smartboxOf = <T>(key: string, read: (found: Smartbox) => T): ClassicCall<T>[] => [
  {
    name: 'search.suggestions',
    request: {
      path,
      part: 'search',
      query: { key, format: 'json', is_xml: 0, inCharset: 'utf-8', outCharset: 'utf-8', g_tk: 5381 }
    },
    optionalFields,
    read: (answer) => read(readSmartbox(answer))
  },
  {
    name: 'search.suggestions.second',
    request: {
      host: 'profile',
      path,
      part: 'search',
      query: {
        cv: 4747474,
        ct: 24,
        format: 'json',
        inCharset: 'utf-8',
        outCharset: 'utf-8',
        notice: 0,
        platform: 'yqq.json',
        needNewCode: 1,
        uin: 0,
        hostUin: 0,
        is_xml: 0,
        key
      }
    },
    optionalFields,
    read: (answer) => read(readSmartbox(answer))
  }
]

/** All values are strings, numbers included. A section without hits is missing or has no rows. */
function readSmartbox (answer: Answer): Smartbox {
  const data = need.at(answer, 'data')
  const withPicture = (row: Answer): Smartbox['result']['singerList'][number] => {
    const { id, mid, name, singer } = readSuggestion(row)
    return { id, mid, name, singer, pic: pictureOf(row, 'pic') }
  }
  const songs = readPart(data, ['song.itemlist'], readSuggestion)
  const [singers, albums] = [
    readPart(data, ['singer.itemlist'], withPicture),
    readPart(data, ['album.itemlist'], withPicture)
  ]
  return {
    result: { songList: songs.rows, singerList: singers.rows, albumList: albums.rows },
    skipped: together<SuggestedSong>([songs, singers, albums]).skipped
  }
}

function readSuggestion (row: Answer): SuggestedSong {
  const [id, mid] = [maybe.id(row, 'id', 'docid') ?? '', maybe.text(row, 'mid') ?? '']
  return {
    id,
    mid,
    name: nameOfKnown(row, [id, mid], 'name'),
    singer: textOf(row, 'singer')
  }
}

// Rows of searches and suggestions, as records.

type SuggestedPicture = Smartbox['result']['singerList'][number]

/** Reads a song. Classic rows have the first second of the publication day instead of the day. */
export function readFoundSong (row: Answer): Song {
  const song = readSong(row)
  const published = maybe.int(row, 'pubtime') ?? 0
  return song.time_public !== '' ? song : { ...song, time_public: dayInChina(published) }
}

export function readFoundSinger (row: Answer): FoundSinger {
  const [singerID, singerMID] = [maybe.int(row, 'singerID') ?? 0, maybe.text(row, 'singerMID') ?? '']
  return {
    singerID,
    singerMID,
    singerName: nameOfKnown(row, [singerID, singerMID], 'singerName'),
    singerPic: pictureOf(row, 'singerPic'),
    songNum: maybe.int(row, 'songNum') ?? 0,
    albumNum: maybe.int(row, 'albumNum') ?? 0,
    mvNum: maybe.int(row, 'mvNum') ?? 0
  }
}

export function readFoundAlbum (row: Answer): FoundAlbum {
  const [albumID, albumMID] = [maybe.int(row, 'albumID') ?? 0, maybe.text(row, 'albumMID') ?? '']
  return {
    albumID,
    albumMID,
    albumName: nameOfKnown(row, [albumID, albumMID], 'albumName'),
    albumPic: pictureOf(row, 'albumPic'),
    publicTime: maybe.text(row, 'publicTime') ?? '',
    singerID: maybe.int(row, 'singerID') ?? 0,
    singerMID: maybe.text(row, 'singerMID') ?? '',
    singerName: singerNames(row, 'singer_list') || textOf(row, 'singerName'),
    song_count: maybe.int(row, 'song_count') ?? 0
  }
}

/** Reads an album of a phone program's search, whose rows have other names (2026-09). */
export function readPhoneAlbum (row: Answer): FoundAlbum {
  const [first] = maybe.list(row, 'singer_list', (singer) => singer)
  const [albumID, albumMID] = [maybe.int(row, 'id') ?? 0, maybe.text(row, 'mid', 'albummid') ?? '']
  return {
    albumID,
    albumMID,
    albumName: nameOfKnown(row, [albumID, albumMID], 'name'),
    albumPic: pictureOf(row, 'pic'),
    publicTime: maybe.text(row, 'time_public', 'publish_date') ?? '',
    singerID: (first && maybe.int(first, 'id')) ?? 0,
    singerMID: (first && maybe.text(first, 'mid')) ?? '',
    singerName: singerNames(row, 'singer_list') || textOf(row, 'singer'),
    song_count: maybe.int(row, 'songnum') ?? 0
  }
}

export const mostSuggested = 4

export const suggestedRows = ({ songList, singerList, albumList }: Smartbox['result']) => ({
  songs: songList.map(songOfSuggestion),
  singers: singerList.map(singerOfSuggestion),
  albums: albumList.map(albumOfSuggestion)
})

function songOfSuggestion ({ id, mid, name, singer }: SuggestedSong): Song {
  const singers = singer === '' ? [] : [{ id: 0, mid: '', name: singer }]
  return { ...blankSong, id: numberOf(id), mid, name, title: name, singer: singers }
}

function singerOfSuggestion ({ id, mid, name, pic }: SuggestedPicture): FoundSinger {
  return { singerID: numberOf(id), singerMID: mid, singerName: name, singerPic: pic, songNum: 0, albumNum: 0, mvNum: 0 }
}

function albumOfSuggestion ({ id, mid, name, singer, pic }: SuggestedPicture): FoundAlbum {
  return {
    albumID: numberOf(id),
    albumMID: mid,
    albumName: name,
    albumPic: pic,
    publicTime: '',
    singerID: 0,
    singerMID: '',
    singerName: singer,
    song_count: 0
  }
}

/** Numbers of songs, singers and albums are far below 2^53. Returns 0 for "". */
const numberOf = (id: string): number => Number.isSafeInteger(Number(id)) ? Number(id) : 0
