import { randomFrom, seedOf, type Random } from './random.ts'
import type { Named, Singer } from './types.ts'
import { adjectives, bandWords, firstNames, givenNames, lastNames, nouns, surnames } from './words.ts'

const singerCount = 220

/** Filters of the list of singers, with the upstream's numbers and names of 2026-08. */
export const singerLegend: Record<'area' | 'sex' | 'genre', Named[]> = {
  area: legend([[-100, '全部'], [200, '内地'], [2, '港台'], [5, '欧美'], [4, '日本'], [3, '韩国'], [6, '其他']]),
  sex: legend([[-100, '全部'], [0, '男'], [1, '女'], [2, '组合']]),
  genre: legend([
    [-100, '全部'],
    [7, '流行'],
    [3, '说唱'],
    [19, '国风'],
    [4, '摇滚'],
    [2, '电子'],
    [8, '民谣'],
    [11, 'R&B'],
    [37, '民族乐'],
    [93, '轻音乐'],
    [14, '爵士'],
    [33, '古典'],
    [13, '乡村'],
    [10, '蓝调']
  ])
}

function legend (entries: Array<[number, string]>): Named[] {
  return entries.map(([id, name]) => ({ id, name }))
}

/** One of the legend's ids, except "all". */
function legendId (list: readonly Named[], at: number): number {
  return list[1 + at % (list.length - 1)]?.id ?? 0
}

/** Returns a MID that is recognisably invented: 14 characters like the real ones, but counted. */
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
  return {
    name: `${random.pick(firstNames)} ${random.pick(lastNames)}`,
    otherName: shape === 3 ? random.pick(surnames) + random.pick(givenNames) : '',
    sex: number % 2
  }
}

function textOf (number: number): Singer['text'] {
  const shares: Record<number, Singer['text'] | undefined> = { 0: 'none', 5: 'short', 7: 'classic' }
  return shares[number % 10] ?? 'wiki'
}

/** Singer 4 has a single fact. Groups have a founding date instead of a birth date, under varying keys. */
function factsOf (
  number: number,
  { name, otherName, sex }: { name: string, otherName: string, sex: number }
): Singer['facts'] {
  const random = randomFrom(seedOf(`facts ${number}`))
  if (number === 4) return [['职业', 'Kettle tuner & "singer"']]
  const day = `${random.int(1950, 2005)}年${random.int(1, 12)}月${random.int(1, 28)}日`
  const place = `${random.pick(nouns)} Bay`
  const own: Singer['facts'] = sex === 2
    ? [['成立日期', day], ['成立地点', place]]
    : [[number % 2 ? '出生日期' : '生日', number % 4 ? day : `${day}（农历）`], [
      number % 3 ? '出生地' : '出生地点',
      place
    ], ['身高', `${random.int(150, 190)}cm`]]
  return [['中文名', name], ...(otherName ? [['外文名', otherName] as [string, string]] : []), ...own, [
    '代表作品',
    '《无人码头》<demo> & more'
  ]]
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
      area: legendId(singerLegend.area, number),
      genre: legendId(singerLegend.genre, number),
      index: /[A-Z]/.test(initial) ? initial : '#',
      fans: random.int(120, 9_000_000),
      desc: `${name} is an invented act of the demo catalogue.\nFormed in a kitchen, still rehearsing there.`,
      text: textOf(number),
      facts: factsOf(number, { name, otherName, sex })
    }
  })
}
