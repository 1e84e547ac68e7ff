/** The table of players that were tried, from docs/players-tried.json. `npm run players` writes that file. */
import { readFileSync } from 'node:fs'
import { cell } from './tables.ts'
import { trials } from './zh.ts'
import { chineseFor } from './zhTexts.ts'

/** A player that a test has driven. `date`: YYYY-MM-DD. */
export interface Tried {
  readonly client: string
  readonly version: string
  readonly tried: readonly string[]
  readonly result: string
  readonly date: string
}

export const triedFile = new URL('../../docs/players-tried.json', import.meta.url)

const heads = { en: ['Player', 'Version', 'What was tried', 'Result', 'Date'], zh: ['播放器', '版本', '测试内容', '结果', '日期'] } as const
const nothing = { en: 'None yet.', zh: '暂无。' } as const
const number = /\d+/

/** Returns a function that puts what the tests say of these players into Chinese. */
function inChinese (rows: readonly Tried[]): (phrase: string) => string {
  const pattern = (phrase: string): string => phrase.replace(number, '#')
  const chinese = chineseFor(
    [...new Set(['works', 'fails', ...rows.flatMap(({ tried }) => tried.map(pattern))])],
    trials,
    'build/docs/zh.ts'
  )
  return (phrase) => chinese(pattern(phrase)).replace('#', number.exec(phrase)?.[0] ?? '#')
}

export function triedTable (language: keyof typeof heads): string {
  const rows = JSON.parse(readFileSync(triedFile, 'utf8')) as Tried[]
  if (rows.length === 0) return nothing[language]
  const say = language === 'zh' ? inChinese(rows) : (phrase: string) => phrase
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads[language]), '|---|---|---|---|---|', ...rows.map(({ client, version, tried, result, date }) =>
    line([client, version, tried.map(say).join(language === 'zh' ? '、' : ', '), say(result), date]))].join('\n')
}
