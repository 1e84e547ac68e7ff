/** Addresses of songs, to play, to download, and as a permanent one. */
import {
  AudioAddress, Download, DownloadQuery, GetMusicPlayQuery, MusicPlay, StreamQuery, streamEnding, type PlayUrl
} from '../../../schemas/music.ts'
import { NotPlayable, audio, codeMsgData, endpoint, responseCodeData, type Context } from '../kit.ts'
import { playables, type GrantedFile, type PlayRequest, type Playable } from './play.ts'
import { contentTypeOf } from '../shared/songFiles.ts'
import { addressesOf } from '../../upstream/wire/audioRoots.ts'

/** `songid` and `mediaId` apply to the first song only. */
function wantedOf (songmids: string, songid: number | undefined, mediaId: string | undefined): PlayRequest[] {
  return [...new Set(songmids.split(','))].map((songmid, at) => ({
    songmid,
    ...(at === 0 ? { songid, mediaId } : {})
  }))
}

export const getMusicPlay = endpoint({
  method: 'GET',
  path: '/getMusicPlay',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'Play address of up to fifty songs',
  summaryInChinese: '歌曲的播放链接，一次最多 50 首',
  description: 'No address is not an error: url is "", and reason and hint say why. Most songs need the cookie of an account, some of a paid account. url, size and quality are those of the first song; playUrl has every song by its MID. An unknown song does not fail the others.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetMusicPlayQuery,
  record: MusicPlay,
  envelope: codeMsgData,
  login: 'optional',
  plays: true,
  cache: 'short-lived',

  async run ({ songmid, songid, mediaId, quality }, context) {
    const wanted = wantedOf(songmid, songid, mediaId)
    const found = await playables(wanted, quality, context)
    const playUrl = Object.fromEntries(wanted.map(({ songmid: mid }, at) => [mid, found[at]?.play as PlayUrl]))
    return { ...found[0]?.play as PlayUrl, playUrl }
  }
})

// The download URL of a song's file. Only files that the caller's own account may play; no protection is circumvented.

export const downloadProviderMusic = endpoint({
  method: 'GET',
  path: '/downloadProviderMusic',
  tag: 'music',
  summary: 'Address, size and name of a song\'s file',
  summaryInChinese: '歌曲文件的地址、大小和文件名',
  description: 'The relay sends the address, not the file. Only files that the caller\'s account may use; encrypted files are omitted. No address is not an error: url is "", and reason and hint say why.',
  example: { songmid: '00DemoSong0001', quality: 'm4a' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: DownloadQuery,
  record: Download,
  envelope: responseCodeData,
  login: 'optional',
  plays: true,
  cache: 'short-lived',

  async run ({ songmid, quality }, context) {
    const [found] = await playables([{ songmid }], quality, context)
    const { play, filename } = found as Playable
    return { ...play, filename }
  }
})

// The audio of a song under a permanent address, because the upstream's own addresses expire.

/** Returns the addresses of a song's files, in the order of `files`. Empty if no player can open one. */
export const addressesIn = (
  { roots }: Playable,
  files: readonly GrantedFile[],
  { playerAddress }: Context
): Omit<AudioAddress, 'others'>[] =>
  files.flatMap(({ filename, path, quality, size }) =>
    addressesOf(roots, path, playerAddress).map((url) => ({ url, type: contentTypeOf(filename), size, quality })))

/** Returns the addresses of a song's files, in the order of `files`. Throws NOT_PLAYABLE. */
export function audioAt (found: Playable, files: readonly GrantedFile[], context: Context): AudioAddress {
  const [first, ...others] = addressesIn(found, files, context)
  const { play: { reason, hint } } = found
  if (first === undefined) throw new NotPlayable(reason ?? 'UNKNOWN', hint ?? 'The upstream gave an address that no player can open: try again later.')
  return { ...first, others }
}

export const stream = endpoint({
  method: 'GET',
  path: '/stream',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'The audio of a song, for players',
  summaryInChinese: '歌曲音频，可直接交给播放器',
  description: 'A permanent address for audio elements, mpv, VLC, speakers and lists. The path may end in .mp3, .m4a, .flac or .ogg, for devices that judge an address by its ending. Answers with a redirect to the file, or, if the setting stream is relay, with the file itself, with ranges. If the song cannot be played, the answer is 404, and reason and hint say why. A caller that accepts only application/json gets the address as JSON.',
  example: { songmid: '00DemoSong0001' },
  probe: 'none',
  input: StreamQuery,
  record: AudioAddress,
  envelope: audio,
  login: 'optional',
  plays: true,

  async run ({ songmid: given, quality }, context) {
    const songmid = given.replace(streamEnding, '')
    const [found] = await playables([{ songmid }], quality, context, true)
    return audioAt(found as Playable, (found as Playable).files, context)
  }
})

// @mutate streams: play stream
