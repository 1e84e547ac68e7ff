/** Writes docs/opensubsonic.md: what all methods share (opensubsonicParts.ts), and a section for each method. */
import { ServiceConfig } from '../../schemas/config.ts'
import { errorCodes, type ErrorCode } from '../../schemas/errors.ts'
import { ttlOf } from '../../src/cache/policy.ts'
import { RelayError } from '../../src/common/errors.ts'
import { defaultAccount } from '../../src/relay/accountBook.ts'
import { requestCosts } from '../../src/edge/limits.ts'
import { failureCodes, failureOf, httpStatusOf } from '../../src/players/opensubsonic/subsonicErrors.ts'
import type { AnyMethod } from '../../src/players/opensubsonic/method.ts'
import { emptyLists, refusedWrites } from '../../src/players/opensubsonic/system.ts'
import { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import { observedMethods, type CalledEndpoint } from './observeMethods.ts'
import { answers, headPart, ids, limits, unknowns, who } from './opensubsonicParts.ts'
import { cell, fields, timeInWords } from './tables.ts'

const table: Readonly<Record<string, AnyMethod>> = methods

/** What has a section. The others only refuse, or are empty. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'System': ['ping', 'getLicense', 'getOpenSubsonicExtensions', 'tokenInfo', 'getUser', 'getScanStatus'],
  'Library': ['getMusicFolders', 'getArtists', 'getArtist', 'getAlbumList2', 'getAlbum', 'getStarred2', 'getRandomSongs', 'getGenres', 'getSongsByGenre', 'getArtistInfo2', 'getAlbumInfo2'],
  'Library, as folders': ['getIndexes', 'getMusicDirectory', 'getAlbumList', 'getStarred', 'getArtistInfo', 'getAlbumInfo'],
  'Search': ['search3', 'search2'],
  'Playlists and radio': ['getPlaylists', 'getPlaylist', 'getInternetRadioStations'],
  'Songs and lyrics': ['getSong', 'getTopSongs', 'getSimilarSongs2', 'getSimilarSongs', 'getSonicSimilarTracks', 'findSonicPath', 'getLyricsBySongId', 'getLyrics'],
  'Queue and reports': ['savePlayQueue', 'savePlayQueueByIndex', 'getPlayQueue', 'getPlayQueueByIndex', 'scrobble', 'reportPlayback', 'createBookmark', 'deleteBookmark'],
  'Audio and pictures': ['stream', 'download', 'getCoverArt', 'getAvatar']
}

/** Returns the page. Throws if a method is in no group. */
export async function opensubsonicPage (): Promise<string> {
  const grouped = new Set([...Object.values(groups).flat(), ...Object.keys(emptyLists), ...Object.keys(refusedWrites)])
  for (
    const name of Object.keys(table)
  ) { if (!grouped.has(name)) { throw new Error(`build/docs/opensubsonic.ts lists ${name} in no group`) } }
  const made = await observedMethods()
  const { rateLimit } = ServiceConfig.properties
  return [
    headPart,
    who,
    answers,
    '## Ids',
    ids,
    '## Errors',
    errors(),
    '## Limits',
    limits({
      requests: Number(rateLimit.default) * requestCosts.playerRequests,
      upstreamCalls: Number(rateLimit.default) * 2
    }),
    '## Caching',
    caching(Object.values(made).flat()),
    '## What is not known',
    unknowns,
    ...Object.entries(groups).flatMap((
      [title, names]
    ) => [`## ${title}`, ...names.map((name) => section(name, table[name] as AnyMethod, made[name] ?? []))]),
    '## Empty',
    'Players request these at the start. An error would look like a broken server.',
    bySummary(emptyLists, /^Empty: /),
    '## Refused',
    `Error ${failureCodes.notAllowed} with a sentence. Nothing is changed.`,
    bySummary(refusedWrites, /^Refused: /)
  ].join('\n\n') + '\n'
}

function section (name: string, { summary, missing, input }: AnyMethod, parts: readonly CalledEndpoint[]): string {
  return [
    `### ${name}`,
    summary,
    ...missing === undefined ? [] : [`Missing: ${missing}`],
    fields(input) || 'No parameters.',
    ...parts.length === 0 ? [] : [`Made of ${parts.map(linkOf).join(', ')}.`]
  ].join('\n\n')
}

const linkOf = ({ name, path }: CalledEndpoint): string => `[\`${path}\`](reference.md#${name.toLowerCase()})`

/** Returns a table of the methods that have the same summary, and this summary. */
function bySummary (some: Readonly<Record<string, AnyMethod>>, begin: RegExp): string {
  const rows = new Map<string, string[]>()
  for (const [name, { summary }] of Object.entries(some)) rows.set(summary, [...rows.get(summary) ?? [], `\`${name}\``])
  return ['| Methods | Why |', '|---|---|', ...[...rows].map(([summary, names]) => `| ${names.join(' ')} | ${cell(capital(summary.replace(begin, '')))} |`)].join('\n')
}

const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`

const meanings: Readonly<Partial<Record<keyof typeof failureCodes, string>>> = {
  generic: 'Everything else',
  missing: 'A parameter is missing',
  wrongPassword: 'Wrong user or password',
  twoMechanisms: '`apiKey` together with `u`, `p` or `t`',
  wrongKey: 'Unknown or revoked key in `apiKey`',
  notAllowed: 'Not allowed: a change, another user, a login that has ended, a key with limits',
  notFound: 'Not found, or a song that cannot be played'
}

/** Codes that a request of a player cannot lead to: the relay's own token, links, bodies and logins. */
const elsewhere = /^(TOKEN_REQUIRED|LINK_INVALID|LOGIN_(?!REQUIRED)|QR_|INVALID_JSON|CROSS_SITE|METHOD_NOT_ALLOWED)/

function errors (): string {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => !elsewhere.test(code)).map((code) => ({
    code,
    error: new RelayError(code, '')
  }))
  const numberOf = (error: RelayError): unknown => (failureOf(error, defaultAccount)['error'] as { code: number }).code
  const rows = Object.entries(meanings).map(([name, meaning]) => {
    const number = failureCodes[name as keyof typeof failureCodes]
    const from = number === failureCodes.missing ? ['INVALID_INPUT']
      : codes.filter(({ error }) => numberOf(error) === number).map(({ code }) => code)
    return `| ${number} | ${meaning} | ${from.map((code) => `\`${code}\``).join(' ')} |`
  })
  const real = codes.filter(({ error }) => httpStatusOf(error, false) !== 200).map(({ code, error }) =>
    `\`${code}\` (${httpStatusOf(error, false)})`
  )
  return [
    'A failure has the HTTP status 200, `"status":"failed"` and one of these numbers. The sentence is the same as for other requests. The last column has the code of the relay, as in its log ([all codes](guides/when-something-fails.md)).',
    ['| Number | Meaning | Code of the relay |', '|---|---|---|', ...rows].join('\n'),
    `Other HTTP statuses: ${real.join(', ')}. 429 and 503 have \`Retry-After\`. \`stream\`, \`download\`, \`getCoverArt\` and \`getAvatar\` always have the status of the relay's code, such as 404 for a song that cannot be played, because players do not read the body of an audio answer; if something is not allowed, it is 403. The text after the status is the English part of the sentence: some players show it.`
  ].join('\n\n')
}

/** Answers of endpoints, by how long they are cached. */
function caching (parts: readonly CalledEndpoint[]): string {
  const rows = Object.entries(ttlOf).flatMap(([policy, { fresh, staleWhileRevalidate, staleIfError }]) => {
    const members = new Map(parts.filter(({ cache }) => cache === policy).map((part) => [part.path, linkOf(part)]))
    return members.size === 0 ? [] : [`| ${[...members.values()].join(' ')} | ${[fresh, staleWhileRevalidate, staleIfError].map(timeInWords).join(' | ')} |`]
  })
  return [
    'Methods use the answers of endpoints, which are [cached](configuration.md#caching). Answers with a login are cached for this account only.',
    ['| Answers | Fresh | Stale while revalidate | Stale if error |', '|---|---|---|---|', ...rows].join('\n'),
    'The albums and singers of a library are an index in memory. After ten minutes it is read again in the background; the old index is used meanwhile, and during an outage. It contains no songs, only the positions of an album\'s songs among the liked songs ([0017](decisions.md#0017)).',
    'A player may store a picture for a day. It must not store the address of `stream`: the provider\'s addresses expire.'
  ].join('\n\n')
}
