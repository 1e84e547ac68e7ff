/** Play addresses of one or several songs. The file name requires the media MID, so every song is looked up first. */
import { codeMsgData, endpoint } from '../kit.ts'
import { GetMusicPlayQuery, MusicPlay, type PlayUrl } from '../../../schemas/music.ts'
import { playables, type PlayRequest } from './play.ts'

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
  cache: 'short-lived',

  async run ({ songmid, songid, mediaId, quality }, context) {
    const wanted = wantedOf(songmid, songid, mediaId)
    const found = await playables(wanted, quality, context)
    const playUrl = Object.fromEntries(wanted.map(({ songmid: mid }, at) => [mid, found[at]?.play as PlayUrl]))
    return { ...found[0]?.play as PlayUrl, playUrl }
  }
})
