/**
 * Past issues of a chart, from the list of all charts, which has them as years with week numbers (recorded 2026-08).
 */
import { GetRankPeriodsQuery, RankPeriods } from '../../../schemas/charts.ts'
import { codeMsgData, endpoint, maybe, need, needText, notFound, type Answer } from '../kit.ts'
import { chartLists } from './chartLists.ts'

/** A number in a list. */
const number = (value: Answer): number => need.int(value, '')

function readPeriods (answer: Answer, topId: number): RankPeriods {
  const charts = need.list(answer, 'group', (group) => maybe.list(group, 'toplist', (chart): RankPeriods => {
    const years = maybe.list(chart, 'history.year', number)
    const weeks = maybe.list(chart, 'history.subPeriod', (year) => maybe.list(year, '', number))
    return {
      topId: need.int(chart, 'topId'),
      name: needText(chart, 'title'),
      period: maybe.text(chart, 'period') ?? '',
      periods: years.flatMap((year, at) => (weeks[at] ?? []).map((week) => `${year}_${week}`))
    }
  })).flat()
  const found = charts.find((chart) => chart.topId === topId)
  if (found === undefined) throw notFound(answer.call, `The chart ${topId}`)
  return found
}

export const getRankPeriods = endpoint({
  method: 'GET',
  path: '/getRankPeriods',
  tag: 'charts',
  summary: 'Past issues of a chart',
  summaryInChinese: '榜单的往期',
  description: 'Use one as the period of /getRanks. Weekly charts have issues of several years, daily charts none. A chart that is not in the list of all charts is 404, even if /getRanks knows it.',
  example: { topId: 5 },
  probe: () => [{ topId: 5 }],
  input: GetRankPeriodsQuery,
  record: RankPeriods,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ topId }, { upstream }) {
    return await upstream.firstOf(chartLists((answer) => readPeriods(answer, topId)))
  }
})
