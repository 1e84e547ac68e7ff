import { countedMid } from './singers.ts'
import type { Random } from './random.ts'
import type { Album, Singer } from './types.ts'
import {
  adjectives, albumKinds, chineseFirst, chineseLast, chineseMiddle, companies, genres, languages, nouns
} from './words.ts'

const albumCount = 330

export function dateOf (random: Random, from = 2011, to = 2026): string {
  const month = String(random.int(1, 10)).padStart(2, '0')
  const day = String(random.int(1, 28)).padStart(2, '0')
  return `${random.int(from, to)}-${month}-${day}`
}

function namedFrom (list: readonly string[], at: number): { id: number, name: string } {
  const id = at % list.length
  return { id: id + 1, name: list[id] ?? '' }
}

function titleOf (number: number, random: Random): string {
  if (number === 1) return 'Harbour Lights & Other Rooms'
  if (number === 2) return 'Songs "for" Nobody (It\'s Fine) 🌙'
  if (number === 3) return '纸月亮来信'
  if (number % 2) return `${random.pick(adjectives)} ${random.pick(nouns)}s`
  return random.pick(chineseFirst) + random.pick(chineseMiddle) + random.pick(chineseLast)
}

/** Singer 1 has every second of the later albums, so that the lists of one singer have several pages. */
function mainSinger (number: number, singers: readonly Singer[]): Singer | undefined {
  return number > singers.length && number % 2 ? singers[0] : singers[(number - 1) % singers.length]
}

/**
 * Album 4 has no songs and no description; every ninth has two singers. `before`: number of albums that exist already.
 */
export function buildAlbums (random: Random, singers: readonly Singer[], before = 0, count = albumCount): Album[] {
  return Array.from({ length: count }, (_, at): Album => {
    const number = before + at + 1
    const name = titleOf(number, random)
    const main = mainSinger(number, singers)
    const guest = number % 9 === 0 ? random.pick(singers) : undefined
    return {
      id: 800000 + number,
      mid: countedMid('Albu', number),
      name,
      otherName: number % 7 === 0 ? `${random.pick(adjectives)} Translation` : '',
      singers: [main, guest === main ? undefined : guest].filter((singer) => singer !== undefined),
      published: dateOf(random),
      desc: number === 4 ? '' : `${name}: recorded in ${random.int(2, 30)} days.\nNothing here was ever released; "it's all <invented>" & that's the point.`,
      company: namedFrom(companies, number),
      genre: namedFrom(genres, number),
      language: namedFrom(languages, number),
      kind: albumKinds[number % albumKinds.length] ?? '',
      area: 1 + number % 6,
      songs: []
    }
  })
}
