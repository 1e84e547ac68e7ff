import type { Random } from './random.ts'
import type { Chart, ChartRow, Song } from './types.ts'

/** [id, title, group, period, rows]. Groups of 2026: 0 peak, 1 region, 2 special, 3 global. */
const plan: ReadonlyArray<readonly [number, string, number, string, number]> = [
  [62, 'Soaring 飙升演示', 0, '2026-11-20', 100],
  [26, 'Hot 热歌演示', 0, '2026-11-20', 100],
  [27, 'New 新歌演示', 0, '2026-11-20', 100],
  [4, 'Popularity 流行指数演示', 0, '2026-11-20', 100],
  [67, 'Recognised 听歌识曲演示', 0, '2026-11-20', 220],
  [5, 'Mainland 内地演示', 1, '2026_46', 100],
  [59, 'Hong Kong 香港演示', 1, '2026_46', 100],
  [61, 'Taiwan 台湾演示', 1, '2026_46', 100],
  [3, 'West 欧美演示', 1, '2026_46', 100],
  [16, 'Korea 韩国演示', 1, '2026_46', 100],
  [17, 'Japan 日本演示', 1, '2026_46', 100],
  [52, 'Original 原创演示', 2, '2026-11-20', 100],
  [6, 'Makers 音乐人演示', 2, '2026-11-20', 100],
  [28, 'Internet 网络演示', 2, '2026_46', 100],
  [104, 'Moving pictures 画面演示', 2, '', 100],
  [201, 'Films only 影像演示', 2, '', 0],
  [208, 'Fresh 新声演示', 2, '2026-11-20', 100],
  [108, 'Overseas 海外演示', 3, '2026_46', 100],
  [107, 'Island 岛屿演示', 3, '2026_46', 20]
]

/** A number that no song has. A look-up of its details finds nothing. */
const unknownSongId = 4999999

function rowOf (song: Song, hasMid: boolean): ChartRow {
  return {
    song,
    id: song.id,
    title: song.title,
    singerName: song.singers.map((singer) => singer.name).join('/'),
    hasMid
  }
}

/** Number of free songs at the top of every chart. */
const openRows = 10

/** Rows step through the catalogue. Charts 28 and 108 repeat songs, so that look-ups can be shared. */
function rowsOf (id: number, count: number, songs: readonly Song[]): ChartRow[] {
  const rows: ChartRow[] = []
  for (let at = 0; at < count; at++) {
    const repeats = id === 28 ? at % 10 === 9 : id === 108 && at % 12 === 11
    const step = repeats ? at - 3 : at
    const index = (id * 31 + step * 7) % songs.length
    const song = at < openRows ? songs.slice(0, index + 1).findLast(({ access }) => access === 'free') : songs[index]
    if (!song) continue
    rows.push(rowOf(song, id !== 108 || step % 4 !== 0))
  }
  if (id !== 28) return rows
  return [
    ...rows.slice(0, 97),
    { song: undefined, id: unknownSongId, title: 'Nobody Knows This One', singerName: 'Nobody', hasMid: false },
    { song: undefined, id: 0, title: 'Uploaded Without a Number', singerName: 'Somebody', hasMid: false },
    ...rows.slice(99)
  ]
}

export function buildCharts (random: Random, songs: readonly Song[]): Chart[] {
  return plan.map(([id, title, group, period, count]): Chart => ({
    id,
    title,
    group,
    period,
    updated: period.includes('_') ? '2026-11-19' : period,
    intro: `1. Rule: ${count} invented songs.<br>2. Rhythm: ${period.includes('_') ? 'weekly' : 'daily'}.<br>3. Nothing is counted & nobody's ranked.`,
    listeners: random.int(100_000, 30_000_000),
    rows: rowsOf(id, count, songs),
    songInfo: id !== 28,
    picture: `00DemoRank${String(id).padStart(4, '0')}`
  }))
}
