/** Lists of songs. Text from the upstream is only ever inserted as text, never as HTML. */
import type { VNode } from 'preact'
import { sentenceOf } from './failure.ts'
import { IconButton, Icon } from './icons.tsx'
import { t } from './language.ts'
import type { Rest } from './load.ts'
import { Cover, coverOf, itemHref } from './parts.tsx'
import { add, current, play, plays } from './player.ts'
import { mostSongs } from './queue.ts'
import { hrefOf } from './router.ts'
import { tell } from './said.ts'
import { isThere, minutes, singersOf, type Track } from './track.ts'

/** The singers of a song as links. Where a list has names only, the song knows who they are. */
export function Singers (
  { track: { mid, id, singers } }: { readonly track: Pick<Track, 'mid' | 'id' | 'singers'> }
): VNode {
  return (
    <span class="singers">
      {singers.map((singer, index) => (
        <>
          {index > 0 && ', '}
          <a
            href={singer.mid !== ''
              ? itemHref('singer', singer.mid)
              : hrefOf('singer', mid === '' ? { songid: String(id) } : { songmid: mid })}
          >
            {singer.name}
          </a>
        </>
      ))}
    </span>
  )
}

export function Album ({ of }: { readonly of: Track['album'] }): VNode | null {
  return of === undefined || of.mid === '' ? null : <a class="album" href={itemHref('album', of.mid)}>{of.name}</a>
}

/** `rest`: songs of the list that are not loaded yet. */
interface AllProps {
  readonly tracks: readonly Track[]
  readonly rest?: Rest<Track>
}

/** `numbers`: they stand in the place of covers. `start`: plays the list from a song on, if it is not the queue. */
interface ListProps extends AllProps {
  readonly numbers?: boolean
  start?(index: number): void
}

/** Songs as rows. A press on one plays the list from it on. */
export function Songs ({ tracks: all, rest, numbers = false, start }: ListProps): VNode {
  const tracks = all.filter(isThere)
  return (
    <ol class="songs">
      {tracks.map((track, index) => {
        const isCurrent = current.value?.track.id === track.id
        return (
          <li key={`${index} ${track.id}`} class="song" aria-current={isCurrent ? 'true' : undefined}>
            {numbers
              ? <span class="number">{isCurrent && plays.value ? '♪' : track.number || index + 1}</span>
              : <Cover src={coverOf(track.cover)} name={track.name} />}
            <span class="names">
              <button
                type="button"
                class="name"
                onClick={() => {
                  if (start === undefined) play(tracks, index, rest?.())
                  else start(index)
                }}
              >
                <span class="unseen">{`${t('Play')}: `}</span>
                {track.name}
              </button>
              <Singers track={track} />
            </span>
            <Album of={track.album} />
            <span class="tail">
              {track.paid && <span class="tag">{t('paid')}</span>}
              {track.vid !== '' && (
                <a class="tag" href={itemHref('mv', track.vid)} aria-label={`MV: ${track.name}`}>MV</a>
              )}
              <span class="length">{track.seconds > 0 ? minutes(track.seconds) : ''}</span>
              <IconButton
                icon="plus"
                name={t('Add {song} to the queue', { song: track.name })}
                act={() => {
                  add([track])
                }}
              />
              {track.mid !== '' && (
                <a
                  class="icon"
                  href={itemHref('song', track.mid)}
                  aria-label={t('About {song}', { song: track.name })}
                  title={t('About {song}', { song: track.name })}
                >
                  <Icon name="more" />
                </a>
              )}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

export function PlayAll ({ tracks: all, rest }: AllProps): VNode | null {
  const tracks = all.filter(isThere)
  async function addAll (): Promise<void> {
    const whole = [...tracks]
    const next = rest?.()
    for (let more = await next?.() ?? []; more.length > 0 && whole.length <= mostSongs; more = await next?.() ?? [])
      whole.push(...more.filter(isThere))
    add(whole)
  }
  return tracks.length === 0 ? null : (
    <>
      <button
        type="button"
        class="primary"
        onClick={() => {
          play(tracks, 0, rest?.())
        }}
      >
        {t('Play all')}
      </button>
      <button
        type="button"
        onClick={() => {
          addAll().catch((error: unknown) => {
            tell(() => sentenceOf(error))
          })
        }}
      >
        {t('Add to the queue')}
      </button>
    </>
  )
}

export { singersOf }
