/** Play addresses, lyrics, albums, song information, downloads. */
import { Type, type Static } from '@sinclair/typebox'
import {
  defaulted, findable, mid, numberOf, playReason, ref, skipped, songId, typeName, wordOf, isMid
} from './common.ts'
import { elementError } from './errors.ts'
import { Song } from './song.ts'

/** All kinds of files that can be requested, in the API's names. */
const fileQualities = [
  '128',
  'm4a',
  '320',
  'ape',
  'flac',
  'hires',
  'aac24',
  'aac48',
  'aac192',
  'ogg96',
  'ogg192',
  'ogg320',
  'ogg640',
  'master',
  'spatial',
  'spatial51',
  'spatial71',
  'dolby',
  'dts',
  'trial'
] as const
export type FileQuality = typeof fileQualities[number]
export type Quality = FileQuality | 'best'

const quality = defaulted(
  wordOf([...fileQualities, 'best'], {
    [typeName]: 'Quality',
    description:
      '128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), spatial, spatial51, spatial71, dolby, dts (several channels, which few players play), trial (a short part of a song that costs), or best: the best in stereo that the account may have.'
  }),
  '128'
)

const playFields = {
  url: Type.String({
    description: 'Address of the file, valid for some hours and bound to the requesting account; "" when there is none, and reason says why.'
  }),
  size: Type.Integer({ description: 'Bytes of the file; 0 without an address, or when unknown.' }),
  quality: wordOf([...fileQualities, ''], { description: 'Actual quality of the file at the address; "" without one. trial: only a short part.' }),
  availableQualities: Type.Optional(
    Type.Array(wordOf(fileQualities, { [typeName]: 'FileQuality' }), {
      description: 'Qualities of the song\'s files, best first, whether or not the account may use them; absent when unknown.'
    })
  ),
  reason: Type.Optional(playReason),
  hint: Type.Optional(Type.String({ description: 'Only without an address, or with that of a trial that was not asked for: one sentence that says what to do.' }))
}

export const GetMusicPlayQuery = Type.Object({
  songmid: Type.String({
    ...findable,
    ...isMid,
    pattern: '^[0-9A-Za-z_]{1,32}(,[0-9A-Za-z_]{1,32}){0,49}$',
    'x-allowed': '1 to 50 MIDs of 1 to 32 letters, digits or underscores, separated by commas',
    description: 'MID of the song, or up to 50 of them, separated by commas.'
  }),
  songid: Type.Optional(
    songId(
      'Number of the (first) song, if known: some songs are found only by number. The MID decides: a number that does not belong to it is ignored.'
    )
  ),
  mediaId: Type.Optional(mid('media file of the (first) song, when known; otherwise it is looked up')),
  quality
})

export const PlayUrl = Type.Object(playFields, { $id: 'PlayUrl', description: 'Play address of a song, or why there is none.' })

export const MusicPlay = Type.Object({
  ...playFields,
  playUrl: Type.Record(Type.String(), ref(PlayUrl), { description: 'The same for every requested song, by its MID.' })
}, { $id: 'MusicPlay', description: 'Play address of the first song, and of all in playUrl. No address is not an error: see reason and hint.' })

export const DownloadQuery = Type.Object({ songmid: mid('song'), quality })

export const Download = Type.Object({
  ...playFields,
  filename: Type.String({ description: 'Name of the file at the upstream, with its extension; "" without an address.' })
}, { $id: 'Download', description: 'Download address of a song, or why there is none.' })

export type { PlayReason } from './common.ts'
/** Endings that an address of /stream may have. They choose nothing. */
export const streamEnding = /\.(?:mp3|m4a|flac|ogg)$/

export const StreamQuery = Type.Object({
  songmid: Type.String({
    ...findable,
    ...isMid,
    pattern: '^[0-9A-Za-z_]{1,32}(\\.(mp3|m4a|flac|ogg))?$',
    'x-allowed': '1 to 32 letters, digits or underscores, and perhaps one of the endings .mp3, .m4a, .flac, .ogg',
    description: 'MID of the song: 1 to 32 letters, digits or underscores. Some devices judge an address by its ending, so .mp3, .m4a, .flac or .ogg may follow; it chooses no quality.'
  }),
  quality
})

const audioFile = {
  url: Type.String({ description: 'Address of the file at the provider, valid for some hours and bound to the requesting account.' }),
  type: Type.String({ description: 'Content type of the file, such as audio/mpeg.' }),
  size: Type.Integer({ description: 'Bytes of the file; 0 when unknown.' }),
  quality: wordOf(fileQualities, { [typeName]: 'FileQuality', description: 'Actual quality of the file. trial: only a short part of the song.' })
}

export const AudioAddress = Type.Object({
  ...audioFile,
  others: Type.Array(Type.Object(audioFile), {
    description: 'Further addresses, in the order to try them if the first one fails: the same file on other hosts, then files of lower quality.'
  })
}, { $id: 'AudioAddress', description: 'Address of a song\'s audio.' })

export type AudioAddress = Static<typeof AudioAddress>
export type PlayUrl = Static<typeof PlayUrl>
export type MusicPlay = Static<typeof MusicPlay>
export type Download = Static<typeof Download>

export const GetLyricQuery = Type.Object({
  songmid: mid('song'),
  isFormat: defaulted(numberOf([0, 1], { description: '1 parses the lyric into lines beside the text; 0 does not.' }), 0),
  format: defaulted(
    wordOf(['lrc', 'parsed', 'ttml', 'srt'], {
      description: 'Addition to lyric and trans: lrc nothing, parsed the lines (the same as isFormat=1), ttml Timed Text, srt SubRip.'
    }),
    'lrc'
  ),
  roma: defaulted(Type.Boolean({ description: 'true or 1: adds the romanisation, if the upstream sends one unencrypted.' }), false)
})

export const LyricLine = Type.Object({
  time: Type.Optional(
    Type.Integer({ description: 'Start of the line in milliseconds, with the tag offset applied; absent for a line without a time stamp.' })
  ),
  text: Type.String({ description: 'Text of the line; "" where only the translation or the romanisation has a line.' }),
  trans: Type.Optional(Type.String({ description: 'Its translation; absent when there is none.' })),
  roma: Type.Optional(Type.String({ description: 'Its romanisation; absent when there is none.' }))
}, { $id: 'LyricLine', description: 'One line of a lyric.' })

export const Lyric = Type.Object({
  lyric: Type.String({
    description:
      'The LRC text of the upstream: lines of the form [mm:ss.xx]text, with its tags, and with several stamps before a repeated line. format=parsed reads it for you. "" for a song without lyrics (or an unknown song: the upstream sends the same answer).'
  }),
  trans: Type.String({ description: 'The translation in the same form; "" when there is none.' }),
  roma: Type.Optional(Type.String({ description: 'The romanisation in the same form; "" when there is none. Present with roma=true.' })),
  srt: Type.Optional(
    Type.String({
      description:
        'The lyric as a SubRip file, each subtitle with its romanisation and translation below. Present with format=srt, unless the lyric has no times or is implausibly long.'
    })
  ),
  ttml: Type.Optional(
    Type.String({
      description:
        'The lyric as a TTML file; translation and romanisation are spans with the roles x-translation and x-roman. Present with format=ttml, unless the lyric has no times or is implausibly long.'
    })
  ),
  parsed: Type.Optional(Type.Object({
    tags: Type.Record(Type.String(), Type.String(), { description: 'Header tags such as ti, ar, al, by. The tag offset is already applied to the times.' }),
    synced: Type.Boolean({ description: 'Whether every line has a time. Lines without one stand where they stand in the text.' }),
    lines: Type.Array(ref(LyricLine), { description: 'Lines in order of time; empty lines are omitted.' })
  }, { description: 'Present with isFormat=1 or format=parsed, unless the lyric is implausibly long.' }))
}, { $id: 'Lyric', description: 'Timestamped lyric of a song.' })

export type Lyric = Static<typeof Lyric>

export const GetAlbumInfoQuery = Type.Object({ albummid: mid('album') })

export const AlbumInfo = Type.Object({
  id: Type.Integer({ description: 'Number of the album; 0 when unknown.' }),
  mid: Type.String({ description: 'MID of the album.' }),
  albumName: Type.String({ description: 'Name.' }),
  singerName: Type.String({ description: 'Singers, joined by "/".' }),
  publicTime: Type.String({ description: 'Day of publication, YYYY-MM-DD; "" when unknown.' }),
  desc: Type.String({ description: 'About the album; "" when there is nothing.' }),
  company: Type.String({ description: 'Record company; "" when unknown.' }),
  genre: Type.String({ description: 'Genre, in the upstream\'s words; "" when unknown.' }),
  language: Type.String({ description: 'Language, in the upstream\'s words; "" when unknown.' }),
  total: Type.Integer({ description: 'Number of songs.' }),
  songs: Type.Array(ref(Song), { description: 'Its songs, in the order of the album: by disc, then by track.' }),
  skipped
}, { $id: 'AlbumInfo', description: 'An album and its songs.' })

export type AlbumInfo = Static<typeof AlbumInfo>

export const GetSongInfoQuery = Type.Object({
  songid: Type.Optional(songId('Number of the song; this or songmid. Ignored beside a songmid.')),
  songmid: Type.Optional(mid('song; this or songid'))
})

export const SongInfoBlock = Type.Object({
  title: Type.String({ description: 'Label, in the upstream\'s words.' }),
  values: Type.Array(Type.String(), { description: 'Its values.' })
}, { $id: 'SongInfoBlock', description: 'One line of the information about a song.' })

export const SongInfo = Type.Object({
  songinfo: Type.Object({
    code: numberOf([0], { description: '0 = success.' }),
    data: Type.Object({
      track_info: ref(Song),
      info: Type.Object({
        company: Type.Optional(ref(SongInfoBlock)),
        genre: Type.Optional(ref(SongInfoBlock)),
        intro: Type.Optional(ref(SongInfoBlock)),
        lan: Type.Optional(ref(SongInfoBlock)),
        pub_time: Type.Optional(ref(SongInfoBlock))
      }, { description: 'Company, genre, introduction, language, day of publication; unknown ones are absent.' }),
      extras: Type.Object({
        name: Type.String({ description: 'Title as the upstream spells it here; "" when unknown.' }),
        transname: Type.String({ description: 'Translated title; "" when there is none.' }),
        subtitle: Type.String({ description: 'Subtitle; "" when there is none.' }),
        from: Type.String({ description: 'Source, such as a film; "" when unknown.' }),
        wikiurl: Type.String({ description: 'Address of an article; "" when there is none.' })
      }, { description: 'Other texts about the song.' })
    }, { description: 'The song and further details.' })
  }, { description: 'Details of the song from the upstream.' })
}, { $id: 'SongInfo', description: 'A song in detail; its MID is at songinfo.data.track_info.mid.' })

export type SongInfo = Static<typeof SongInfo>

const batchValue = Type.Unsafe<string | number>({
  anyOf: [
    { ...findable, type: 'string', pattern: '^[0-9A-Za-z_]{0,32}$', 'x-allowed': 'a MID, or the number of the song as second value' },
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  ]
})

export const BatchGetSongInfoBody = Type.Object({
  songs: defaulted(
    Type.Array(
      Type.Array(batchValue, {
        minItems: 1,
        maxItems: 2,
        description:
          '[song_mid] or [song_mid, song_id]. The MID decides, and a number beside it is ignored; with "" as MID the number counts. A missing song_id is "".'
      }),
      { maxItems: 100, description: 'The songs, at most 100. If omitted: none.' }
    ),
    []
  )
})

export const SongInfoFailure = Type.Object({
  ...elementError,
  song_mid: Type.String({ description: 'The requested MID; "" if only a number was sent.' })
}, { $id: 'SongInfoFailure', description: 'Replaces a song that could not be fetched; the others are not affected.' })

export const SongInfoBatch = Type.Array(Type.Union([ref(SongInfo), ref(SongInfoFailure)]), {
  description: 'One element for each requested song, in the same order.'
})

export type LyricLine = Static<typeof LyricLine>
