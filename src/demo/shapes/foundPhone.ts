import { pictureUrl } from '../catalogue/index.ts'
import type { Album, Catalogue, Playlist, Singer, Song } from '../catalogue/types.ts'
import { foundSinger, plainWriting } from './found.ts'
import { singerText } from './text.ts'

/**
 * Rows of the phone's searches (models of 2026-08/09). They share few field names with the rows of the desktop program.
 */

const namesOf = (singers: readonly Singer[]): Array<Record<string, unknown>> =>
  singers.map(({ id, mid, name }) => ({ id, mid, name }))

/** The light program has another name for the MID. Which of the two sends which day, and `songnum`, is assumed. */
export function phoneAlbum (catalogue: Catalogue, album: Album, light: boolean): Record<string, unknown> {
  return {
    id: album.id,
    ...(light ? { albummid: album.mid, publish_date: album.published }
      : { mid: album.mid, songnum: album.songs.length, time_public: album.published }),
    name: album.name,
    pic: pictureUrl(catalogue, 'T002', 180, `${album.mid}_1`),
    pmid: `${album.mid}_1`,
    singer: singerText(album.singers),
    singer_list: namesOf(album.singers),
    subtitle: album.otherName
  }
}

export function phoneSinger (catalogue: Catalogue, singer: Singer): Record<string, unknown> {
  const { albumNum, mvNum, singerID, singerMID, singerName, singerPic, songNum } = foundSinger(
    catalogue,
    singer,
    plainWriting('')
  )
  return { albumNum, mvNum, singerID, singerMID, singerName, singerPic, songNum }
}

export function phoneMv (catalogue: Catalogue, song: Song): Record<string, unknown> {
  const [first] = song.singers
  return {
    duration: song.interval,
    id: song.mv.id,
    pic: pictureUrl(catalogue, 'T015', 300, song.mid),
    play_count: song.interval * 1234,
    publish_date: song.published,
    singerid: first?.id ?? 0,
    singermid: first?.mid ?? '',
    singername: singerText(song.singers),
    title: song.title,
    vid: song.mv.vid
  }
}

export function phonePlaylist (catalogue: Catalogue, playlist: Playlist): Record<string, unknown> {
  return {
    createtime: playlist.created,
    dissid: String(playlist.id),
    dissname: playlist.title,
    listennum: playlist.listeners,
    logo: pictureUrl(catalogue, 'T003', 300, playlist.picture),
    nickname: playlist.creator.nick,
    songnum: playlist.songs.length,
    uin: String(playlist.creator.number)
  }
}
