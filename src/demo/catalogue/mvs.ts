import { dateOf } from './albums.ts'
import type { Random } from './random.ts'
import type { Mv, MvFiles, Song } from './types.ts'

/** Special MVs by number, listed in WIRE.md. The others have three definitions, every fifth has four. */
const special: Record<number, MvFiles | undefined> = {
  1: 'all',
  2: 'members',
  3: 'gone',
  4: 'hls',
  5: 'parts',
  6: 'mixed',
  7: 'bare'
}

/** One MV for every song that names one, in the order of the songs. MV n belongs to song 4n. */
export function buildMvs (random: Random, songs: readonly Song[]): Mv[] {
  return songs.filter((song) => song.mv.vid !== '').map((song, at): Mv => {
    const number = at + 1
    return {
      id: song.mv.id,
      vid: song.mv.vid,
      title: number % 3 ? `${song.title} MV` : `《${song.name}》MV & more`,
      subtitle: number % 4 ? '' : 'Filmed on the ferry, it\'s <invented>',
      singers: song.singers,
      // The upstream's numbers: 16 mainland … 20 Japan, 8 MV … 14 children.
      area: 16 + number % 5,
      version: 8 + number % 7,
      seconds: song.interval,
      plays: random.int(200, 9_000_000),
      published: dateOf(random, 2014, 2026),
      files: special[number] ?? (number % 5 ? 'three' : 'four')
    }
  })
}
