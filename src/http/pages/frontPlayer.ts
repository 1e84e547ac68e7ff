/** The player of /: the file, the lyric line by line, and the reason when there is no file. */
export const frontPlayer = String.raw`const titles = {
  NO_COOKIE: 'This song wants a login.',
  COOKIE_EXPIRED: 'The login has expired.',
  PAID: 'This song wants a subscription or a purchase.',
  NO_SUCH_QUALITY: 'There is no such file of this song.',
  NOT_FOUND: 'There is no file of this song.',
  REGION: 'This song is not offered where the relay runs.',
  RISK_CONTROL: 'The upstream suspects a robot.',
  UNKNOWN: 'This song cannot be played.'
}

const size = (bytes) => bytes >= 1e6 ? (bytes / 1e6).toFixed(1) + ' MB' : Math.ceil(bytes / 1000) + ' kB'

export function createPlayer ({ part, ask, tell, showSource, addressOf, coverOf, heard }) {
  const [panel, picture, song, singers, file, audio, refusal, reason, hint, short, lyric, source] = ['player', 'cover', 'song', 'singers', 'file', 'audio', 'refusal', 'reason', 'hint', 'part', 'lyric', 'player-source'].map(part)
  const calm = matchMedia('(prefers-reduced-motion: reduce)')
  let round = new AbortController()
  let current
  /** Lines with their starts in seconds, in order; the one that is lit. */
  let lines = []
  let lit

  function light () {
    // A little early: the event comes four times a second only.
    const now = audio.hasAttribute('src') ? audio.currentTime + 0.15 : -1
    let at = -1
    while (at + 1 < lines.length && lines[at + 1].start <= now) at++
    if (lines[at]?.element === lit) return
    lit?.removeAttribute('aria-current')
    lit = lines[at]?.element
    lit?.setAttribute('aria-current', 'true')
    if (lit !== undefined) lyric.scrollTo({ top: lit.offsetTop - (lyric.clientHeight - lit.offsetHeight) / 2, behavior: calm.matches ? 'auto' : 'smooth' })
  }

  function showLyric ({ parsed: { lines: given } = { lines: [] } }) {
    lines = given.map(({ time, text, trans }) => {
      const element = document.createElement('li')
      element.textContent = text
      if (trans !== undefined) {
        const translation = document.createElement('span')
        translation.textContent = trans
        element.append(translation)
      }
      return { start: time / 1000, element }
    })
    lit = undefined
    lyric.replaceChildren(...lines.map(({ element }) => element))
    lyric.hidden = lines.length === 0
    lyric.scrollTop = 0
    light()
  }

  function silence () {
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
    lines = []
    lyric.hidden = refusal.hidden = picture.hidden = true
    file.textContent = ''
  }

  /** The file, or why there is none. */
  async function load (wanted, quality, { signal }) {
    const query = { songmid: wanted.mid, ...quality === undefined ? {} : { quality } }
    const asked = ask('getMusicPlay', query, signal)
    showSource(source, addressOf('getMusicPlay', query), addressOf('getLyric', { songmid: wanted.mid, isFormat: 1 }))
    const answer = await asked
    if (signal.aborted) return
    heard()
    audio.hidden = answer.url === ''
    refusal.hidden = !audio.hidden
    if (audio.hidden) {
      reason.textContent = titles[answer.reason] ?? titles.UNKNOWN
      hint.textContent = answer.hint ?? ''
      short.hidden = quality === 'trial' || answer.availableQualities?.includes('trial') !== true
      tell(wanted.name + ' cannot be played: ' + reason.textContent)
      return
    }
    file.textContent = [answer.quality === 'trial' ? 'a short part' : answer.quality, answer.size === 0 ? '' : size(answer.size)].filter((word) => word !== '').join(' · ')
    audio.src = answer.url
    light()
    await audio.play().then(
      () => { if (!signal.aborted) tell('Playing ' + wanted.name + ' by ' + wanted.singers + '.') },
      (error) => { if (!signal.aborted && error.name === 'NotAllowedError') tell(wanted.name + ' is ready: press play.') })
  }

  /** Shows a picture once it is there. */
  function paint (src) {
    if (src === '') return
    picture.src = src
    picture.hidden = false
  }

  async function play (wanted, quality) {
    round.abort()
    const { signal } = round = new AbortController()
    const still = (action) => (value) => { if (!signal.aborted) action(value) }
    silence()
    song.textContent = wanted.name
    singers.textContent = wanted.singers
    panel.hidden = false
    tell('Asking for ' + wanted.name + ' …')
    try {
      // Rows of charts have no album, and now and then no MID.
      const detail = wanted.mid && wanted.cover !== undefined ? undefined : ask('getSongInfo', wanted.mid ? { songmid: wanted.mid } : { songid: wanted.id }, signal)
      detail?.catch(() => {})
      const known = wanted.mid ? wanted : { ...wanted, mid: (await detail).songinfo.data.track_info.mid }
      current = known
      const art = wanted.cover ?? detail.then(({ songinfo }) => coverOf(songinfo.data.track_info))
      Promise.resolve(art).then(still(paint), () => {})
      ask('getLyric', { songmid: known.mid, isFormat: 1 }, signal).then(still(showLyric), () => {})
      await load(known, quality, { signal })
    } catch (error) {
      if (!signal.aborted) tell(error.message)
    }
  }

  picture.addEventListener('error', () => { picture.hidden = true })
  audio.addEventListener('timeupdate', light)
  audio.addEventListener('seeked', light)
  audio.addEventListener('error', () => { if (audio.hasAttribute('src')) tell('The file of ' + song.textContent + ' could not be loaded from its host by this browser.') })
  short.addEventListener('click', () => { play(current, 'trial') })

  return { play }
}
`
