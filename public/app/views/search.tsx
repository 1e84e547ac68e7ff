/** The search box with its suggestions, and what is found. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { codeOf } from '../failure.ts'
import { countOf, t, type Sentence } from '../language.ts'
import { goesOn, useAnswer, usePages } from '../load.ts'
import { Cards, More, Tabs, Title, Trouble, Waiting, itemHref } from '../parts.tsx'
import { ask, type Answer, type Input } from '../relay.ts'
import { goTo, hrefOf, place } from '../router.ts'
import { Songs } from '../rows.tsx'
import { trackOf } from '../track.ts'
import { albumCard, playlistCard } from './home.tsx'
import { mvCard } from './mv.tsx'

/** Milliseconds without typing until suggestions are asked for. */
const typingMs = 200
const most = 8192

/** Whether a text looks like it holds an address. Whose it is, the relay knows. */
const hasAddress = (text: string): boolean => /https?(?::|%)|(?:^|[^\w])[\w-]+(?:\.[\w-]+)+\/\S|\[CQ:/i.test(text)

interface Suggestion {
  readonly href: string
  readonly name: string
  readonly note: string
}

const suggestionsOf = ({ result: { songList, singerList, albumList } }: Answer<'getSmartbox'>): Suggestion[] =>
  [
    ...songList.map(({ mid, name, singer }) => ({
      href: itemHref('song', mid),
      name,
      note: `${t('Song')} · ${singer}`
    })),
    ...singerList.map(({ mid, name }) => ({ href: itemHref('singer', mid), name, note: t('Singer') })),
    ...albumList.map(({ mid, name, singer }) => ({
      href: itemHref('album', mid),
      name,
      note: `${t('Album')} · ${singer}`
    }))
  ].filter(({ href }) => !href.endsWith('/'))

export function SearchBox (): VNode {
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const asking = useRef(new AbortController())
  const key = place.value.parts[0] === 'search' ? place.value.query.get('key') ?? '' : ''
  useEffect(() => {
    if (field.current !== null && document.activeElement !== field.current) field.current.value = key
  }, [key])

  function close (): void {
    asking.current.abort()
    setFound([])
  }
  function typed (text: string): void {
    close()
    const { signal } = asking.current = new AbortController()
    if (text === '' || hasAddress(text) || text.length > 200) return
    setTimeout(() => {
      if (!signal.aborted) {
        ask('getSmartbox', { key: text }, signal).then((answer) => {
          if (!signal.aborted) setFound(suggestionsOf(answer))
        }, () => {})
      }
    }, typingMs)
  }
  function search (event: Event): void {
    event.preventDefault()
    const words = field.current?.value.trim() ?? ''
    close()
    // The keyboard of a phone would cover what is found.
    if (matchMedia('(max-width: 51.99rem)').matches) field.current?.blur()
    if (words !== '') goTo(hrefOf('search', { key: words }))
  }
  /** Arrows lead from the field into the suggestions and back; Escape leaves them, and then the field. */
  function step (event: KeyboardEvent): void {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') {
      if (found.length > 0) field.current?.focus()
      else field.current?.blur()
      close()
    }
    if (way === undefined || found.length === 0) return
    event.preventDefault()
    const stops = [field.current, ...form.current?.querySelectorAll<HTMLElement>('#suggestions a') ?? []]
    stops[(stops.indexOf(document.activeElement as HTMLInputElement) + way + stops.length) % stops.length]?.focus()
  }
  return (
    <form
      role="search"
      id="search"
      ref={form}
      onSubmit={search}
      onKeyDown={step}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) close()
      }}
    >
      <label class="unseen" for="words">{t('Song, singer or album')}</label>
      <input
        id="words"
        ref={field}
        type="search"
        name="key"
        maxLength={most}
        placeholder={t('Song, singer or album')}
        autocomplete="off"
        enterkeyhint="search"
        onInput={({ currentTarget: { value } }) => {
          typed(value.trim())
        }}
      />
      <button class="primary">{t('Search')}</button>
      {found.length > 0 && (
        <ul id="suggestions" aria-label={t('Suggestions')}>
          {found.map(({ href, name, note }) => (
            <li key={href}>
              <a
                href={href}
                onClick={() => {
                  setTimeout(close)
                }}
              >
                {name} <span class="note">{note}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

const kinds = [
  ['song', 'Songs'],
  ['album', 'Albums'],
  ['singer', 'Singers'],
  ['playlist', 'Playlists'],
  ['mv', 'MVs'],
  ['lyric', 'By lyric']
] as const satisfies ReadonlyArray<readonly [Input<'search'>['type'], Sentence]>
type Kind = typeof kinds[number][0]
const rows = 30

export function Search (): VNode {
  const key = place.value.query.get('key') ?? ''
  const wanted = place.value.query.get('type') ?? 'song'
  const kind = kinds.find(([id]) => id === wanted)?.[0] ?? 'song'
  return hasAddress(key) ? <Linked key={key} text={key} /> : <Found key={`${kind} ${key}`} words={key} kind={kind} />
}

function Linked ({ text }: { readonly text: string }): VNode {
  const { data, error, again } = useAnswer('resolve', { text })
  // Not for an answer that comes after the person went on.
  useEffect(() => {
    if (data !== undefined)
      goTo(itemHref(data.type, data.type === 'playlist' || data.type === 'chart' ? data.id : data.mid), true)
  }, [data])
  if (codeOf(error) === 'INVALID_INPUT') return <Found words={text.slice(0, 200)} kind="song" />
  return error === undefined ? <Waiting /> : <Trouble error={error} again={again} />
}

function Found ({ words, kind }: { readonly words: string, readonly kind: Kind }): VNode {
  const found = usePages(`search ${kind} ${words}`, async (page) => {
    const answer = await ask('search', { key: words, type: kind, page: page + 1, limit: rows })
    const { length } = answer[`${kind}s`] as readonly unknown[]
    const more = goesOn(length + answer.skipped, rows * (page + 1), answer.total)
    return { rows: [answer], total: answer.total, more }
  })
  const all = found.rows
  const none = found.done && all.every((answer) => (answer[`${kind}s`] as readonly unknown[]).length === 0)
  return (
    <>
      <Title>{t('Results for “{words}”', { words })}</Title>
      <Tabs name={t('Kinds')} of={kinds} at={kind} href={(type) => hrefOf('search', { key: words, type })} />
      {found.total !== undefined && !none && (
        <p class="note" id="total">{countOf('1 result', '{count} results', found.total)}</p>
      )}
      {kind === 'song' && <Songs tracks={all.flatMap(({ songs }) => songs).map(trackOf)} />}
      {kind === 'album' && <Cards of={all.flatMap(({ albums }) => albums).map(albumCard)} />}
      {kind === 'singer' && (
        <Cards
          round
          of={all.flatMap(({ singers }) => singers).map(({ singerMID, singerName, singerPic, songNum }) => ({
            href: itemHref('singer', singerMID),
            name: singerName,
            src: singerPic,
            note: songNum > 0 ? countOf('1 song', '{count} songs', songNum) : ''
          }))}
        />
      )}
      {kind === 'playlist' && <Cards of={all.flatMap(({ playlists }) => playlists).map(playlistCard)} />}
      {kind === 'mv' && <Cards wide of={all.flatMap(({ mvs }) => mvs).map(mvCard)} />}
      {kind === 'lyric' && <Lines of={all.flatMap(({ lyrics }) => lyrics)} />}
      {none
        ? (
          <div class="empty">
            <p>{t('Nothing was found for “{words}”.', { words })}</p>
            <p>{t('Try fewer words, another spelling, or another kind above.')}</p>
          </div>
        )
        : <More of={found} none="" />}
    </>
  )
}

function Lines ({ of: lyrics }: { readonly of: Answer<'search'>['lyrics'] }): VNode {
  return (
    <>
      {lyrics.map(({ song, text }) => (
        <div key={song.id}>
          <Songs tracks={[trackOf(song)]} />
          <p class="note found">{text}</p>
        </div>
      ))}
    </>
  )
}
