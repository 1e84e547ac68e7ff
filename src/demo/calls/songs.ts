import type { Catalogue, Song } from '../catalogue/types.ts'
import { newSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param } from '../types.ts'
import { mistyped } from './params.ts'

function infoBlock (
  title: string,
  type: string,
  pos: number,
  selected: string,
  value: string,
  id = 0
): Record<string, unknown> {
  const entry = {
    id,
    value,
    mid: '',
    type: 0,
    show_type: 0,
    is_parent: 0,
    picurl: '',
    read_cnt: 0,
    author: '',
    jumpurl: '',
    ori_picurl: ''
  }
  return { title, type, content: [entry], pos, more: 0, selected, use_platform: 1 }
}

/** Any of the five blocks may be absent. Songs without an album have only the date. */
function infoOf (song: Song): Record<string, unknown> {
  const published = infoBlock('发行时间', 'desc', 50, 'pub_time', song.published)
  const { album } = song
  if (!album) return { pub_time: published }
  return {
    company: infoBlock('唱片公司', 'JUMP_TO_COMPANY', 51, 'company', album.company.name, album.company.id),
    genre: infoBlock('歌曲流派', 'JUMP_TO_CATEGORY', 12, 'genre', album.genre.name, album.genre.id),
    intro: infoBlock('简介', 'SPECIAL_DISPLAY', 52, 'intro', `"${song.title}" was written for this demo & for nothing else.`),
    lan: infoBlock('歌曲语种', 'JUMP_TO_CATEGORY', 11, 'lan', album.language.name, album.language.id),
    pub_time: published
  }
}

/**
 * Finds a song. If both keys are given, the MID counts. An empty string as `song_id` is tolerated (older clients send
 * all three).
 */
function songOf (catalogue: Catalogue, param: Param): Song | undefined {
  const { song_mid: mid, song_id: id } = param
  if (typeof mid === 'string' && mid !== '') return catalogue.songByMid.get(mid)
  return typeof id === 'number' ? catalogue.songById.get(id) : undefined
}

/** An unknown song is code 0 without `track_info`. */
function getSongDetail (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    song_mid: 'string',
    song_type: 'number',
    ...(param['song_id'] !== '' && { song_id: 'number' })
  })
  if (wrong) return wrong
  const song = songOf(catalogue, param)
  if (!song) {
    return { code: 0, data: { info: {}, extras: { name: '', transname: '', subtitle: '', from: '', wikiurl: '' } } }
  }
  const extras = { name: song.name, transname: '', subtitle: song.subtitle, from: '3', wikiurl: '' }
  return { code: 0, data: { info: infoOf(song), extras, track_info: newSong(song) } }
}

/** Ids and MIDs in one call answer 103901. `types` must be as long as the list. Unknown songs are absent. */
function getTrackInfo (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    ids: 'numbers',
    mids: 'strings',
    types: 'numbers',
    modify_stamp: 'numbers',
    ctx: 'number',
    client: 'number'
  })
  if (wrong) return wrong
  const { ids, mids, types } = param as { ids?: number[], mids?: string[], types?: number[] }
  if (ids?.length && mids?.length) return { code: 103901 }
  if (types?.length !== (ids?.length || mids?.length || 0)) return { code: 10000 }

  const found = ids?.length
    ? ids.map((id) => catalogue.songById.get(id))
    : (mids ?? []).map((mid) => catalogue.songByMid.get(mid))
  const tracks = found.flatMap((song) => song ? [newSong(song)] : [])
  const caller = {
    ct: 24,
    cv: 4747474,
    ip: '192.0.2.1',
    ipv6: '2001:db8::1',
    local_ip: '192.0.2.1',
    musicid: 1000000001,
    role: 0
  }
  return { code: 0, data: { ...caller, tracks } }
}

export const songCalls: MusicuTable = {
  'music.pf_song_detail_svr/get_song_detail_yqq': getSongDetail,
  'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo': getTrackInfo
}

export const songPaths: ClassicTable = {
  '/v8/fcg-bin/fcg_play_single_song.fcg': {
    answer: ({ songmid, songid }, { catalogue }) => {
      const song = songmid ? catalogue.songByMid.get(songmid) : catalogue.songById.get(Number(songid))
      return {
        code: 0,
        data: song ? [newSong(song)] : [],
        url: {},
        url1: {},
        extra_data: [],
        joox: 0,
        joox_login: 0,
        msgid: 0
      }
    }
  }
}
