/** The first view: recommendations, new songs and albums, charts, radio; and the lists behind them. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { roughly, t } from '../language.ts'
import { goesOn, useAnswer, usePages } from '../load.ts'
import { Answered, Cards, More, Part, Title, itemHref, type Card } from '../parts.tsx'
import { ask, type Answer } from '../relay.ts'
import { hrefOf, place } from '../router.ts'
import { Songs } from '../rows.tsx'
import { isLoggedIn, nameShown } from '../session.ts'
import { trackOf } from '../track.ts'
import { issueOf } from './chart.tsx'

export const playlistCard = (
  { dissid, dissname, imgurl, listen_num: heard = 0, creator = '' }: {
    dissid: string,
    dissname: string,
    imgurl: string,
    listen_num?: number,
    creator?: string
  }
): Card => ({
  href: itemHref('playlist', dissid),
  name: dissname,
  src: imgurl,
  note: [creator, heard > 0 ? t('{count} plays', { count: roughly(heard) }) : ''].filter((part) => part !== '').join(
    ' · '
  )
})
export const albumCard = (
  { albumMID, albumName, albumPic, singerName, publicTime = '' }: {
    albumMID: string,
    albumName: string,
    albumPic: string,
    singerName: string,
    publicTime?: string
  }
): Card => ({
  href: itemHref('album', albumMID),
  name: albumName,
  src: albumPic,
  note: [singerName, publicTime.slice(0, 4)].filter((part) => part !== '').join(' · ')
})
const radioCard = (
  { radioId, radioName, radioImg }: { radioId: number, radioName: string, radioImg: string }
): Card => ({ href: itemHref('radio', radioId), name: radioName, src: radioImg })

/** The parts of the first view. Each is drawn in a task of its own, so that the page follows the hand meanwhile. */
const parts: ReadonlyArray<(answer: Answer<'getRecommend'>, groups: Answer<'getRadioLists'>['groups']) => VNode> = [
  ({ recomPlaylists, playlists }) => (
    <Part key="playlists" title={t('Recommended playlists')} all={hrefOf('playlists')}>
      <Cards strip eager of={[...recomPlaylists, ...playlists].slice(0, 20).map(playlistCard)} />
    </Part>
  ),
  ({ newAlbums }) => (
    <Part key="albums" title={t('New albums')} all={hrefOf('albums')}>
      <Cards strip eager of={newAlbums.map(albumCard)} />
    </Part>
  ),
  ({ toplists }) => (
    <Part key="charts" title={t('Charts')} all={hrefOf('charts')}>
      <Cards
        strip
        of={toplists.slice(0, 12).map(({ id, name, picUrl, period }) => ({
          href: itemHref('chart', id),
          name,
          src: picUrl,
          note: issueOf(period)
        }))}
      />
    </Part>
  ),
  (_answer, groups) => (
    <Part key="radio" title={t('Radio')} all={hrefOf('radio')}>
      <Cards
        strip
        of={groups.flatMap(({ radios }) => radios).filter(({ radioId }) => radioId !== 99).slice(0, 12).map(radioCard)}
      />
    </Part>
  ),
  ({ newSongs }) => (
    <Part key="songs" title={t('New songs')}>
      <Songs tracks={newSongs.slice(0, 20).map(trackOf)} />
    </Part>
  )
]

export function Home (): VNode {
  const home = useAnswer('getRecommend', {})
  const radios = useAnswer('getRadioLists', {})
  const [shown, setShown] = useState(home.data === undefined ? 1 : parts.length)
  useEffect(() => {
    if (home.data === undefined || shown >= parts.length) return undefined
    const timer = setTimeout(() => {
      setShown(shown + 1)
    })
    return () => {
      clearTimeout(timer)
    }
  }, [home.data, shown])
  return (
    <>
      <Title of="">
        {isLoggedIn.value && nameShown.value !== '' ? t('Welcome, {name}', { name: nameShown.value }) : t('Listen')}
      </Title>
      <Trending />
      {isLoggedIn.value && <Mine />}
      <Answered from={home}>
        {(answer: Answer<'getRecommend'>) =>
          parts.slice(0, shown).map((part) => part(answer, radios.data?.groups ?? []))}
      </Answered>
    </>
  )
}

function Mine (): VNode {
  return (
    <nav class="own" aria-label={t('My music')}>
      <a class="button" href={hrefOf('mine')}>{t('Liked songs')}</a>
      <a class="button" href={hrefOf('mine/daily')}>{t('Daily songs')}</a>
      <a class="button" href={itemHref('radio', 99)}>{t('Personal radio')}</a>
    </nav>
  )
}

function Trending (): VNode | null {
  const { data, error } = useAnswer('getHotkey', {})
  return error !== undefined ? null : (
    <ul class="chips" aria-label={t('Trending searches')}>
      {(data?.hotkey ?? []).slice(0, 8).map(({ k }) => (
        <li key={k}>
          <a href={hrefOf('search', { key: k })}>{k}</a>
        </li>
      ))}
    </ul>
  )
}

export function Radios (): VNode {
  return (
    <>
      <Title>{t('Radio')}</Title>
      <Answered from={useAnswer('getRadioLists', {})}>
        {({ groups }: Answer<'getRadioLists'>) =>
          groups.map(({ name, radios }) => (
            <Part key={name} title={name}>
              <Cards of={radios.map(radioCard)} />
            </Part>
          ))}
      </Answered>
    </>
  )
}

export function Charts (): VNode {
  const all = useAnswer('getRanks', { limit: 1 } as { limit: number, page: number, resolveMid: boolean })
  return (
    <>
      <Title>{t('Charts')}</Title>
      <Answered from={all}>
        {({ topLists = [] }: Answer<'getRanks'>) =>
          topLists.length === 0 ? <p class="empty">{t('There are no charts.')}</p> : (
            <ul class="charts">
              {topLists.map(({ id, name, period, picUrl, songs }) => (
                <li key={id}>
                  <a class="chart" href={itemHref('chart', id)}>
                    <img src={picUrl} alt="" loading="lazy" width="96" height="96" />
                    <span class="names">
                      <span class="name">
                        {name} <span class="note">{issueOf(period)}</span>
                      </span>
                      {songs.slice(0, 3).map(({ rank, songName, singerName }) => (
                        <span key={rank} class="note">{rank} {songName} · {singerName}</span>
                      ))}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )}
      </Answered>
    </>
  )
}

export function NewAlbums (): VNode {
  const albums = usePages('albums', async (page) => {
    const answer = await ask('getNewDisks', { page: page + 1, limit: 40 })
    return {
      rows: answer.albums,
      total: answer.total,
      more: goesOn(answer.albums.length + answer.skipped, 40 * (page + 1), answer.total)
    }
  })
  return (
    <>
      <Title>{t('New albums')}</Title>
      <Cards of={albums.rows.map(albumCard)} />
      <More of={albums} none={t('There is nothing here.')} />
    </>
  )
}

export function Playlists (): VNode {
  const category = place.value.query.get('category') ?? '10000000'
  const { data } = useAnswer('getRecommend', {})
  const lists = usePages(`playlists ${category}`, async (page) => {
    const { playlists, sum, skipped } = await ask('getSongLists', {
      categoryId: Number(category) || 10_000_000,
      page,
      limit: 40,
      sortId: 5
    })
    return { rows: playlists, total: sum, more: playlists.length + skipped === 40 }
  })
  return (
    <>
      <Title>{t('Playlists')}</Title>
      <nav class="chips" aria-label={t('Categories')}>
        {[{ id: 10_000_000, name: t('All') }, ...data?.categories ?? []].map(({ id, name }) => (
          <a
            key={id}
            href={hrefOf('playlists', { category: String(id) })}
            aria-current={String(id) === category ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <Cards of={lists.rows.map(playlistCard)} />
      <More of={lists} none={t('There is nothing here.')} />
    </>
  )
}
