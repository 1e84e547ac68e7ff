/** The queue: what plays next, in an order that the person may change. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { IconButton, Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { Cover, Title, coverOf } from '../parts.tsx'
import { empty, move, nameAll, playAt, queue, remove } from '../player.ts'
import { Album, Singers } from '../rows.tsx'
import { minutes } from '../track.ts'

export function QueueView (): VNode {
  const { entries, at } = queue.value
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState(-1)
  // The relay may not have been there when the page was opened.
  useEffect(() => {
    void nameAll()
  }, [])

  /** Moves a song, and keeps the keyboard on it. */
  function shift (from: number, to: number): void {
    if (to < 0 || to >= entries.length) return
    move(from, to)
    requestAnimationFrame(() => {
      list.current?.children[to]?.querySelector<HTMLElement>('.grip')?.focus()
    })
  }
  /** Takes a song out, and leaves the keyboard at the next one. */
  function drop (index: number): void {
    remove(index)
    requestAnimationFrame(() => {
      const rows = list.current?.children
      ;(rows?.[index] ?? rows?.[index - 1])?.querySelector<HTMLElement>('.tail button')?.focus()
    })
  }
  /** Follows a pointer: the song goes where it is. */
  function drag (y: number): void {
    const to = [...list.current?.children ?? []].findIndex((row) => y < row.getBoundingClientRect().bottom)
    if (dragged === -1 || to === -1 || to === dragged) return
    move(dragged, to)
    setDragged(to)
  }
  return (
    <>
      <Title>{t('Queue')}</Title>
      {entries.length === 0 ? <p class="empty">{t('The queue is empty. Songs that you play or add come here.')}</p> : (
        <>
          <div class="buttons">
            <span class="note" id="queue-count">{`${at + 1} / ${entries.length}`}</span>
            <button type="button" onClick={empty}>{t('Clear the queue')}</button>
          </div>
          <ol
            class="songs"
            id="queue"
            ref={list}
            onPointerMove={({ clientY }) => {
              drag(clientY)
            }}
            onPointerUp={() => {
              setDragged(-1)
            }}
            onPointerCancel={() => {
              setDragged(-1)
            }}
          >
            {entries.map(({ key, track }, index) => (
              <li
                key={key}
                class={`song${index === dragged ? ' dragged' : ''}`}
                aria-current={index === at ? 'true' : undefined}
              >
                <button
                  type="button"
                  class="icon grip"
                  aria-label={t('Move {song}: arrow keys', { song: track.name })}
                  title={t('Move')}
                  onPointerDown={(event) => {
                    event.currentTarget.releasePointerCapture(event.pointerId)
                    event.preventDefault()
                    setDragged(index)
                  }}
                  onKeyDown={(event) => {
                    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                    if (step === undefined) return
                    event.preventDefault()
                    event.stopPropagation()
                    shift(index, index + step)
                  }}
                >
                  <Icon name="grip" />
                </button>
                <Cover src={coverOf(track.cover)} name={track.name} />
                <span class="names">
                  <button
                    type="button"
                    class="name"
                    onClick={() => {
                      playAt(index)
                    }}
                  >
                    <span class="unseen">{`${t('Play')}: `}</span>
                    {track.name || '…'}
                  </button>
                  <Singers track={track} />
                </span>
                <Album of={track.album} />
                <span class="tail">
                  <span class="length">{track.seconds > 0 ? minutes(track.seconds) : ''}</span>
                  <IconButton
                    icon="cross"
                    name={t('Remove {song} from the queue', { song: track.name })}
                    act={() => {
                      drop(index)
                    }}
                  />
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}
