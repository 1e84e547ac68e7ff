import type { Random } from './random.ts'
import type { Singer } from './types.ts'
import { adjectives, bandWords, firstNames, givenNames, lastNames, nouns, surnames } from './words.ts'

export const singerCount = 220

/** Ids in the demo are meant to be recognised as invented: 14 characters like the real ones, but counted. */
export function countedMid (word: string, number: number): string {
  return `00Demo${word}${String(number).padStart(4, '0')}`
}

function nameOf (number: number, random: Random): { name: string, otherName: string, sex: number } {
  if (number === 1) return { name: 'The Paper Lanterns', otherName: '纸灯笼', sex: 2 }
  if (number === 2) return { name: "Zoë O'Marrow & the Kettles", otherName: '', sex: 2 }
  if (number === 3) return { name: '云野铃', otherName: 'Yun Yeling', sex: 1 }
  const shape = number % 5
  if (shape === 0) return { name: random.pick(surnames) + random.pick(givenNames), otherName: '', sex: number % 2 }
  if (shape === 1) return { name: `${random.pick(adjectives)} ${random.pick(nouns)} ${random.pick(bandWords)}`, otherName: '', sex: 2 }
  if (shape === 2) return { name: `${random.pick(surnames)}${random.pick(givenNames)}乐队`, otherName: `${random.pick(adjectives)} Band`, sex: 2 }
  return { name: `${random.pick(firstNames)} ${random.pick(lastNames)}`, otherName: shape === 3 ? random.pick(surnames) + random.pick(givenNames) : '', sex: number % 2 }
}

export function buildSingers (random: Random): Singer[] {
  return Array.from({ length: singerCount }, (_, at): Singer => {
    const number = at + 1
    const { name, otherName, sex } = nameOf(number, random)
    const initial = name.charAt(0).toUpperCase()
    return {
      id: 900000 + number,
      mid: countedMid('Sing', number),
      name,
      otherName,
      sex,
      area: number % 6,
      genre: number % 7,
      index: /[A-Z]/.test(initial) ? initial : '#',
      fans: random.int(120, 9_000_000),
      desc: `${name} is an invented act of the demo catalogue.\nFormed in a kitchen, still rehearsing there.`
    }
  })
}
