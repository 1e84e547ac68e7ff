import { dateOf } from './albums.ts'
import type { Random } from './random.ts'
import type { Playlist, PlaylistState, Song, Tag } from './types.ts'
import { adjectives, chineseFirst, chineseMiddle, nicks, nouns } from './words.ts'

const playlistCount = 501
export const allCategories = 10000000

/** Owner of the hidden playlist: the ordinary demo account, which may see it. */
const ownerOfHidden = 1000000101

/** Today's playlists of the accounts have thirty songs each. */
const dailyNumbers = [9, 10, 301, 302]

/** Ids and names of the public category list. The names are ordinary words, not content. */
export function playlistTags (): Tag[] {
  const groups: Array<[string, Array<[number, string]>]> = [
    ['语种', [[165, '国语'], [167, '英语'], [168, '韩语'], [166, '粤语'], [169, '日语']]],
    ['流派', [[6, '流行'], [15, '轻音乐'], [11, '摇滚'], [28, '民谣'], [8, 'R&B'], [24, '电子'], [27, '古典'], [21, '爵士']]],
    ['主题', [[39, 'ACG'], [136, '经典'], [133, '影视'], [148, '情歌'], [197, '现场']]],
    ['心情', [[52, '伤感'], [122, '安静'], [117, '快乐'], [116, '治愈'], [59, '甜蜜']]],
    ['场景', [[78, '睡前'], [101, '学习'], [99, '运动'], [223, '咖啡馆']]]
  ]
  return groups.flatMap(([group, items]) => items.map(([id, name]) => ({ id, name, group })))
}

function stateOf (number: number): PlaylistState {
  if (number === 2) return 'hidden'
  if (number === playlistCount) return 'private'
  return number === 3 ? 'hollow' : 'public'
}

function sizeOf (number: number, random: Random): number {
  if (number === 4) return 0
  if (number === 5) return 420
  const size = random.int(8, 60)
  return dailyNumbers.includes(number) ? 30 : size
}

const none: Playlist['deleted'] = new Map()

/**
 * Playlist 2 is hidden, 3 hollow, 4 empty, 5 long, 6 has deleted songs, the last one private. Ids are 7700000000 +
 * number, above 32 bits like the real ids.
 */
export function buildPlaylists (random: Random, songs: readonly Song[], tags: readonly Tag[]): Playlist[] {
  return Array.from({ length: playlistCount }, (_, at): Playlist => {
    const number = at + 1
    const start = random.int(0, songs.length - 1)
    const title = number % 2
      ? `${random.pick(adjectives)} ${random.pick(nouns)}: songs & stories`
      : `${random.pick(chineseFirst)}${random.pick(chineseMiddle)} | 给夜晚的歌单`
    const chosen = [tags[at % tags.length], tags[(at * 5 + 3) % tags.length]].filter((tag) => tag !== undefined)
    return {
      id: 7700000000 + number,
      title: number === 1 ? 'Demo "favourites" & <friends> 🎶' : title,
      desc: number % 3 ? `${title}<br>Made for tests, it's true.` : '',
      creator: {
        number: number === 2 ? ownerOfHidden : 1000001000 + number % 40,
        nick: random.pick(nicks) + (number % 40)
      },
      listeners: random.int(10, 8_000_000),
      created: dateOf(random, 2017, 2026),
      tags: [...new Set(chosen)],
      songs: Array.from({ length: sizeOf(number, random) }, (_unused, i) => songs[(start + i * 11) % songs.length])
        .filter((song) => song !== undefined),
      deleted: number === 6 ? new Map([[2, 'bare'], [4, 'null'], [5, 'nobody'], [7, 'bare']]) : none,
      state: stateOf(number),
      picture: `00DemoList${String(number).padStart(4, '0')}`
    }
  })
}
