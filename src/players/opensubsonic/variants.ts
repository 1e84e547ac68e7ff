/** Endpoints in the form that players need, cached per account. No route has them. */
import { Type, type Static } from '@sinclair/typebox'
import { mid, ref } from '../../../schemas/common.ts'
import { AudioAddress, StreamQuery, type AlbumInfo } from '../../../schemas/music.ts'
import { PlaylistDetail } from '../../../schemas/playlists.ts'
import { Song, SongSinger } from '../../../schemas/song.ts'
import { endpoint } from '../../relay/endpoint.ts'
import { eachAlbum, getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import { playables, type Playable } from '../../endpoints/music/play.ts'
import { addressesIn, audioAt, stream } from '../../endpoints/music/playing.ts'
import { getSongListDetail, playlistOf } from '../../endpoints/playlists/getSongListDetail.ts'
import { byWish } from '../../endpoints/shared/songFiles.ts'
import { account } from '../../endpoints/user/account.ts'
import { lengthOf, playable } from './records.ts'

/** The audio of a song for players that wish for a bit rate or a kind of file instead of ordering a quality. */
export const wishedStream = endpoint({
  ...stream,
  input: Type.Object({
    songmid: mid('song'),
    most: Type.Optional(Type.Integer({ minimum: 1, description: 'Bit rate in kbit/s that the file should not exceed.' })),
    extension: Type.Optional(Type.String({ description: 'Extension of the wished kind of file.' }))
  }),

  async run ({ songmid, ...wish }, context) {
    const [found] = await playables([{ songmid }], 'best', context)
    const { files, track } = found as Playable
    return audioAt(found as Playable, byWish(files, wish, track), context)
  }
})

/** The addresses of each song in one quality; none of a song without it. */
export const addressesOfSongs = endpoint({
  method: stream.method,
  path: `${stream.path}/songs`,
  tag: stream.tag,
  summary: stream.summary,
  summaryInChinese: stream.summaryInChinese,
  description: stream.description,
  example: {},
  probe: 'none',
  input: Type.Object({ songmids: Type.Array(mid('song')), quality: StreamQuery.properties.quality }),
  record: Type.Array(Type.Array(Type.Omit(AudioAddress, ['others']))),
  envelope: stream.envelope,
  login: 'optional',
  plays: true,

  async run ({ songmids, quality }, context) {
    const found = await playables(songmids.map((songmid) => ({ songmid })), quality, context)
    return found.map((one) => addressesIn(one, one.files.filter((file) => file.quality === quality), context))
  }
})

const { samples: _, songs: __, total: ___, ...detail } = getSongListDetail

/** A playlist with whole songs. */
export const playlistOfSongs = endpoint({
  ...detail,
  path: `${detail.path}/songs`,
  record: Type.Object({
    ...Type.Omit(PlaylistDetail, ['songlist']).properties,
    changed: Type.Integer({ description: 'When it was last changed, Unix seconds; 0 when unknown.' }),
    songs: Type.Array(ref(Song))
  }),
  run: playlistOf
})

const AlbumSummary = Type.Object({
  singers: Type.Array(ref(SongSinger)),
  day: Type.String(),
  songCount: Type.Integer(),
  seconds: Type.Integer()
})
type AlbumSummary = Static<typeof AlbumSummary>

/** Albums in one call of `albumsOfMany`. */
export const albumsAtOnce = 100

/** Returns what an album says about its songs. */
export function summaryOf ({ singerName, publicTime, songs: rows }: AlbumInfo): AlbumSummary {
  const songs = playable(rows)
  const known = songs.flatMap(({ singer }) => singer)
  const singers = singerName.split('/').flatMap((name) =>
    name === '' ? [] : [known.find((singer) => singer.name === name) ?? { id: 0, mid: '', name }])
  return { singers, day: publicTime, ...lengthOf(songs) }
}

/** What albums say about their songs; null for an album that cannot be read. */
export const albumsOfMany = endpoint({
  method: 'POST',
  path: `${getAlbumInfo.path}/many`,
  tag: getAlbumInfo.tag,
  summary: getAlbumInfo.summary,
  summaryInChinese: getAlbumInfo.summaryInChinese,
  description: getAlbumInfo.description,
  example: {},
  probe: 'none',
  input: Type.Object({ albummids: Type.Array(mid('album'), { maxItems: albumsAtOnce }) }),
  record: Type.Array(Type.Union([
    AlbumSummary,
    Type.Null()
  ])),
  envelope: getAlbumInfo.envelope,
  cache: 'slow',

  async run ({ albummids }, context) {
    const inputs = albummids.map((albummid) => ({ albummid }))
    const found = await context.elements(
      getAlbumInfo,
      inputs,
      async (missing) => await eachAlbum(context.upstream, missing.map(({ albummid }) => albummid))
    )
    if (found.some(({ error }) => error !== undefined)) context.cacheAtMost('brief')
    return found.map(({ value }) => value === undefined ? null : summaryOf(value))
  }
})

/** The state of the account behind a player. A key that may not see the account plays what the account plays. */
export const accountState = { ...account, login: 'optional' as const, plays: true as const, cache: 'lively' as const }

// @mutate OpenSubsonic: opensubsonic opensubsonic-fields
