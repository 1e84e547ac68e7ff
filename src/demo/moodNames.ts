/**
 * The names of the moods. A mood is a state of the demo that can be switched on and off: `<what>-<how>`, or one of the
 * whole upstream. Imports nothing, because the help text of the command lists them; their effects are in moodFaults.ts.
 */

/** The ways in which a call can fail. */
export const hows = {
  500: 'HTTP 500 without a body',
  404: 'HTTP 404',
  html: 'a page instead of JSON',
  empty: 'success without rows',
  2001: 'refused by risk control, for one minute',
  filter2: 'success without rows, refused with is_filter -2: the form or the caller is not accepted',
  filter9: 'success without rows, refused with is_filter -9: a field has the wrong form',
  filter12: 'success without rows, refused with is_filter -12: too fast, for one minute',
  104009: 'refused with 104009: items that say 0 and have no address'
} as const
/** Keys of an object are strings, including those that look like numbers. */
export type How = '500' | '404' | 'html' | 'empty' | '2001' | 'filter2' | 'filter9' | 'filter12' | '104009'

const broken: readonly How[] = ['500', '404', 'html']
const rows: readonly How[] = [...broken, 'empty']
const program: readonly How[] = [...rows, '2001', 'filter2', 'filter9', 'filter12']

/** The subjects that can fail, by a plain name, and how. */
export const moodTargets = {
  'search': { about: 'the site\'s search, client_search_cp', hows: rows },
  'search-for': { about: 'the search of the phone pages, search_for_qq_cp', hows: rows },
  'lite': { about: 'the search of the light program', hows: program },
  'signed': { about: 'the signed search of the desktop program', hows: program },
  'desktop': { about: 'the unsigned search of the desktop program', hows: program },
  'phone': { about: 'the search of the phone program', hows: program },
  'programs': { about: 'the four searches of programs', hows: program },
  'suggestions': { about: 'suggestions, at both hosts', hows: rows },
  'hotwords': { about: 'trending searches, gethotkey.fcg', hows: rows },
  'hotwords-desktop': { about: 'trending searches of the desktop program', hows: rows },
  'hotwords-phone': { about: 'trending searches of the phone program', hows: rows },
  'play': { about: 'play addresses, both calls', hows: [...rows, '104009'] },
  'lyrics': { about: 'lyrics, fcg_query_lyric_new.fcg', hows: broken },
  'lyrics-program': { about: 'lyrics, GetPlayLyricInfo', hows: rows },
  'playlist': { about: 'the songs of a list, CgiGetDiss', hows: rows },
  'daily': { about: 'the songs of the day, folder 202 of CgiGetDiss', hows: rows },
  'feed': { about: 'the recommendations of the first page', hows: broken },
  'song': { about: 'details of a song, get_song_detail_yqq', hows: broken },
  'chart': { about: 'the songs of a chart, GetDetail', hows: broken },
  'album': { about: 'an album and its songs', hows: broken },
  'singer': { about: 'a singer\'s text, GetSingerDetail', hows: broken },
  'comments': { about: 'comments, the newer calls', hows: broken },
  'mv-play': { about: 'addresses of MVs, both calls', hows: broken }
} as const satisfies Readonly<Record<string, { about: string, hows: readonly How[] }>>
export type MoodTarget = keyof typeof moodTargets

/** Moods of the whole upstream, and of renewals. */
const wholes = {
  'slow': 'every answer takes two seconds',
  'down': 'every call is HTTP 500 without a body',
  'key-expired': 'every key has expired, also one that was given just now',
  'key-rotated': 'the accounts\' keys are dead, as after a renewal elsewhere; a login gives the new ones',
  'risk-control': 'risk control refuses the searches of programs (2001) and play addresses (104009)',
  'paced-searches': 'searches of programs are served at the published pace: two at once, then one in 4.25 s (2 s on the phone), else 2001',
  'renewal-refused': 'every renewal is refused (104401): log in again',
  'renewal-mistyped': 'every renewal is refused with the code for wrong types (10006)',
  'renewal-busy': 'every renewal is refused as too frequent (104604)',
  'renewal-500': 'every renewal is HTTP 500 without a body',
  'renewal-lost': 'the next renewal is done, its answer is lost, and the mood is over: nobody has the new key',
  'renewal-forgiving': 'a key that was renewed is dead, and can be renewed once more within an hour',
  'renewal-web-only': 'a renewal works in the common block of the web only (104403)',
  'renewal-phone-only': 'a renewal works in the common block of a phone only (104403)',
  'renewal-site-only': 'a renewal works as the site does it only, QQLogin with the valid key\'s cookie (104403)'
} as const

export type Whole = keyof typeof wholes

export interface MoodLine { readonly name: string, readonly about: string }

/** Returns every mood with its description. */
export function moodLines (): MoodLine[] {
  const parts = Object.entries(moodTargets).flatMap(([subject, { about, hows: ways }]) =>
    ways.map((how: How) => ({ name: `${subject}-${how}`, about: `${about}: ${hows[how]}` }))
  )
  return [...parts, ...Object.entries(wholes).map(([name, about]) => ({ name, about }))]
}

/**
 * Returns the names in a list like `search-500,key-expired`. Throws a RangeError that lists all moods if a name is
 * unknown.
 */
export function moodsNamed (text: string): string[] {
  const known = moodLines().map(({ name }) => name)
  const named = text.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const wrong = named.find((name) => !known.includes(name))
  if (wrong !== undefined || named.length === 0) throw new RangeError(`There is no mood "${wrong ?? text}". The moods are ${known.join(', ')}.`)
  return named
}

/**
 * Returns the moods as lines of a help text: a line for each subject, one for each way to fail, one for each whole
 * mood.
 */
export function moodHelp (): string {
  const line = (name: string, about: string): string => `  ${name.padEnd(44)} ${about}\n`
  const parts = Object.entries(moodTargets).map(([subject, { about, hows: ways }]) =>
    line(`${subject}-{${ways.join(',')}}`, about)
  )
  const ways = Object.entries(hows).map(([how, about]) => line(`…-${how}`, about))
  return `Moods:\n${[...parts, ...ways, ...Object.entries(wholes).map(([name, about]) => line(name, about))].join('')}`
}
