/** The bar of the player below every view, and what it says. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon, IconButton } from './icons.tsx'
import { t } from './language.ts'
import { toggleView } from './mediaKeys.ts'
import { Cover, coverOf, itemHref, loginHref } from './parts.tsx'
import * as player from './player.ts'
import { nameOf, sizeOf } from './quality.ts'
import { refusal } from './refusal.ts'
import { place } from './router.ts'
import { Album, Singers } from './rows.tsx'
import { said } from './said.ts'
import { minutes } from './track.ts'

export function Bar (): VNode {
  const bar = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const entry = player.current.value
  // The page ends above the bar, so that it hides nothing.
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      document.documentElement.style.setProperty('--bar', `${bar.current?.offsetHeight ?? 0}px`)
    })
    if (bar.current !== null) watch.observe(bar.current)
    return () => {
      watch.disconnect()
    }
  }, [])
  const track = entry?.track
  const { shuffled, repeat } = player.queue.value
  const repeats = { off: t('Repeat: off'), all: t('Repeat: all songs'), one: t('Repeat: this song') }[repeat]
  return (
    <footer
      id="bar"
      ref={bar}
      class={open ? 'open' : ''}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpen(false)
      }}
    >
      <Said />
      <Refusal />
      <section class="player" aria-label={t('Player')}>
        <div class="now">
          {track === undefined
            ? (
              <span class="cover" aria-hidden="true">
                <span class="no">♪</span>
              </span>
            )
            : (
              <a
                class="open-song"
                href={itemHref('song', track.mid)}
                aria-label={t('About {song}', { song: track.name })}
              >
                <Cover src={coverOf(track.cover)} name={track.name} eager />
              </a>
            )}
          <div class="names">
            {track === undefined ? <span class="note">{t('Nothing plays. Choose a song.')}</span> : (
              <>
                <strong id="song">{track.name || '…'}</strong>
                <span id="singers">
                  <Singers track={track} />
                  <Album of={track.album} />
                </span>
              </>
            )}
          </div>
        </div>
        <div class="keys" role="group" aria-label={t('Playback')}>
          <IconButton icon="shuffle" name={t('Shuffle')} act={player.shuffle} pressed={shuffled} kind="extra" />
          <IconButton icon="previous" name={t('Previous song')} act={player.previous} off={track === undefined} />
          <IconButton
            icon={player.plays.value ? 'pause' : 'play'}
            name={t(player.plays.value ? 'Pause' : 'Play')}
            act={player.toggle}
            off={track === undefined}
            kind="primary"
          />
          <IconButton icon="next" name={t('Next song')} act={player.next} off={!player.hasNext.value} />
          <IconButton
            icon={repeat === 'one' ? 'one' : 'repeat'}
            name={repeats}
            act={player.repeat}
            pressed={repeat !== 'off'}
            kind="extra"
          />
        </div>
        <Seek />
        <div class="tools">
          <span class="extra volume">
            <IconButton
              icon={player.muted.value ? 'muted' : 'volume'}
              name={t('Mute')}
              act={player.mute}
              pressed={player.muted.value}
            />
            <input
              type="range"
              id="volume"
              min="0"
              max="100"
              step="1"
              aria-label={t('Volume')}
              value={Math.round(100 * player.volume.value)}
              onInput={({ currentTarget }) => {
                player.setVolume(Number(currentTarget.value) / 100)
              }}
            />
          </span>
          <span class="extra">
            <Quality />
          </span>
          <IconButton
            icon="lyric"
            name={t('Lyric')}
            kind="lyric"
            act={() => {
              setOpen(false)
              toggleView('lyric')
            }}
            pressed={place.value.parts[0] === 'lyric'}
            off={track === undefined}
          />
          <IconButton
            icon="queue"
            name={t('Queue')}
            act={() => {
              setOpen(false)
              toggleView('queue')
            }}
            pressed={place.value.parts[0] === 'queue'}
          />
          <button
            type="button"
            class="icon unfold"
            aria-label={t('More controls')}
            aria-expanded={open}
            onClick={() => {
              setOpen(!open)
            }}
          >
            <Icon name="up" />
          </button>
        </div>
      </section>
    </footer>
  )
}

function Seek (): VNode {
  const [dragged, setDragged] = useState<number>()
  const length = player.duration.value || (player.current.value?.track.seconds ?? 0)
  const at = dragged ?? player.position.value
  const isKnown = player.file.value !== undefined && length > 0
  return (
    <div class="time">
      <span id="at">{minutes(at)}</span>
      <input
        type="range"
        id="seek"
        min="0"
        max={length || at || 1}
        step="any"
        value={at}
        disabled={!isKnown}
        aria-label={t('Position')}
        aria-valuetext={t('{at} of {length}', { at: minutes(at), length: minutes(length) })}
        onInput={({ currentTarget }) => {
          setDragged(Number(currentTarget.value))
        }}
        onChange={({ currentTarget }) => {
          setDragged(undefined)
          player.seek(Number(currentTarget.value))
        }}
      />
      <span id="length">{minutes(length)}</span>
    </div>
  )
}

function Quality (): VNode {
  const { value: playing } = player.file
  const { value: chosen } = player.chosenQuality
  const known = player.qualities.value.map(String)
  const all = chosen === '' || known.includes(chosen) ? known : [chosen, ...known]
  const now = playing === undefined
    ? ''
    : `${nameOf(playing.quality)}${playing.size === 0 ? '' : ` · ${sizeOf(playing.size)}`}`
  return (
    <span class="quality">
      <label class="unseen" for="quality">{t('Quality')}</label>
      <select
        id="quality"
        value={chosen}
        title={t('Quality')}
        onChange={({ currentTarget }) => {
          player.setQuality(currentTarget.value)
        }}
      >
        <option value="">{t('Usual quality')}</option>
        {all.map((name) => <option key={name} value={name}>{nameOf(name as 'flac')}</option>)}
      </select>
      <span id="file" class="note">{now}</span>
    </span>
  )
}

function Refusal (): VNode | null {
  const { value: why } = refusal
  if (why === undefined) return null
  const { reason, hint, login, preview } = why
  return (
    <div class="refusal" id="refusal">
      <p>
        <strong id="reason">{reason()}</strong> <span id="hint">{hint()}</span>
      </p>
      <div class="buttons">
        {preview && <button type="button" id="part" onClick={player.preview}>{t('Play a preview')}</button>}
        {login && <a class="button login" href={loginHref()}>{t('Log in')}</a>}
      </div>
    </div>
  )
}

/** What the page says: for screen readers, and for a while for all. */
function Said (): VNode {
  const { sentence, shown, count } = said.value
  const text = sentence()
  return (
    <div id="status" role="status" class="said">
      <p key={count} class={shown && text !== '' ? 'shown' : 'unseen'}>{text}</p>
    </div>
  )
}
