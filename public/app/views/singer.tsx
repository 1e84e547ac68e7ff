/** A singer: songs, albums, MVs, description, similar ones. */
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { roughly, t, type Sentence } from '../language.ts'
import { goesOn, useAnswer, usePages } from '../load.ts'
import { Answered, Cards, Head, More, Part, Tabs, Title, Text, Trouble, Waiting, coverOf, itemHref } from '../parts.tsx'
import { ask, type Answer } from '../relay.ts'
import { goTo, hrefOf, place } from '../router.ts'
import { PlayAll, Songs } from '../rows.tsx'
import { Share } from '../share.tsx'
import { trackOf } from '../track.ts'

const tabs = [['songs', 'Songs'], ['albums', 'Albums'], ['mvs', 'MVs'], [
  'about',
  'About'
]] as const satisfies ReadonlyArray<readonly [string, Sentence]>
const rows = 50

export function Singer ({ mid, tab = 'songs' }: { readonly mid: string, readonly tab?: string | undefined }): VNode {
  const about = useAnswer('getSingerDesc', { singermid: mid })
  const fans = useAnswer('getSingerStarNum', { singermid: mid })
  return (
    <Answered from={about}>
      {(singer: Answer<'getSingerDesc'>) => {
        const name = singer.singerName
        return (
          <>
            <Head
              round
              src={coverOf(mid, 300, 'singer')}
              kind={t('Singer')}
              name={name}
              facts={[
                singer.foreignName,
                fans.data !== undefined && fans.data.num > 0
                && t('{count} followers', { count: roughly(fans.data.num) })
              ]}
            >
              <Share href={itemHref('singer', mid)} name={name} />
            </Head>
            <Tabs
              name={t('Parts of this page')}
              of={tabs}
              at={tab}
              href={(id) => hrefOf(`singer/${mid}${id === 'songs' ? '' : `/${id}`}`)}
            />
            {tab === 'songs' && <SingerSongs mid={mid} />}
            {tab === 'albums' && <SingerAlbums mid={mid} />}
            {tab === 'mvs' && <SingerMvs mid={mid} />}
            {tab === 'about' && <About of={singer} />}
            <Similar mid={mid} />
          </>
        )
      }}
    </Answered>
  )
}

function SingerSongs ({ mid }: { readonly mid: string }): VNode {
  const songs = usePages(`singer ${mid}`, async (page) => {
    const input = { singermid: mid, limit: rows, page: page + 1 }
    const { songList, totalNum, skipped } = await ask('getSingerHotsong', input)
    const more = goesOn(songList.length + skipped, rows * (page + 1), totalNum)
    return { rows: songList.map(trackOf), total: totalNum, more }
  })
  return (
    <>
      <div class="buttons">
        <PlayAll tracks={songs.rows} rest={songs.rest} />
      </div>
      <Songs tracks={songs.rows} rest={songs.rest} />
      <More of={songs} none={t('There is nothing here.')} />
    </>
  )
}

function SingerAlbums ({ mid }: { readonly mid: string }): VNode {
  const albums = usePages(`singer albums ${mid}`, async (page) => {
    const input = { singermid: mid, limit: rows, page: page + 1 }
    const { albumList, total, skipped } = await ask('getSingerAlbum', input)
    return { rows: albumList, total, more: goesOn(albumList.length + skipped, rows * (page + 1), total) }
  })
  return (
    <>
      <Cards
        of={albums.rows.map(({ albumMid, albumName, albumPic, publishDate, albumType }) => ({
          href: itemHref('album', albumMid),
          name: albumName,
          src: albumPic,
          note: [publishDate.slice(0, 4), albumType].filter((part) => part !== '').join(' · ')
        }))}
      />
      <More of={albums} none={t('There is nothing here.')} />
    </>
  )
}

function SingerMvs ({ mid }: { readonly mid: string }): VNode {
  const mvs = usePages(`singer mvs ${mid}`, async (page) => {
    const input = { singermid: mid, limit: rows, page: page + 1, order: 'listen' } as const
    const { list, total, skipped } = await ask('getSingerMv', input)
    return { rows: list, total, more: goesOn(list.length + skipped, rows * (page + 1), total) }
  })
  return (
    <>
      <Cards
        wide
        of={mvs.rows.map(({ vid, title, picurl, playcnt }) => ({
          href: itemHref('mv', vid),
          name: title,
          src: picurl,
          note: playcnt > 0 ? t('{count} plays', { count: roughly(playcnt) }) : ''
        }))}
      />
      <More of={mvs} none={t('There is nothing here.')} />
    </>
  )
}

function About ({ of: { desc, basic } }: { readonly of: Answer<'getSingerDesc'> }): VNode {
  return (
    <>
      <Text>{desc}</Text>
      <dl class="basics">
        {basic.map(({ key, value }) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {desc === '' && basic.length === 0 && <p class="empty">{t('There is nothing here.')}</p>}
    </>
  )
}

function Similar ({ mid }: { readonly mid: string }): VNode | null {
  const { data } = useAnswer('getSimilarSinger', { singermid: mid })
  if (data === undefined || data.singers.length === 0) return null
  return (
    <Part title={t('Similar singers')}>
      <Cards
        strip
        round
        of={data.singers.map(({ singerMID, singerName, singerPic }) => ({
          href: itemHref('singer', singerMID),
          name: singerName,
          src: singerPic
        }))}
      />
    </Part>
  )
}

/** The singers of a song, of which only the names are known: the view of the one, or a choice of several. */
export function SingerOf (): VNode {
  const { query } = place.value
  const [songmid, songid] = [query.get('songmid') ?? '', Number(query.get('songid'))]
  const { data, error, again } = useAnswer('getSongInfo', songmid === '' ? { songid } : { songmid })
  const singers = data && trackOf(data.songinfo.data.track_info).singers.filter(({ mid }) => mid !== '')
  const only = singers?.length === 1 ? singers[0]?.mid : undefined
  // Not for an answer that comes after the person went on.
  useEffect(() => {
    if (only !== undefined) goTo(itemHref('singer', only), true)
  }, [only])
  if (error !== undefined) return <Trouble error={error} again={again} />
  if (singers === undefined || only !== undefined) return <Waiting />
  return (
    <>
      <Title>{t('Singers')}</Title>
      <Cards
        round
        of={singers.map(({ mid, name }) => ({ href: itemHref('singer', mid), name, src: coverOf(mid, 150, 'singer') }))}
      />
    </>
  )
}
