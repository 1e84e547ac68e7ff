/** Other versions of a song. The upstream finds them by MID, without a login (observed 2026-09). */
import { GetOtherVersionsQuery, OtherVersions } from '../../../schemas/around.ts'
import { codeMsgData, endpoint, maybe, textOf, upstreamEmpty, type Answer, type MusicuCall } from '../kit.ts'
import { readCounted } from '../shared/pages.ts'
import { listedSong, readSongRow } from '../shared/song.ts'

type Versions = Pick<OtherVersions, 'versions' | 'skipped'>

const versionsOf = (songmid: string): MusicuCall<Versions> => ({
  name: 'song.versions',
  request: { module: 'music.musichallSong.OtherVersionServer', method: 'GetOtherVersionSongs', param: { songmid } },
  read: readVersions
})

/** Reads two parallel lists: the songs, and their descriptions. Null means no songs. */
function readVersions (answer: Answer): Versions {
  const tags = maybe.list(answer, 'extras', (row) => textOf(row, 'tag'))
  const { rows, skipped } = readCounted(answer, ['versionList'], (row, at) => {
    const song = readSongRow(row)
    return song === undefined ? undefined : { tag: tags[at] ?? '', song }
  })
  if (answer.reach('versionList') === undefined) throw upstreamEmpty(answer.call, 'other versions')
  return { versions: rows, skipped }
}

export const getOtherVersions = endpoint({
  method: 'GET',
  path: '/getOtherVersions',
  tag: 'music',
  summary: 'Other versions of a song',
  summaryInChinese: '歌曲的其他版本',
  description: 'Live recordings, covers, remixes: at most ten, without pages. For an unknown song the list is empty, because the upstream sends the same answer.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  songs: ({ versions }) => versions.map(({ song }) => listedSong(song)),
  input: GetOtherVersionsQuery,
  record: OtherVersions,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ songmid }, { upstream }) {
    return { songmid, ...await upstream.send(versionsOf(songmid)) }
  }
})
