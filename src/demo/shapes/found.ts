import { pictureUrl } from '../catalogue/index.ts'
import type { Album, Catalogue, Playlist, Singer, Song } from '../catalogue/types.ts'
import { oldSong } from './song.ts'
import { escapeHtml, singerText } from './text.ts'

/** The format of a search hit. Classic answers escape HTML, musicu answers do not. Both mark the hit with `<em>`. */
export interface Writing { text: (text: string) => string, query: string }

export const classicWriting = (query: string): Writing => ({ text: escapeHtml, query })
export const plainWriting = (query: string): Writing => ({ text: (text) => text, query })

/** Returns the text with its first hit between `<em>` and `</em>`. */
export function marked (text: string, { text: write, query }: Writing): string {
  const at = text.toLowerCase().indexOf(query.toLowerCase())
  if (at < 0 || query === '') return write(text)
  const end = at + query.length
  return `${write(text.slice(0, at))}<em>${write(text.slice(at, end))}</em>${write(text.slice(end))}`
}

/** Returns a row of the classic search: the OLD shape without the media MID, plus a few fields (2018..2022). */
export function foundSong (song: Song, writing: Writing): Record<string, unknown> {
  const { strMediaMid: _dropped, songorig: _short, ...row } = oldSong(song)
  return {
    ...row,
    albumname_hilight: marked(song.album?.name ?? '', writing),
    chinesesinger: 0,
    docid: String(12_000_000_000_000_000n + BigInt(song.id)),
    grp: [],
    lyric: '',
    lyric_hilight: '',
    nt: 892608729,
    pubtime: Date.parse(song.published) / 1000,
    pure: 0,
    singer: song.singers.map(({ id, mid, name }) => ({
      id,
      mid,
      name: writing.text(name),
      name_hilight: marked(name, writing)
    })),
    songname_hilight: marked(song.title, writing),
    t: 1,
    tag: 10,
    ver: 0
  }
}

/**
 * Returns a row of the phone pages' search: the OLD shape with the media MID; `msgid` 13 is a song without copyright
 * (2026).
 */
export function foundPageSong (song: Song): Record<string, unknown> {
  const { songorig: _short, ...row } = oldSong(song)
  return {
    ...row,
    msgid: song.access === 'region' || song.access === 'gone' ? 13 : 14,
    pubtime: Date.parse(song.published) / 1000
  }
}

export function foundSinger (catalogue: Catalogue, singer: Singer, writing: Writing): Record<string, unknown> {
  const songs = catalogue.songsBySinger.get(singer) ?? []
  return {
    albumNum: catalogue.albumsBySinger.get(singer)?.length ?? 0,
    concern_status: 0,
    docid: String(singer.id),
    mvNum: songs.filter((song) => song.mv.id).length,
    singerID: singer.id,
    singerMID: singer.mid,
    singerName: writing.text(singer.name),
    singerName_hilight: marked(singer.name, writing),
    singerPic: pictureUrl(catalogue, 'T001', 150, singer.mid),
    songNum: songs.length
  }
}

export function foundAlbum (catalogue: Catalogue, album: Album, writing: Writing): Record<string, unknown> {
  const [first] = album.singers
  const singerName = singerText(album.singers)
  return {
    albumID: album.id,
    albumMID: album.mid,
    albumName: writing.text(album.name),
    albumName_hilight: marked(album.name, writing),
    albumPic: pictureUrl(catalogue, 'T002', 180, `${album.mid}_1`),
    catch_song: '',
    docid: String(14_000_000_000_000_000n + BigInt(album.id)),
    publicTime: album.published,
    singerID: first?.id ?? 0,
    singerMID: first?.mid ?? '',
    singerName: writing.text(singerName),
    singerName_hilight: marked(singerName, writing),
    singer_list: album.singers.map(({ id, mid, name }) => ({
      id,
      mid,
      name: writing.text(name),
      name_hilight: marked(name, writing)
    })),
    song_count: album.songs.length,
    type: 0
  }
}

export function foundMv (catalogue: Catalogue, song: Song, writing: Writing): Record<string, unknown> {
  return {
    docid: String(song.mv.id),
    duration: song.interval,
    mv_id: song.mv.id,
    mv_name: writing.text(song.title),
    mv_name_hilight: marked(song.title, writing),
    mv_pic_url: pictureUrl(catalogue, 'T015', 300, song.mid),
    play_count: song.interval * 1234,
    publish_date: song.published,
    singer_list: song.singers.map(({ id, mid, name }) => ({ id, mid, name: writing.text(name) })),
    singer_name: writing.text(singerText(song.singers)),
    v_id: song.mv.vid
  }
}

export function foundPlaylist (catalogue: Catalogue, playlist: Playlist, writing: Writing): Record<string, unknown> {
  return {
    copyrightnum: 0,
    createtime: playlist.created,
    creator: {
      avatarUrl: '',
      creator_uin: String(playlist.creator.number),
      encrypt_uin: 'demoListener00**',
      followflag: 0,
      isVip: 0,
      name: writing.text(playlist.creator.nick),
      qq: playlist.creator.number,
      singerid: 0,
      singermid: '',
      type: 0
    },
    diss_status: 400,
    dissid: String(playlist.id),
    dissname: writing.text(playlist.title),
    docid: String(playlist.id),
    imgurl: pictureUrl(catalogue, 'T003', 300, playlist.picture),
    introduction: playlist.desc,
    listennum: playlist.listeners,
    modifytime: playlist.created,
    song_count: playlist.songs.length
  }
}
