import type { ClassicTable, MusicuTable } from '../types.ts'
import { chartCalls, chartPaths } from './charts.ts'
import { songCalls, songPaths } from './songs.ts'

/** Every simulated call: one line per family. */
export const musicuCalls: MusicuTable = {
  ...chartCalls,
  ...songCalls
}

export const classicPaths: ClassicTable = {
  ...chartPaths,
  ...songPaths
}
