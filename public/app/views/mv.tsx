/** An MV, and MVs as cards. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { dayOf, inChinese, roughly, t } from '../language.ts'
import { goesOn, useAnswer, usePages } from '../load.ts'
import { Answered, Cards, More, Text, Title, itemHref, type Card } from '../parts.tsx'
import { ask, type Answer } from '../relay.ts'
import { hrefOf } from '../router.ts'
import { Share } from '../share.tsx'
import { minutes } from '../track.ts'
import { reasons } from '../zhFailures.ts'

export const mvCard = (
  { vid, title, picurl, duration, singers = [] }: {
    vid: string,
    title: string,
    picurl: string,
    duration: number,
    singers?: ReadonlyArray<{ name: string }>
  }
): Card => ({
  href: itemHref('mv', vid),
  name: title,
  src: picurl,
  note: [singers.map(({ name }) => name).join(', '), duration > 0 ? minutes(duration) : ''].filter((part) =>
    part !== ''
  ).join(' · ')
})

const definitions: Readonly<Record<number, string>> = { 10: '360p', 20: '480p', 30: '720p', 40: '1080p' }

export function Mv ({ vid }: { readonly vid: string }): VNode {
  return (
    <Answered from={useAnswer('getMvPlay', { vid })}>
      {(answer: Answer<'getMvPlay'>) => <Film key={vid} of={answer} />}
    </Answered>
  )
}

function Film ({ of: { vid, urls, mvinfo, reason, hint } }: { readonly of: Answer<'getMvPlay'> }): VNode {
  const files = urls.filter(({ type, format, url }) => type === 'mp4' && format !== 265 && url.length > 0).toSorted((
    a,
    b
  ) => b.filetype - a.filetype)
  const [chosen, setChosen] = useState(files.find(({ filetype }) => filetype <= 30)?.filetype ?? files[0]?.filetype)
  const [failed, setFailed] = useState(false)
  const file = files.find(({ filetype }) => filetype === chosen)
  useEffect(() => {
    setFailed(false)
  }, [chosen])
  // The relay's own sentence is English.
  const noFile = reason !== undefined && inChinese()
    ? reasons[reason].title.replace('这首歌', '这个视频')
    : hint ?? t('There is no file of this MV that browsers play.')
  const { name = vid, desc = '', singers = [], playcnt = 0, pubdate = 0, cover_pic: poster = '' } = mvinfo ?? {}
  return (
    <>
      {file === undefined
        ? <p class="trouble">{noFile}</p>
        // Films of the provider have no captions.
        : (
          <video
            key={chosen}
            controls
            playsInline
            preload="metadata"
            poster={poster}
            onError={() => {
              setFailed(true)
            }}
          >
            {file.url.map((src, index, { length }) => (
              <source
                key={src}
                src={src}
                type="video/mp4"
                // The element itself says nothing when the last address fails.
                onError={() => {
                  if (index === length - 1) setFailed(true)
                }}
              />
            ))}
          </video>
        )}
      {failed && <p class="trouble" role="alert">{t('The MV could not be loaded from its host by this browser.')}</p>}
      <Title>{name}</Title>
      <p class="facts">
        {singers.map(({ mid, name: singer }, index) => (
          <>{index > 0 && ', '}{mid === '' ? singer : <a href={itemHref('singer', mid)}>{singer}</a>}</>
        ))}
        {playcnt > 0 && ` · ${t('{count} plays', { count: roughly(playcnt) })}`}
        {pubdate > 0 && ` · ${dayOf(pubdate)}`}
      </p>
      <div class="buttons">
        {files.length > 1 && (
          <label>
            {t('Definition')}{' '}
            <select
              value={chosen}
              onChange={({ currentTarget: { value } }) => {
                setChosen(Number(value))
              }}
            >
              {files.map(({ filetype }) => (
                <option key={filetype} value={filetype}>{definitions[filetype] ?? filetype}</option>
              ))}
            </select>
          </label>
        )}
        <a class="button" href={hrefOf(`comments/mv/${vid}`)}>{t('Comments')}</a>
        <Share href={itemHref('mv', vid)} name={name} />
      </div>
      <Text>{desc}</Text>
    </>
  )
}

export function Mvs (): VNode {
  const mvs = usePages('mvs', async (page) => {
    const { list, total, skipped } = await ask('getMv', { area_id: 15, version_id: 7, page, limit: 30 })
    return { rows: list, total, more: goesOn(list.length + skipped, 30 * (page + 1), total) }
  })
  return (
    <>
      <Title>{t('MVs')}</Title>
      <Cards wide of={mvs.rows.map(mvCard)} />
      <More of={mvs} none={t('There is nothing here.')} />
    </>
  )
}
