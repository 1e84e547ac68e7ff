/** A chart, with its past issues. */
import type { VNode } from 'preact'
import { countOf, roughly, t } from '../language.ts'
import { goesOn, useAnswer, usePages } from '../load.ts'
import { Head, More, Text } from '../parts.tsx'
import { ask } from '../relay.ts'
import { goTo, hrefOf, place } from '../router.ts'
import { PlayAll, Songs } from '../rows.tsx'
import { Share } from '../share.tsx'
import { partOf } from '../track.ts'

const rows = 50

/** Returns when a chart was made: a day, or a week, which the upstream writes as 2026_46. */
export function issueOf (period: string): string {
  const [, year = '', week] = /^(\d{4})_(\d+)$/.exec(period) ?? []
  return week === undefined ? period : t('week {week} of {year}', { week, year })
}

export function Chart ({ id }: { readonly id: string }): VNode {
  const period = place.value.query.get('period') ?? ''
  const issue = period === '' ? {} : { period }
  const input = { topId: Number(id), resolveMid: false, ...issue }
  const { data } = useAnswer('getRanks', { ...input, limit: rows, page: 0 })
  const { data: issues } = useAnswer('getRankPeriods', { topId: Number(id) })
  const songs = usePages(`chart ${id} ${period}`, async (page) => {
    const { songInfoList, topList, skipped } = await ask('getRanks', { ...input, limit: rows, page })
    const tracks = songInfoList.map(({ rank, songId, song_mid: mid = '', songName, singerName }) => ({
      ...partOf({ mid, id: songId, name: songName, singer: singerName }),
      number: rank
    }))
    const more = goesOn(tracks.length + skipped, rows * (page + 1), topList.totalNum)
    return { rows: tracks, total: topList.totalNum, more }
  })
  const { name = '', picUrl = '', intro = '', totalNum = 0, listenNum = 0, period: now = '' } = data?.topList ?? {}
  const periods = issues?.periods ?? []
  return (
    <>
      <Head
        src={picUrl}
        kind={t('Chart')}
        name={name}
        facts={[
          issueOf(period || now),
          totalNum > 0 && countOf('1 song', '{count} songs', totalNum),
          listenNum > 0 && t('{count} plays', { count: roughly(listenNum) })
        ]}
      >
        <PlayAll tracks={songs.rows} rest={songs.rest} />
        {periods.length > 1 && (
          <label class="issue">
            {t('Issue')}{' '}
            <select
              id="issue"
              value={period || now}
              onChange={({ currentTarget: { value } }) => {
                goTo(hrefOf(`chart/${id}`, { period: value }))
              }}
            >
              {periods.map((each) => <option key={each} value={each}>{issueOf(each)}</option>)}
            </select>
          </label>
        )}
        <Share href={hrefOf(`chart/${id}`)} name={name} />
      </Head>
      <Text>{intro}</Text>
      <Songs tracks={songs.rows} rest={songs.rest} numbers />
      <More of={songs} none={t('This chart has no songs.')} />
    </>
  )
}
