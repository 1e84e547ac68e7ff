/**
 * Links in the search box: the list of songs that a link names.
 * @typedef {import('../../schemas/song.ts').Song} Song
 * @typedef {import('./queue.js').Playable} Playable
 */
import { RequestError } from '../shared/failure.js'
import { ask } from './relay.js'

/** Whether a text looks like it holds an address. Whose it is, the relay knows. @param {string} text */
const hasAddress = (text) => /https?(?::|%)|(?:^|[^\w])[\w-]+(?:\.[\w-]+)+\/\S|\[CQ:/i.test(text)

/**
 * Returns what to request for the thing that a link in the text names, how its list is called, and its songs. Undefined if the text is to
 * be searched for. Throws a RequestError.
 * @param {string} text
 * @param {AbortSignal} signal
 * @param {{ songs: (songs: readonly Song[]) => HTMLElement[], playables: (songs: readonly Playable[]) => HTMLElement[] }} rows
 */
export async function linkedView (text, signal, rows) {
  if (!hasAddress(text)) return undefined
  try {
    return viewOf(await ask('resolve', { text }, signal), rows)
  } catch (error) {
    if (error instanceof RequestError && error.failure.code === 'INVALID_INPUT') return undefined
    throw error
  }
}

/**
 * @param {import('../../schemas/resolve.ts').Resolved} thing
 * @param {Parameters<typeof linkedView>[2]} rows
 */
function viewOf ({ type, id, mid }, { songs, playables }) {
  switch (type) {
    case 'song': return view('getSongInfo', { songmid: mid }, ({ songinfo }) => songinfo.data.track_info.title, ({ songinfo }) => songs([songinfo.data.track_info]))
    case 'album': return view('getAlbumInfo', { albummid: mid }, ({ albumName }) => albumName, (record) => songs(record.songs))
    case 'singer': return view('getSingerHotsong', { singermid: mid, limit: 50 }, ({ songList: [first] }) => first?.singer.find((singer) => singer.mid === mid)?.name ?? '', ({ songList }) => songs(songList))
    case 'playlist': return view('getSongListDetail', { disstid: id, limit: 500 }, ({ dissname }) => dissname, ({ songlist }) =>
      playables(songlist.map(({ songid, songmid, songname, singer }) => ({ mid: songmid, id: songid, name: songname, singers: singer }))))
    case 'chart': return view('getRanks', { topId: id, limit: 50 }, ({ topList }) => topList.name, ({ songInfoList }) =>
      playables(songInfoList.map(({ songId, song_mid: songmid = '', songName, singerName }) => ({ mid: songmid, id: songId, name: songName, singers: singerName }))))
    case 'mv': throw new RequestError({ error: 'The link leads to an MV. This page plays songs only.', code: 'MV_LINK' })
    default: return undefined
  }
}

/**
 * @template {keyof import('./relay.js').Records} P
 * @param {P} path
 * @param {import('./relay.js').Query} query
 * @param {(record: import('./relay.js').Records[P]) => string} name
 * @param {(record: import('./relay.js').Records[P]) => HTMLElement[]} rows
 */
const view = (path, query, name, rows) => ({ path, query, rows, heading: (/** @type {import('./relay.js').Records[P] | undefined} */ record) => record === undefined ? '' : name(record) })
