/** The page: header, the view of the address, and the bar. */
import { effect, signal } from '@preact/signals'
import { render, type VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Bar } from './bar.tsx'
import { changeLanguage, inChinese, startLanguage, t, type Sentence } from './language.ts'
import { Login } from './login/login.tsx'
import { keysShown, startKeys } from './mediaKeys.ts'
import { Cover, loginHref, viewTitle } from './parts.tsx'
import { current, plays, startPlayer } from './player.ts'
import { useLogin } from './relay.ts'
import { hrefOf, place, startRouter } from './router.ts'
import { hasEnded, isLoggedIn, nameShown, person, refreshSession, source } from './session.ts'
import { singersOf } from './track.ts'
import { About } from './views/about.tsx'
import { Chart } from './views/chart.tsx'
import { Comments } from './views/comments.tsx'
import { Charts, Home, NewAlbums, Playlists, Radios } from './views/home.tsx'
import { LyricView } from './views/lyric.tsx'
import { Mine } from './views/mine.tsx'
import { Mv, Mvs } from './views/mv.tsx'
import { QueueView } from './views/queue.tsx'
import { Search, SearchBox } from './views/search.tsx'
import { Singer, SingerOf } from './views/singer.tsx'
import { Album, Missing, Playlist, Radio, Song } from './views/things.tsx'

/** What the page shows at each address: by the first part, with the others. */
const views: Readonly<Record<string, (id: string | undefined, more: string | undefined) => VNode>> = {
  '': () => <Home />,
  'about': () => <About />,
  'album': (mid = '') => <Album key={mid} mid={mid} />,
  'albums': () => <NewAlbums />,
  'chart': (id = '') => <Chart key={id} id={id} />,
  'charts': () => <Charts />,
  'comments': (kind = '', id = '') => <Comments key={`${kind} ${id}`} kind={kind} id={id} />,
  'login': () => <Login />,
  'lyric': () => <LyricView />,
  'mine': (tab) => <Mine tab={tab} />,
  'mv': (vid = '') => <Mv key={vid} vid={vid} />,
  'mvs': () => <Mvs />,
  'playlist': (id = '') => <Playlist key={id} id={id} />,
  'playlists': () => <Playlists />,
  'queue': () => <QueueView />,
  'radio': (id) => id === undefined ? <Radios /> : <Radio key={id} id={id} />,
  'search': () => <Search />,
  'singer': (mid, tab) => mid === undefined ? <SingerOf /> : <Singer key={mid} mid={mid} tab={tab} />,
  'song': (mid = '') => <Song key={mid} mid={mid} />
}

const ways: ReadonlyArray<readonly [path: string, title: Sentence]> = [
  ['', 'Home'],
  ['charts', 'Charts'],
  ['radio', 'Radio'],
  ['mvs', 'MVs'],
  ['mine', 'My music']
]

/** Whether the relay could not be reached when the page last asked it. The service worker says so. */
const offline = signal(!navigator.onLine)

function Header (): VNode {
  const [at = ''] = place.value.parts
  return (
    <header id="top">
      <a class="brand" href={hrefOf('')} aria-label="music-relay">
        <img src="page/icon.svg" alt="" width="28" height="28" />
        <span>music-relay</span>
      </a>
      <nav aria-label={t('Pages')}>
        {ways.map(([path, title]) => (
          <a key={path} href={hrefOf(path)} aria-current={at === path ? 'page' : undefined}>{t(title)}</a>
        ))}
      </nav>
      <SearchBox />
      <div class="person">
        {isLoggedIn.value
          ? (
            <a href={loginHref()} class="me" aria-label={`${t('Account')}: ${nameShown.value}`}>
              <Cover round src={person.value?.picture ?? ''} name={(nameShown.value || '☺').slice(0, 1)} eager />
              <span id="me">{nameShown.value || t('Logged in')}</span>
            </a>
          )
          : <a class="button login" href={loginHref()} aria-busy={source.value === 'asking'}>{t('Log in')}</a>}
        <button type="button" class="plain" id="language" lang={inChinese() ? 'en' : 'zh-CN'} onClick={changeLanguage}>
          {inChinese() ? 'English' : '中文'}
        </button>
      </div>
    </header>
  )
}

function View (): VNode {
  const main = useRef<HTMLElement>(null)
  const { parts: [first = '', second, third], query } = place.value
  const address = `${first} ${second ?? ''}`
  const before = useRef(address)
  // A screen reader is taken along to another view.
  useEffect(() => {
    if (before.current !== address && !(document.activeElement instanceof HTMLInputElement))
      main.current?.focus({ preventScroll: true })
    before.current = address
  }, [address])
  const view = Object.hasOwn(views, first) ? views[first] : undefined
  return (
    <main
      id="view"
      ref={main}
      tabIndex={-1}
      data-view={first}
      key={first === 'search' ? `search ${query.get('key')}` : first}
    >
      {offline.value && (
        <p class="warning" role="alert">
          {t('The relay cannot be reached. Check the network, and that the relay runs.')}
        </p>
      )}
      {hasEnded.value && first !== 'login' && (
        <p class="warning" role="alert">
          {t('The login has ended.')} <a href={loginHref()}>{t('Log in again')}</a>
        </p>
      )}
      {view === undefined ? <Missing /> : view(second, third)}
    </main>
  )
}

const keyNames: ReadonlyArray<readonly [string, Sentence]> = [
  ['Space, K', 'Play or pause'],
  ['← →', 'Ten seconds back or on'],
  ['P, N', 'Previous or next song'],
  ['− +', 'Volume'],
  ['M', 'Mute'],
  ['S', 'Shuffle'],
  ['R', 'Repeat'],
  ['L', 'Lyric'],
  ['Q', 'Queue'],
  ['/', 'Search'],
  ['?', 'Keys']
]

function Keys (): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (keysShown.value) dialog.current?.showModal()
  }, [keysShown.value])
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys-title"
      onClose={() => {
        keysShown.value = false
      }}
    >
      <h2 id="keys-title">{t('Keys')}</h2>
      <dl class="basics">
        {keyNames.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button class="primary">{t('Close')}</button>
      </form>
    </dialog>
  )
}

function App (): VNode {
  return (
    <>
      <a
        class="skip"
        href="#view"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('view')?.focus()
        }}
      >
        {t('To the content')}
      </a>
      <Header />
      <View />
      <nav class="foot" aria-label={t('About this relay')}>
        <a href={hrefOf('about')}>{t('About this relay')}</a> ·{' '}
        <button
          type="button"
          class="plain"
          onClick={() => {
            keysShown.value = true
          }}
        >
          {t('Keys')} (?)
        </button>
      </nav>
      <Bar />
      <Keys />
    </>
  )
}

startLanguage()
startRouter()
startPlayer()
startKeys()
void refreshSession()
// Going back to this page must not show a login.
addEventListener('pagehide', () => {
  useLogin('')
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
for (const name of ['online', 'offline']) {
  addEventListener(name, () => {
    offline.value = !navigator.onLine
    if (navigator.onLine && source.value === 'asking') void refreshSession()
  })
}
const app = document.getElementById('app') as HTMLElement
app.replaceChildren()
render(<App />, app)
// Who pressed a button that is gone goes on in the view, and not at the top of the page.
let held: EventTarget | null = null
addEventListener('focusin', ({ target }) => {
  held = target
})
new MutationObserver(() => {
  if (held instanceof Element && !held.isConnected && document.activeElement === document.body)
    document.getElementById('view')?.focus({ preventScroll: true })
}).observe(app, { childList: true, subtree: true })
effect(() => {
  document.documentElement.dataset['view'] = place.value.parts[0] ?? ''
})
effect(() => {
  const track = plays.value ? current.value?.track : undefined
  document.title = track !== undefined
    ? `${track.name} · ${singersOf(track)}`
    : viewTitle.value === ''
    ? 'music-relay'
    : `${viewTitle.value} · music-relay`
})
// Secure connections only: elsewhere browsers offer none.
if ('serviceWorker' in navigator) void navigator.serviceWorker.register('sw.js').catch(() => {})
