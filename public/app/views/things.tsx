/** Views of one thing: an album, a playlist, a song, a radio. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { countOf, roughly, t } from '../language.ts'
import { goesOn, useAnswer, usePages } from '../load.ts'
import { Answered, Cards, Head, More, Part, Text, Title, coverOf, itemHref } from '../parts.tsx'
import { add, play } from '../player.ts'
import { ask, type Answer } from '../relay.ts'
import { hrefOf } from '../router.ts'
import { Album as AlbumLink, PlayAll, Singers, Songs } from '../rows.tsx'
import { Share } from '../share.tsx'
import { ownStation, tuned } from '../station.ts'
import { minutes, partOf, trackOf, type Track } from '../track.ts'
import { playlistCard } from './home.tsx'
import { mvCard } from './mv.tsx'

const rows = 100

export function Album ({ mid }: { readonly mid: string }): VNode {
  return (
    <Answered from={useAnswer('getAlbumInfo', { albummid: mid })}>
      {(album: Answer<'getAlbumInfo'>) => {
        const tracks = album.songs.map(trackOf)
        const discs = [...new Set(tracks.map(({ disc }) => disc))].sort((a, b) => a - b)
        const singers = [...new Map(
          tracks.flatMap((track) => track.singers).filter((singer) => album.singerName.includes(singer.name)).map((
            singer
          ) => [singer.mid, singer])
        ).values()]
        return (
          <>
            <Head
              src={coverOf(tracks[0]?.cover || mid, 300)}
              kind={t('Album')}
              name={album.albumName}
              facts={[
                singers.length > 0 ? <Singers track={{ mid: '', id: 0, singers }} /> : album.singerName,
                album.publicTime,
                album.genre,
                album.language,
                album.company,
                countOf('1 song', '{count} songs', album.total)
              ]}
            >
              <PlayAll tracks={tracks} />
              <a class="button" href={hrefOf(`comments/album/${mid}`)}>{t('Comments')}</a>
              <Share href={itemHref('album', mid)} name={album.albumName} />
            </Head>
            <Text>{album.desc}</Text>
            {discs.map((disc) => (
              <section key={disc}>
                {discs.length > 1 && <h2>{t('Disc {number}', { number: disc })}</h2>}
                <Songs
                  tracks={tracks.filter((track) => track.disc === disc)}
                  numbers
                  start={(index) => {
                    play(tracks, tracks.indexOf(tracks.filter((track) => track.disc === disc)[index] as Track))
                  }}
                />
              </section>
            ))}
          </>
        )
      }}
    </Answered>
  )
}

export function Playlist ({ id }: { readonly id: string }): VNode {
  const head = useAnswer('getSongListDetail', { disstid: id, limit: rows, offset: 0 })
  const songs = usePages(`playlist ${id}`, async (page, had) => {
    const input = { disstid: id, limit: rows, offset: rows * page }
    const { songlist, songnum, skipped } = await ask('getSongListDetail', input)
    const tracks = songlist.map(({ songid, songmid, songname, singer, albumname, albummid, interval, vid }) =>
      partOf({
        mid: songmid,
        id: songid,
        name: songname,
        singer,
        album: { name: albumname, mid: albummid },
        cover: albummid,
        seconds: interval,
        vid
      })
    )
    return {
      rows: tracks,
      total: songnum,
      more: had + tracks.length < songnum && goesOn(tracks.length + skipped, rows * (page + 1), songnum)
    }
  })
  return (
    <Answered from={head}>
      {({ dissname, desc, creator, listen_num: heard, imgurl, songnum }: Answer<'getSongListDetail'>) => (
        <>
          <Head
            src={imgurl}
            kind={t('Playlist')}
            name={dissname}
            facts={[
              creator,
              countOf('1 song', '{count} songs', songnum),
              heard > 0 && t('{count} plays', { count: roughly(heard) })
            ]}
          >
            <PlayAll tracks={songs.rows} rest={songs.rest} />
            <a class="button" href={hrefOf(`comments/playlist/${id}`)}>{t('Comments')}</a>
            <Share href={itemHref('playlist', id)} name={dissname} />
          </Head>
          <Text>{desc}</Text>
          <Songs tracks={songs.rows} rest={songs.rest} />
          <More of={songs} none={t('This playlist has no songs.')} />
        </>
      )}
    </Answered>
  )
}

export function Song ({ mid }: { readonly mid: string }): VNode {
  return (
    <Answered from={useAnswer('getSongInfo', { songmid: mid })}>
      {({ songinfo }: Answer<'getSongInfo'>) => <OneSong key={mid} track={trackOf(songinfo.data.track_info)} />}
    </Answered>
  )
}

function OneSong ({ track }: { readonly track: Track }): VNode {
  const { mid } = track
  const versions = useAnswer('getOtherVersions', { songmid: mid })
  const similar = useAnswer('getSimilarSongs', { songmid: mid })
  const films = useAnswer('getRelatedMv', { songmid: mid })
  const lists = useAnswer('getRelatedPlaylists', { songmid: mid })
  return (
    <>
      <Head
        src={coverOf(track.cover, 300)}
        kind={t('Song')}
        name={track.name}
        facts={[
          <Singers track={track} />,
          track.album !== undefined && <AlbumLink of={track.album} />,
          track.seconds > 0 && minutes(track.seconds)
        ]}
      >
        <button
          type="button"
          class="primary"
          onClick={() => {
            play([track])
          }}
        >
          {t('Play')}
        </button>
        <button
          type="button"
          onClick={() => {
            add([track])
          }}
        >
          {t('Add to the queue')}
        </button>
        {track.vid !== '' && <a class="button" href={itemHref('mv', track.vid)}>MV</a>}
        <a class="button" href={hrefOf(`comments/song/${mid}`)}>{t('Comments')}</a>
        <Share href={itemHref('song', mid)} name={track.name} />
      </Head>
      {(versions.data?.versions.length ?? 0) > 0 && (
        <Part title={t('Other versions')}>
          <Songs tracks={(versions.data?.versions ?? []).map(({ song }) => trackOf(song))} />
        </Part>
      )}
      {(similar.data?.songs.length ?? 0) > 0 && (
        <Part title={t('Similar songs')}>
          <Songs tracks={(similar.data?.songs ?? []).map(trackOf)} />
        </Part>
      )}
      {(films.data?.list.length ?? 0) > 0 && (
        <Part title={t('MVs')}>
          <Cards strip wide of={(films.data?.list ?? []).map(mvCard)} />
        </Part>
      )}
      {(lists.data?.playlists.length ?? 0) > 0 && (
        <Part title={t('Playlists')}>
          <Cards strip of={(lists.data?.playlists ?? []).map(playlistCard)} />
        </Part>
      )}
    </>
  )
}

/** A station: songs without an end. Number 99 is the person's own. */
export function Radio ({ id }: { readonly id: string }): VNode {
  const { data } = useAnswer('getRadioLists', {})
  const station = data?.groups.flatMap(({ radios }) => radios).find(({ radioId }) => String(radioId) === id)
  const tuner = useMemo(() => tuned(id), [id])
  const songs = usePages(`radio ${id}`, async () => {
    const tracks = await tuner()
    return { rows: tracks, more: tracks.length > 0 }
  })
  const start = (index: number): void => {
    play(songs.rows, index, tuner, id)
  }
  const name = id === ownStation ? t('Personal radio') : station?.radioName ?? t('Radio')
  return (
    <>
      <Head src={station?.radioImg ?? ''} kind={t('Radio')} name={name} facts={[t('Songs without an end')]}>
        {songs.rows.length > 0 && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              start(0)
            }}
          >
            {t('Listen')}
          </button>
        )}
        <Share href={itemHref('radio', id)} name={name} />
      </Head>
      <Songs tracks={songs.rows} start={start} />
      <More of={songs} none={t('This station has no songs now.')} />
    </>
  )
}

export function Missing (): VNode {
  return (
    <>
      <Title>{t('There is no such page.')}</Title>
      <p>
        <a href={hrefOf('')}>{t('Home')}</a>
      </p>
    </>
  )
}
