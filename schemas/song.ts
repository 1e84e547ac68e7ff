/** The shared song record, and the small records inside it. */
import { Type, type Static } from '@sinclair/typebox'
import { ref } from './common.ts'

export const SongSinger = Type.Object({
  id: Type.Integer({ description: 'Number of the singer; 0 when unknown.' }),
  mid: Type.String({ description: 'MID of the singer; "" when unknown.' }),
  name: Type.String({ description: 'Name.' })
}, { $id: 'SongSinger', description: 'A singer, as listed in songs, albums and MVs.' })

export const SongFile = Type.Object({
  media_mid: Type.String({ description: 'MID of the media files; differs from the song\'s MID for many songs. "" when unknown.' }),
  size_128mp3: Type.Integer({ description: 'Bytes at 128 kbit/s MP3; 0 when there is none.' }),
  size_320mp3: Type.Integer({ description: 'Bytes at 320 kbit/s MP3; 0 when there is none.' }),
  size_flac: Type.Integer({ description: 'Bytes as FLAC; 0 when there is none.' })
}, { $id: 'SongFile', description: 'Files of the song.' })

export const SongPay = Type.Object({
  pay_play: Type.Integer({ description: '1 when playing needs a paid account, 0 otherwise or unknown.' }),
  pay_down: Type.Integer({ description: '1 when downloading needs a paid account, 0 otherwise or unknown.' }),
  pay_month: Type.Integer({ description: '1 when a subscription covers it, 0 otherwise or unknown.' })
}, { $id: 'SongPay', description: 'Payment for the song.' })

/** In every record of a song in a list. */
export const unplayable = Type.Optional(
  Type.Boolean({ description: 'Only on a song that the upstream has deleted: only its number or MID is left, and it cannot be played.' })
)

/** Place of a song on its album, in every record that has it. */
export const trackFields = {
  track: Type.Optional(Type.Integer({ description: 'Number of the song on its disc, from 1; absent when the upstream sends none.' })),
  disc: Type.Optional(Type.Integer({ description: 'Number of the disc, from 1; absent when the upstream sends none.' }))
}

export const Song = Type.Object({
  id: Type.Integer({ description: 'Number of the song; 0 when unknown.' }),
  mid: Type.String({ description: 'MID of the song; "" when unknown.' }),
  name: Type.String({ description: 'Short title; "" for a deleted song.' }),
  title: Type.String({ description: 'Full title; "" for a deleted song.' }),
  subtitle: Type.String({ description: 'Subtitle, such as the film it is from; "" when there is none.' }),
  singer: Type.Array(ref(SongSinger), { description: 'Singers, main one first.' }),
  album: Type.Object({
    id: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
    mid: Type.String({ description: 'MID of the album; "" when it has none.' }),
    name: Type.String({ description: 'Name of the album.' }),
    pmid: Type.String({ description: 'Id of the album picture, for /getImageUrl; "" when unknown.' })
  }, { description: 'The album it is on.' }),
  mv: Type.Object({
    id: Type.Integer({ description: 'Number of the MV; 0 when there is none.' }),
    vid: Type.String({ description: 'vid of the MV; "" when there is none.' })
  }, { description: 'Its MV.' }),
  interval: Type.Integer({ description: 'Length in seconds; 0 when unknown.' }),
  ...trackFields,
  time_public: Type.String({ description: 'Day of publication, YYYY-MM-DD; "" when unknown.' }),
  file: ref(SongFile),
  pay: ref(SongPay),
  unplayable
}, { $id: 'Song', description: 'A song. Missing numbers are 0, missing texts "".' })

export type Song = Static<typeof Song>
export type SongSinger = Static<typeof SongSinger>
