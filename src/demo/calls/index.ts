import type { ClassicTable, MusicuTable } from '../types.ts'
import { albumCalls, albumPaths } from './albums.ts'
import { chartCalls, chartPaths } from './charts.ts'
import { lyricCalls, lyricPaths } from './lyrics.ts'
import { playCalls } from './play.ts'
import { songCalls, songPaths } from './songs.ts'
import { userCalls } from './users.ts'

/** Every simulated call: one line per family. */
export const musicuCalls: MusicuTable = {
  ...albumCalls,
  ...chartCalls,
  ...lyricCalls,
  ...playCalls,
  ...songCalls,
  ...userCalls
}

export const classicPaths: ClassicTable = {
  ...albumPaths,
  ...chartPaths,
  ...lyricPaths,
  ...songPaths
}
