import type { Access, Deletion, Song } from '../catalogue/types.ts'
import { escapeHtml } from './text.ts'

/** Slots of `size_new` and `vs` by index, for the files that the demo has (2026-08). */
function sizeNew (sizes: Song['sizes']): number[] {
  const slots = Array.from({ length: 14 }, () => 0)
  slots[0] = sizes['AI00'] ?? 0
  slots[1] = sizes['Q000'] ?? 0
  slots[2] = sizes['Q001'] ?? 0
  slots[3] = sizes['O800'] ?? 0
  slots[5] = sizes['O801'] ?? 0
  slots[6] = sizes['Q003'] ?? 0
  slots[9] = sizes['DT03'] ?? 0
  return slots
}

function fileOf (song: Song): Record<string, unknown> {
  const { sizes } = song
  const trial = sizes['RS02'] ?? 0
  return {
    media_mid: song.mediaMid,
    size_24aac: sizes['C100'] ?? 0,
    size_48aac: sizes['C200'] ?? 0,
    size_96aac: sizes['C400'] ?? 0,
    size_192ogg: sizes['O600'] ?? 0,
    size_192aac: sizes['C600'] ?? 0,
    size_128mp3: sizes['M500'] ?? 0,
    size_320mp3: sizes['M800'] ?? 0,
    size_ape: sizes['A000'] ?? 0,
    size_flac: sizes['F000'] ?? 0,
    size_dts: 0,
    size_try: trial,
    try_begin: trial ? 41000 : 0,
    try_end: trial ? 45000 : 0,
    url: '',
    size_hires: sizes['RS01'] ?? 0,
    hires_sample: sizes['RS01'] ? 22050 : 0,
    hires_bitdepth: sizes['RS01'] ? 24 : 0,
    b_30s: 0,
    e_30s: trial ? 60000 : 0,
    size_96ogg: sizes['O400'] ?? 0,
    size_360ra: [],
    size_dolby: sizes['D004'] ?? 0,
    size_new: sizeNew(sizes)
  }
}

function payOf (access: Access): Record<string, number> {
  const paid = access === 'paid' ? 1 : 0
  const monthly = access === 'free' ? 0 : 1
  return {
    pay_month: monthly,
    price_track: monthly * 200,
    price_album: 0,
    pay_play: paid,
    pay_down: monthly,
    pay_status: 0,
    time_free: 0
  }
}

function actionOf (access: Access): Record<string, unknown> {
  const blocked = access === 'gone' || access === 'region'
  return {
    switch: blocked ? 0 : 16889603,
    msgid: 14,
    alert: 2,
    icons: 8535932,
    msgshare: 0,
    msgfav: 0,
    msgdown: 0,
    msgpay: 6,
    switch2: 524288,
    icon2: 134217728
  }
}

/** Slot 0 is the trial file. The other slots are versions that the demo lacks. */
function versionsOf (song: Song): string[] {
  return [song.sizes['RS02'] ? song.trialMid : '', ...Array.from({ length: 38 }, () => '')]
}

function albumOf (song: Song): Record<string, unknown> {
  const { album } = song
  if (!album) return { id: 0, mid: '', name: '', title: '', subtitle: '', time_public: '', pmid: '' }
  return {
    id: album.id,
    mid: album.mid,
    name: album.name,
    title: album.name,
    subtitle: '',
    time_public: album.published,
    pmid: `${album.mid}_1`
  }
}

/** Returns a song in the NEW shape, as every musicu call sends it (recorded 2026-08). */
export function newSong (song: Song): Record<string, unknown> {
  return {
    id: song.id,
    type: 0,
    mid: song.mid,
    name: song.name,
    title: song.title,
    subtitle: song.subtitle,
    singer: song.singers.map(({ id, mid, name, sex }) => ({ id, mid, name, title: name, type: sex, uin: 0, pmid: '' })),
    album: albumOf(song),
    mv: { ...song.mv, name: '', title: '', vt: 0 },
    interval: song.interval,
    isonly: 0,
    language: 0,
    genre: 1,
    index_cd: song.discNumber,
    index_album: song.trackNumber,
    time_public: song.published,
    status: song.access === 'gone' ? 1 : 0,
    fnote: 4009,
    file: fileOf(song),
    pay: payOf(song.access),
    action: actionOf(song.access),
    ksong: { id: 0, mid: '' },
    volume: { gain: -7.5, peak: 1, lra: 6.12 },
    label: '0',
    url: '',
    bpm: 0,
    version: 0,
    trace: '',
    data_type: 0,
    modify_stamp: 0,
    pingpong: '',
    aid: 0,
    ppurl: '',
    tid: 0,
    ov: 0,
    sa: 17408,
    es: '',
    vs: versionsOf(song),
    vi: [0, 0, 0, 0, 41000, 45000, 1],
    ktag: '0',
    vf: [-7.5, 1, 6.12, 0, 0, 0, 0, 0, 0],
    va: []
  }
}

/**
 * Returns a row of a playlist: singers and MV are shorter, and `songtype` 13 is not the type that play addresses need
 * (2026-08).
 */
export function playlistSong (song: Song): Record<string, unknown> {
  const { pmid, id, mid, name, title } = albumOf(song)
  return {
    ...newSong(song),
    songtype: 13,
    singer: song.singers.map((singer) => ({ id: singer.id, mid: singer.mid, name: singer.name, title: singer.name })),
    album: { id, mid, name, title, pmid },
    mv: { ...song.mv, vt: 0 },
    data_type: 8,
    team: '',
    bf: 0
  }
}

/**
 * Returns the row of a deleted song: a number and little else, or nothing (2026-11). `old`: in the shape of classic
 * calls.
 */
export function deletedRow (kind: Deletion, id: number, old = false): unknown {
  if (kind === 'null') return null
  if (old) return kind === 'bare' ? { songid: id, songmid: '', songname: '', singer: [] } : { songid: 0, songmid: '' }
  return kind === 'bare' ? { id, mid: '', name: '', singer: [], album: {}, file: {} } : { id: 0, mid: '' }
}

/**
 * Returns a song in the OLD shape of the classic paths: names are HTML-escaped, size fields lack the `_` (2017..2022
 * captures).
 */
export function oldSong (song: Song): Record<string, unknown> {
  const monthly = song.access === 'free' ? 0 : 1
  return {
    albumdesc: '',
    albumid: song.album?.id ?? 0,
    albummid: song.album?.mid ?? '',
    albumname: escapeHtml(song.album?.name ?? ''),
    alertid: 2,
    belongCD: song.trackNumber,
    cdIdx: song.discNumber,
    interval: song.interval,
    isonly: 0,
    label: '0',
    msgid: 14,
    pay: {
      payalbum: 0,
      payalbumprice: 0,
      paydownload: monthly,
      payinfo: monthly,
      payplay: song.access === 'paid' ? 1 : 0,
      paytrackmouth: monthly,
      paytrackprice: monthly * 200,
      timefree: 0
    },
    preview: { trybegin: 0, tryend: 0, trysize: song.sizes['RS02'] ?? 0 },
    rate: 23,
    singer: song.singers.map(({ id, mid, name }) => ({ id, mid, name: escapeHtml(name) })),
    size128: song.sizes['M500'] ?? 0,
    size320: song.sizes['M800'] ?? 0,
    size5_1: 0,
    sizeape: song.sizes['A000'] ?? 0,
    sizeflac: song.sizes['F000'] ?? 0,
    sizeogg: song.sizes['O600'] ?? 0,
    songid: song.id,
    songmid: song.mid,
    songname: escapeHtml(song.title),
    songorig: escapeHtml(song.name),
    songtype: 0,
    strMediaMid: song.mediaMid,
    stream: 13,
    switch: 636675,
    type: 0,
    vid: song.mv.vid
  }
}
