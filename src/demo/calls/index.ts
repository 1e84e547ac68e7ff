import type { ClassicTable, MusicuTable } from '../types.ts'
import { albumCalls, albumPaths } from './albums.ts'
import { aroundCalls } from './around.ts'
import { chartCalls, chartPaths } from './charts.ts'
import { commentCalls, commentPaths } from './comments.ts'
import { discoverCalls, discoverPaths } from './discover.ts'
import { favouriteCalls, favouritePaths } from './favourites.ts'
import { hintCalls, hintPaths } from './hints.ts'
import { homepageCalls } from './homepage.ts'
import { libraryCalls, libraryPaths } from './library.ts'
import { loginCalls } from './logins.ts'
import { lyricCalls, lyricPaths } from './lyrics.ts'
import { mvCalls, mvPaths } from './mv.ts'
import { newAlbumCalls } from './newAlbums.ts'
import { playCalls } from './play.ts'
import { playlistDetailCalls, playlistDetailPaths } from './playlistDetail.ts'
import { playlistCalls, playlistPaths } from './playlists.ts'
import { radioCalls } from './radio.ts'
import { recommendCalls, recommendPaths } from './recommend.ts'
import { searchCalls } from './searchModules.ts'
import { searchPaths } from './search.ts'
import { singerCalls, singerPaths } from './singers.ts'
import { singerWorkCalls, singerWorkPaths } from './singerWorks.ts'
import { shareLinkPaths } from './shareLinks.ts'
import { songCalls, songPaths } from './songs.ts'
import { userCalls } from './users.ts'

/** Every simulated musicu call, one line per family. */
export const musicuCalls: MusicuTable = {
  ...albumCalls,
  ...aroundCalls,
  ...chartCalls,
  ...commentCalls,
  ...discoverCalls,
  ...favouriteCalls,
  ...hintCalls,
  ...homepageCalls,
  ...libraryCalls,
  ...loginCalls,
  ...lyricCalls,
  ...mvCalls,
  ...newAlbumCalls,
  ...playCalls,
  ...playlistCalls,
  ...playlistDetailCalls,
  ...radioCalls,
  ...recommendCalls,
  ...searchCalls,
  ...singerCalls,
  ...singerWorkCalls,
  ...songCalls,
  ...userCalls
}

export const classicPaths: ClassicTable = {
  ...albumPaths,
  ...chartPaths,
  ...commentPaths,
  ...discoverPaths,
  ...favouritePaths,
  ...hintPaths,
  ...libraryPaths,
  ...lyricPaths,
  ...mvPaths,
  ...playlistDetailPaths,
  ...playlistPaths,
  ...recommendPaths,
  ...searchPaths,
  ...shareLinkPaths,
  ...singerPaths,
  ...singerWorkPaths,
  ...songPaths
}

/** Calls whose answer depends on their parameters only, not on the caller, the clock or randomness. */
export const steadyCalls: ReadonlySet<string> =
  new Set(Object.keys({ ...albumCalls, ...chartCalls, ...newAlbumCalls, ...songCalls }))
