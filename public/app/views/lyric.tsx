/** The lyric on the whole screen. Its line follows the song, and a press on a line goes to it. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../language.ts'
import { useAnswer } from '../load.ts'
import { Answered, Cover, Title, coverOf } from '../parts.tsx'
import { current, file, position, seek } from '../player.ts'
import type { Answer } from '../relay.ts'
import { Album, Singers } from '../rows.tsx'
import type { Track } from '../track.ts'

/** What the upstream writes in the place of words: this song has none. */
const wordless = /纯音乐|没有填词/

export function LyricView (): VNode {
  const track = current.value?.track
  if (track === undefined) {
    return (
      <>
        <Title>{t('Lyric')}</Title>
        <p class="empty">{t('Nothing plays. Choose a song.')}</p>
      </>
    )
  }
  return (
    <div class="stage">
      <div class="sleeve">
        <Cover src={coverOf(track.cover, 500)} name={track.name} eager />
        <Title>{track.name}</Title>
        <p>
          <Singers track={track} />
        </p>
        <p>
          <Album of={track.album} />
        </p>
      </div>
      {track.mid !== '' && <Lines key={track.mid} track={track} />}
    </div>
  )
}

function Lines ({ track: { mid } }: { readonly track: Track }): VNode {
  return (
    <Answered from={useAnswer('getLyric', { songmid: mid, isFormat: 1, format: 'lrc', roma: false })}>
      {({ lyric, parsed }: Answer<'getLyric'>) => {
        const lines: ReadonlyArray<{ time?: number, text: string, trans?: string }> = parsed?.lines
          ?? lyric.split('\n').map((text) => ({ text }))
        if (lines.length === 1 && wordless.test(lines[0]?.text ?? ''))
          return <p class="empty" id="lyric">{t('This song is an instrumental.')}</p>
        if (lines.every(({ text }) => text.trim() === ''))
          return <p class="empty" id="lyric">{t('There is no lyric of this song.')}</p>
        return <Following lines={lines} />
      }}
    </Answered>
  )
}

function Following (
  { lines }: { readonly lines: ReadonlyArray<{ time?: number, text: string, trans?: string }> }
): VNode {
  const list = useRef<HTMLOListElement>(null)
  // Slightly early, because the event fires only four times a second.
  const now = file.value === undefined ? -1 : position.value + 0.15
  // A line without a time is shown, and never lit.
  const lit = lines.findLastIndex(({ time = Infinity }) => time / 1000 <= now)
  useEffect(() => {
    const [box, line] = [list.current, list.current?.children[lit]]
    if (box === null || !(line instanceof HTMLElement)) return
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    box.scrollTo({
      top: line.offsetTop - (box.clientHeight - line.offsetHeight) / 2,
      behavior: calm ? 'auto' : 'smooth'
    })
  }, [lit])
  return (
    <ol id="lyric" ref={list} aria-label={t('Lyric')} tabIndex={0}>
      {lines.map(({ time, text, trans }, index) => (
        <li
          key={index}
          aria-current={index === lit ? 'true' : undefined}
          onClick={() => {
            if (time !== undefined) seek(time / 1000)
          }}
        >
          {text}
          {trans !== undefined && <span>{trans}</span>}
        </li>
      ))}
    </ol>
  )
}
