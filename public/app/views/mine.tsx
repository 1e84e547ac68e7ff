/** What is the person's own: liked songs, playlists, collected albums, followed singers, daily songs. */
import type { VNode } from 'preact'
import { countOf, t, type Sentence } from '../language.ts'
import { useAnswer, usePages } from '../load.ts'
import { Answered, Cards, More, Tabs, Title, Trouble, Waiting, itemHref, loginHref } from '../parts.tsx'
import { ask, type Answer } from '../relay.ts'
import { hrefOf } from '../router.ts'
import { PlayAll, Songs } from '../rows.tsx'
import { isLoggedIn, person, personError, refreshSession, source } from '../session.ts'
import { trackOf } from '../track.ts'
import { albumCard } from './home.tsx'

const tabs = [
  ['liked', 'Liked songs'],
  ['playlists', 'My playlists'],
  ['collected', 'Collected playlists'],
  ['albums', 'Albums'],
  ['singers', 'Singers'],
  ['daily', 'Daily songs'],
  ['recommended', 'For you']
] as const satisfies ReadonlyArray<readonly [string, Sentence]>
const rows = 100

export function Mine ({ tab = 'liked' }: { readonly tab?: string | undefined }): VNode {
  if (source.value === 'asking') return <Asking />
  if (!isLoggedIn.value) {
    return (
      <>
        <Title>{t('My music')}</Title>
        <div class="empty">
          <p>{t('Log in to see your liked songs, playlists and albums.')}</p>
          <a class="button primary" href={loginHref()}>{t('Log in')}</a>
        </div>
      </>
    )
  }
  return (
    <>
      <Title>{t('My music')}</Title>
      <div class="buttons">
        <a class="button" href={itemHref('radio', 99)}>{t('Personal radio')}</a>
      </div>
      <Tabs
        name={t('Parts of this page')}
        of={tabs}
        at={tab}
        href={(id) => hrefOf(id === 'liked' ? 'mine' : `mine/${id}`)}
      />
      {tab === 'liked' && <Liked />}
      {tab === 'playlists' && <Own />}
      {tab === 'collected' && <Collected />}
      {tab === 'albums' && <Albums />}
      {tab === 'singers' && <Followed />}
      {tab === 'daily' && <Chosen key={tab} by="getDailyRecommend" />}
      {tab === 'recommended' && <Chosen key={tab} by="getPersonalRecommend" />}
    </>
  )
}

/** While it is not known who is logged in. */
export function Asking (): VNode {
  return personError.value === undefined ? <Waiting /> : (
    <Trouble
      error={personError.value}
      again={() => {
        void refreshSession()
      }}
    />
  )
}

const none = (): string => t('There is nothing here yet.')

function Liked (): VNode {
  const songs = usePages('liked', async (page) => {
    const answer = await ask('getUserLikedSongs', { offset: rows * page, limit: rows })
    return { rows: answer.songs.map(trackOf), total: answer.total, more: answer.hasMore }
  })
  return (
    <>
      <div class="buttons">
        <PlayAll tracks={songs.rows} rest={songs.rest} />
        {songs.total !== undefined && <span class="note">{countOf('1 song', '{count} songs', songs.total)}</span>}
      </div>
      <Songs tracks={songs.rows} rest={songs.rest} />
      <More of={songs} none={none()} />
    </>
  )
}

/** The account's number is known for its own login only. */
function Own (): VNode {
  const uin = person.value?.uin || person.value?.account || ''
  if (uin === '') {
    return personError.value !== undefined || person.value === undefined
      ? <Asking />
      : <p class="empty">{t('The relay does not tell whose login it uses.')}</p>
  }
  return <OwnLists uin={uin} />
}

function OwnLists ({ uin }: { readonly uin: string }): VNode {
  const lists = usePages(`own ${uin}`, async (page) => {
    const { playlists, total } = await ask('getUserPlaylists', { uin, offset: rows * page, limit: rows })
    return { rows: playlists, total, more: playlists.length > 0 && rows * (page + 1) < total }
  })
  return (
    <>
      <Cards
        of={lists.rows.map(({ dissid, dissname, picurl, songnum }) => ({
          href: itemHref('playlist', dissid),
          name: dissname,
          src: picurl,
          note: countOf('1 song', '{count} songs', songnum)
        }))}
      />
      <More of={lists} none={none()} />
    </>
  )
}

function Collected (): VNode {
  const lists = usePages('collected', async (page) => {
    const { playlists, total, hasMore } = await ask('getUserCollectedPlaylists', { offset: rows * page, limit: rows })
    return { rows: playlists, total, more: hasMore }
  })
  return (
    <>
      <Cards
        of={lists.rows.map(({ dissid, dissname, picurl, songnum, creator }) => ({
          href: itemHref('playlist', dissid),
          name: dissname,
          src: picurl,
          note: [creator, countOf('1 song', '{count} songs', songnum)].filter((part) => part !== '').join(' · ')
        }))}
      />
      <More of={lists} none={none()} />
    </>
  )
}

function Albums (): VNode {
  const albums = usePages('collected albums', async (page) => {
    const answer = await ask('getUserCollectedAlbums', { offset: rows * page, limit: rows })
    return { rows: answer.albums, total: answer.total, more: answer.hasMore }
  })
  return (
    <>
      <Cards of={albums.rows.map(albumCard)} />
      <More of={albums} none={none()} />
    </>
  )
}

function Followed (): VNode {
  const singers = usePages('followed', async (page) => {
    const answer = await ask('getUserFollowedSingers', { offset: rows * page, limit: rows })
    return { rows: answer.singers, total: answer.total, more: answer.hasMore }
  })
  return (
    <>
      <Cards
        round
        of={singers.rows.map(({ singerMID, singerName, singerPic }) => ({
          href: itemHref('singer', singerMID),
          name: singerName,
          src: singerPic
        }))}
      />
      <More of={singers} none={none()} />
    </>
  )
}

function Chosen ({ by }: { readonly by: 'getDailyRecommend' | 'getPersonalRecommend' }): VNode {
  return (
    <Answered from={useAnswer(by, {})}>
      {({ songs }: Answer<typeof by>) => {
        const tracks = songs.map(trackOf)
        return (
          <>
            <div class="buttons">
              <PlayAll tracks={tracks} />
            </div>
            <Songs tracks={tracks} />
            {tracks.length === 0 && <p class="empty">{none()}</p>}
          </>
        )
      }}
    </Answered>
  )
}
