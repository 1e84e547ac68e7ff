/** Play addresses: looks the songs up, requests their files, and gives a reason and advice if there is no address. */
import { randomUUID } from 'node:crypto'
import type { FileQuality, PlayReason, PlayUrl, Quality } from '../../../schemas/music.ts'
import { UpstreamError, optional, type Context, type Kind } from '../kit.ts'
import type { SongFacts, FoundFacts, SongKey } from '../../relay/songFacts.ts'
import { rootsInOrder } from '../../upstream/wire/audioRoots.ts'
import { whoAmI } from '../shared/accountCalls.ts'
import { filesOf, isLow, lowerQualities, qualitiesOf, qualityOfFile } from '../shared/songFiles.ts'
import { eachSong, readFacts } from '../shared/song.ts'
import {
  filesPerCall, grantsOf, newerGrantsOf, phoneGrantsOf, rootsOf, type FileRequest, type Grant, type PlayCaller
} from './grants.ts'

interface HintInput extends Pick<Song, 'track' | 'songid' | 'reason'> {
  readonly quality: Quality
  readonly loggedIn: boolean
}

/** Returns a hint for `reason`: the cause, and the next step for the caller. */
function hintFor (reason: PlayReason, song: HintInput): string {
  const { track, songid, quality, loggedIn } = song
  const trial = quality !== 'trial' && track?.sizes.has('trial') === true ? ' A short preview is available with quality=trial.' : ''
  switch (reason) {
    case 'NO_COOKIE': return `Log in to play this song: pass the cookie of an account.${trial}`
    case 'COOKIE_EXPIRED': return `Log in again: the cookie has expired. Pass the new one.${trial}`
    case 'PAID': return `This account cannot play the song: it needs a subscription or a purchase. Or try a lower quality.${trial}`
    case 'NO_SUCH_QUALITY': return otherQualities(track)
    case 'NOT_FOUND': return isBlind(song) ? 'There is no such file, and the song could not be looked up: try again later.' : track === undefined ? `There is no such song: check the songmid${songid === undefined ? '' : ' and the songid'}.` : 'There is no such file: request another quality, or omit mediaId.'
    case 'REGION': return 'The song is not available in this region: try another recording of it.'
    case 'RISK_CONTROL': return `The upstream blocks this ${loggedIn ? 'account or relay for now: send fewer requests and try again later.' : 'relay for now: send fewer requests, or pass the cookie of an account.'}`
    case 'UNKNOWN': return 'The upstream gave no address and no known reason: try again later, or request another quality.'
  }
}

function otherQualities (track: SongFacts | undefined): string {
  const qualities = track === undefined ? [] : qualitiesOf(track)
  return qualities.length === 0
    ? 'The song has no file at all any more: try another recording of it.'
    : `The song is not available in this quality: request one of ${qualities.join(', ')}.`
}

/** A song to play. `songid` and `mediaId` are its number and media MID if the caller gave them. */
export interface PlayRequest {
  readonly songmid: string
  readonly songid?: number | undefined
  readonly mediaId?: string | undefined
}

/** A granted file: `path` goes below each of the roots. */
export interface GrantedFile {
  readonly filename: string
  readonly path: string
  readonly quality: FileQuality
  readonly size: number
}

/**
 * The result for one song. `filename` is the file behind the address; "" without an address. `files`: the granted
 * files, the one of the address first. `roots`: where they are, in the order to try them. `track`: the facts of the
 * song, if it was found.
 */
export interface Playable {
  readonly filename: string
  readonly play: PlayUrl
  readonly files: readonly GrantedFile[]
  readonly roots: readonly string[]
  readonly track: SongFacts | undefined
}

/** A song after its lookup. `known`: its facts came from the relay's cache. */
interface Song extends PlayRequest {
  readonly track: SongFacts | undefined
  readonly reason: PlayReason | undefined
  readonly known: boolean
}

/** Reasons that can mean that the files of a song changed after the relay cached its facts. */
const mayBeOutdated: readonly (PlayReason | undefined)[] = ['NO_SUCH_QUALITY', 'NOT_FOUND']

/** What to request: a quality, and whether files of lower quality may replace one that its host does not have. */
interface Wish { readonly quality: Quality, readonly spare: boolean }

/**
 * Returns one result per song, in the same order. Throws UpstreamError only if the upstream is down or refuses the
 * calls themselves. `spare`: also request the next lower qualities, for a stream whose first file turns out to be
 * missing.
 */
export async function playables (
  wanted: readonly PlayRequest[],
  quality: Quality,
  context: Context,
  spare = false
): Promise<Playable[]> {
  const songs = await lookUp(wanted, context)
  const wish = { quality, spare }
  const found = await filesFor(songs, wish, context)
  const doubtful = songs.filter(({ known }, at) => known && mayBeOutdated.includes(found[at]?.play.reason))
  const again = doubtful.length === 0 ? [] : await filesFor(await lookUp(doubtful, context, true), wish, context)
  const all = found.map((one, at) => again[doubtful.indexOf(songs[at] as Song)] ?? one)
  const isPassing = ({ play: { reason } }: Playable): boolean => reason === 'RISK_CONTROL' || reason === 'UNKNOWN'
  if (songs.some(isBlind) || all.some(isPassing)) context.cacheAtMost('brief')
  return all
}

/** Whether the look-up of a song failed: then the names of its files are guesses. */
const isBlind = ({ track, reason }: Pick<Song, 'track' | 'reason'>): boolean =>
  track === undefined && reason === undefined

async function filesFor (
  songs: readonly Song[],
  { quality, spare: withSpare }: Wish,
  context: Context
): Promise<Playable[]> {
  const { upstream, credential } = context
  const caller: PlayCaller = { guid: randomUUID().replaceAll('-', ''), uin: credential?.uin ?? '' }
  const requestsOf = (qualityOf: (track: SongFacts | undefined) => readonly Quality[]): FileRequest[][] =>
    songs.map(({ songmid, track, reason }) =>
      reason !== undefined
        ? []
        : qualityOf(track).flatMap((each) => filesOf(songmid, track, each)).map((filename) => ({
          songmid,
          filename,
          songType: track?.songType ?? 0
        }))
    )
  const requests = requestsOf(() => [quality])
  const spares = requestsOf((track) => withSpare ? lowerQualities(track, quality) : [])
  const spareNames = new Set(spares.flat().map(({ filename }) => filename))
  const answered = await askFor(requests.map((each, at) => [...each, ...spares[at] ?? []]), caller, context)
  const { refused } = answered

  const loggedIn = credential !== undefined
  const isAsked = ({ filename }: Grant): boolean => !spareNames.has(filename)
  const denied = answered.files.filter((file) =>
    isAsked(file) && (file.path === '' ? file.result === noRight : isTrialInstead(file))
  )
  const expired = denied.length > 0 && loggedIn && await isExpired(context)
  const more = loggedIn && !expired ? await otherGrants(denied, answered.files.filter(isAsked), songs, caller, context)
    : { roots: [], files: [] }
  const better = more.files.filter((file) => file.path !== '' && !isTrialInstead(file))
  const files = answered.files.map((file) => better.find(({ filename }) => filename === file.filename) ?? file)
  const named = answered.roots.length > 0 ? answered.roots : more.roots
  const roots = files.some(({ path }) => path !== '')
    ? rootsInOrder(named.length > 0 ? named : await optional(upstream.send(rootsOf(caller)), () => true) ?? [])
    : []

  return songs.map((song, at): Playable => {
    const own = files.filter((file) => file.songmid === song.songmid)
    const asked = own.filter(isAsked)
    const reason = (): PlayReason =>
      song.reason ?? (requests[at]?.length === 0 ? 'NO_SUCH_QUALITY' : own.length === 0 ? refused : undefined)
        ?? reasonOf(asked, song, { loggedIn, expired })
    // A file of lower quality replaces one that was granted, never one that was refused.
    const [first, ...others] = grantedOf(asked, song)
    if (first === undefined) return nowhere(song, reason(), { quality, loggedIn })
    const spare = grantedOf(own.filter((file) => !isAsked(file)), song)
    return address(song, [first, ...others, ...spare], roots, { quality, loggedIn, expired })
  })
}

/**
 * Requests refused files once more, as the phone program does: some accounts get no file, or none above 128 kbit/s, as
 * the web page, and more as the phone (2026-10). `asked`: the results so far.
 */
async function otherGrants (
  denied: readonly Grant[],
  asked: readonly Grant[],
  songs: readonly Song[],
  caller: PlayCaller,
  { upstream }: Context
): Promise<Answered> {
  const isBetter = (file: Grant): boolean => {
    const quality = file.path === '' ? undefined : qualityOfFile(nameOf(file))
    return quality !== undefined && quality !== 'trial' && !isLow(quality)
  }
  const served = new Set(asked.filter(isBetter).map(({ songmid }) => songmid))
  const again = denied.filter(({ songmid }) => !served.has(songmid)).slice(0, filesPerCall).map((
    { songmid, filename }
  ): FileRequest => ({
    songmid,
    filename,
    songType: songs.find((song) => song.songmid === songmid)?.track?.songType ?? 0
  }))
  return again.length === 0 ? { roots: [], files: [] }
    : await optional(upstream.send(phoneGrantsOf(again, caller)), () => true) ?? { roots: [], files: [] }
}

/** Looks up all songs. If the lookup call itself fails, the song is still requested, under the next best file name. */
async function lookUp (wanted: readonly PlayRequest[], context: Context, afresh?: boolean): Promise<Song[]> {
  const tracks = await tracksOf(wanted, context, afresh)
  if (tracks.some(({ error }) => reasonOfRefusal(error) === 'COOKIE_EXPIRED')) context.loginRefused()
  return wanted.map((request, at) => {
    const { songmid, songid, mediaId } = request
    const { value, error, known = false } = tracks[at] as FoundFacts
    if (
      error !== undefined && !(error instanceof UpstreamError && (error.fault === 'call' || error.fault === 'caller'))
    ) { throw error }
    const track = mediaId === undefined || value === undefined ? value : { ...value, mediaMid: mediaId }
    return {
      songmid,
      songid,
      mediaId,
      track,
      known,
      reason: error?.fault === 'caller' ? reasonOfCode[error.code] ?? 'UNKNOWN' : undefined
    }
  })
}

/** Looks the songs up by number if it is known; some have no other way. The MID decides: a wrong number is ignored. */
async function tracksOf (
  wanted: readonly PlayRequest[],
  { upstream, songs }: Context,
  afresh?: boolean
): Promise<FoundFacts[]> {
  const find = async (keys: SongKey[]): Promise<readonly FoundFacts[]> =>
    await songs.find(keys, async (missing) => await eachSong(upstream, missing, readFacts), afresh)
  const tracks =
    await find(wanted.map(({ songmid, songid }) => songid === undefined ? { song_mid: songmid } : { song_id: songid }))
  const isOther = ({ songmid, songid }: PlayRequest, { value, error }: FoundFacts): boolean =>
    songid !== undefined
    && (value === undefined ? error instanceof UpstreamError && error.code === 'NOT_FOUND' : value.mid !== songmid)
  const mistaken = wanted.filter((request, at) => isOther(request, tracks[at] as FoundFacts))
  const byMid = await find(mistaken.map(({ songmid }) => ({ song_mid: songmid })))
  return wanted.map((request, at) => byMid[mistaken.indexOf(request)] ?? tracks[at] as FoundFacts)
}

const reasonOfCode: Readonly<Record<string, PlayReason>> = { NOT_FOUND: 'NOT_FOUND', COOKIE_REJECTED: 'COOKIE_EXPIRED' }

interface Answered { readonly roots: string[], readonly files: Grant[], readonly refused?: PlayReason }

/** Requests all files in as few calls as possible. A refusal is the reason of every song without an answer yet. */
async function askFor (
  requests: readonly FileRequest[][],
  caller: PlayCaller,
  { upstream, loginRefused }: Context
): Promise<Answered> {
  const all = requests.flat()
  let roots: string[] = []
  const files: Grant[] = []
  for (let from = 0; from < all.length; from += filesPerCall) {
    const some = all.slice(from, from + filesPerCall)
    try {
      const grants = await upstream.firstOf([grantsOf(some, caller), newerGrantsOf(some, caller)])
      files.push(...grants.files)
      if (roots.length === 0) roots = grants.roots
    } catch (error) {
      const refused = reasonOfRefusal(error)
      if (refused === undefined) throw error
      if (refused === 'COOKIE_EXPIRED') loginRefused()
      return { roots, files, refused }
    }
  }
  return { roots, files }
}

const reasonOfKind: Partial<Record<Kind, PlayReason>> = {
  'refused.cookie': 'COOKIE_EXPIRED',
  'refused.cookie.http': 'COOKIE_EXPIRED',
  'empty': 'UNKNOWN',
  'refused.login': 'NO_COOKIE',
  'refused.risk': 'RISK_CONTROL',
  'refused.rate': 'RISK_CONTROL'
}

/** Returns the reason behind a refusal of the whole call; undefined if the call itself failed. */
function reasonOfRefusal (error: unknown): PlayReason | undefined {
  return error instanceof UpstreamError ? reasonOfKind[error.kind] : undefined
}

/** Whether the key has expired. A valid key without rights gets the same code (104003); only this call tells. */
async function isExpired ({ upstream, loginRefused, log }: Context): Promise<boolean> {
  try {
    await upstream.send(whoAmI)
    return false
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const expired = error.code === 'COOKIE_REJECTED'
    if (expired) loginRefused()
    else log.debug({ reason: error.code }, 'whether the cookie is alive could not be asked')
    return expired
  }
}

/** Codes of one file (2026-08): no permission, no such file, and two for devices that the upstream does not trust. */
const noRight = 104003
const noFile = 101404
const distrusted: readonly number[] = [104004, 104013]

function reasonOf (
  files: readonly Grant[],
  { track }: Song,
  { loggedIn, expired }: { loggedIn: boolean, expired: boolean }
): PlayReason {
  if (files.some(({ result }) => result === noRight)) {
    if (!loggedIn) return 'NO_COOKIE'
    if (expired) return 'COOKIE_EXPIRED'
    return track?.closed === true ? 'REGION' : 'PAID'
  }
  if (files.some(({ result }) => distrusted.includes(result))) return 'RISK_CONTROL'
  return files.some(({ result }) => result === noFile) ? 'NOT_FOUND' : 'UNKNOWN'
}

/** Returns the name of the granted file, which may differ from the requested one. */
const nameOf = ({ path, filename }: Grant): string => /^(?:[^?#]*\/)?([^/?#]+)/.exec(path)?.[1] ?? filename

/** Whether the upstream granted a trial instead of the requested file. */
const isTrialInstead = (file: Grant): boolean =>
  file.path !== '' && qualityOfFile(nameOf(file)) === 'trial' && qualityOfFile(file.filename) !== 'trial'

/** Returns the playable files, trials last. What was granted is in the path: it may be another file, as a trial. */
function grantedOf (files: readonly Grant[], { track }: Song): GrantedFile[] {
  const found = files.flatMap((file): GrantedFile[] => {
    const { path } = file
    const filename = nameOf(file)
    const quality = path === '' ? undefined : qualityOfFile(filename)
    return quality === undefined ? [] : [{ filename, path, quality, size: track?.sizes.get(quality) ?? 0 }]
  })
  const isTrial = ({ quality }: GrantedFile): boolean => quality === 'trial'
  return [...found.filter((file) => !isTrial(file)), ...found.filter(isTrial)]
}

interface Asked { readonly quality: Quality, readonly loggedIn: boolean }

/** Returns the address of the first file. A trial that nobody asked for says why the song was not granted. */
function address (
  song: Song,
  files: readonly [GrantedFile, ...GrantedFile[]],
  roots: readonly string[],
  { expired, ...asked }: Asked & { readonly expired: boolean }
): Playable {
  const [{ filename, path, quality, size }] = files
  const reason = asked.loggedIn ? (expired ? 'COOKIE_EXPIRED' : song.track?.closed === true ? 'REGION' : 'PAID')
    : 'NO_COOKIE'
  const isTrial = quality === 'trial' && asked.quality !== 'trial'
  const why = isTrial ? { reason, hint: `This is only a short part. ${hintFor(reason, { ...song, ...asked, quality: 'trial' })}` } as const : {}
  return {
    filename,
    files,
    roots,
    track: song.track,
    play: { url: `${roots[0] ?? ''}${path}`, size, quality, ...available(song.track), ...why }
  }
}

function nowhere (song: Song, reason: PlayReason, asked: Asked): Playable {
  const play = {
    url: '',
    size: 0,
    quality: '',
    ...available(song.track),
    reason,
    hint: hintFor(reason, { ...song, ...asked })
  } as const
  return { filename: '', files: [], roots: [], track: song.track, play }
}

const available = (track: SongFacts | undefined): Pick<PlayUrl, 'availableQualities'> =>
  track === undefined ? {} : { availableQualities: qualitiesOf(track) }

// @mutate streams: play-reasons play play-sources song-facts
