/** Play addresses: look the songs up, ask for their files, and say why where there is none. */
import { randomBytes } from 'node:crypto'
import type { PlayReason, PlayUrl, Quality } from '../../../schemas/music.ts'
import type { Context } from '../../endpoint.ts'
import { UpstreamError } from '../../errors.ts'
import { generalMeaningOf } from '../../provider/codes.ts'
import { chooseRoot } from '../../provider/streams.ts'
import { whoAmI } from './account.ts'
import { hintFor } from './playHints.ts'
import { filesOf, qualitiesOf, qualityOfFile, readPlayTrack } from './qualities.ts'
import type { PlayTrack } from './qualities.ts'
import { eachSong } from './songDetail.ts'
import type { SongKey } from './songDetail.ts'
import { filesPerCall, grantsOf, newerGrantsOf, rootsOf } from './vkey.ts'
import type { Asker, FileAsk, Grant } from './vkey.ts'

/** A song to play: `key` is what it is looked up by, `mediaId` its media MID when the caller knows it. */
export interface Wanted { readonly songmid: string, readonly key: SongKey, readonly mediaId?: string | undefined }

/** `filename` is the file behind the address, "" without one. */
export interface Playable { readonly filename: string, readonly play: PlayUrl }

interface Song { readonly songmid: string, readonly track: PlayTrack | undefined, readonly reason: PlayReason | undefined }

/** One answer per song, in the same order. Throws UpstreamError only when the upstream is down or refuses the calls as such. */
export async function playables (wanted: readonly Wanted[], quality: Quality, context: Context): Promise<Playable[]> {
  const { upstream, credential } = context
  const asker: Asker = { guid: randomBytes(16).toString('hex'), uin: credential?.uin ?? '' }
  const songs = await lookUp(wanted, context)
  const asks = songs.map(({ songmid, track, reason }) => reason !== undefined
    ? []
    : filesOf(songmid, track, quality).map((filename) => ({ songmid, filename, songType: track?.songType ?? 0 })))
  const { roots, files, refused } = await askFor(asks, asker, context)

  const granted = files.some((file) => file.path !== '')
  const denied = files.some((file) => file.path === '' && file.result === noRight)
  const [root, expired] = await Promise.all([
    granted ? chooseRoot(roots.length > 0 ? roots : await upstream.send(rootsOf(asker)).catch(noRoots)) : '',
    denied && credential !== undefined ? isExpired(context) : false
  ])
  return songs.map((song, at) => {
    const own = files.filter((file) => file.songmid === song.songmid)
    const reason = song.reason ?? (asks[at]?.length === 0 ? 'NO_SUCH_QUALITY' : refused) ?? reasonOf(own, song, { loggedIn: credential !== undefined, expired })
    return address(song, own, root) ?? nowhere(song, reason, quality)
  })
}

const noRoots = (): string[] => []

/** A song that cannot be looked up because the call is at fault is asked for all the same, by the next best file name. */
async function lookUp (wanted: readonly Wanted[], { upstream }: Context): Promise<Song[]> {
  const tracks = await eachSong(upstream, wanted.map(({ key }) => key), readPlayTrack)
  return wanted.map(({ songmid, mediaId }, at) => {
    const { value, error } = tracks[at] ?? {}
    if (error !== undefined && !(error instanceof UpstreamError && (error.fault === 'call' || error.fault === 'caller'))) throw error
    const track = mediaId === undefined || value === undefined ? value : { ...value, mediaMid: mediaId }
    return { songmid, track, reason: error?.fault === 'caller' ? verdicts[error.code] ?? 'UNKNOWN' : undefined }
  })
}

const verdicts: Readonly<Record<string, PlayReason>> = { NOT_FOUND: 'NOT_FOUND', COOKIE_REJECTED: 'COOKIE_EXPIRED' }

interface Answered { readonly roots: string[], readonly files: Grant[], readonly refused?: PlayReason }

/** All files in as few calls as fit, usually one. A refusal that is about the caller becomes the reason of every song. */
async function askFor (asks: readonly FileAsk[][], asker: Asker, { upstream }: Context): Promise<Answered> {
  const all = asks.flat()
  let roots: string[] = []
  const files: Grant[] = []
  for (let from = 0; from < all.length; from += filesPerCall) {
    const some = all.slice(from, from + filesPerCall)
    try {
      const grants = await upstream.firstOf([grantsOf(some, asker), newerGrantsOf(some, asker)])
      files.push(...grants.files)
      if (roots.length === 0) roots = grants.roots
    } catch (error) {
      const refused = reasonOfRefusal(error)
      if (refused === undefined) throw error
      return { roots, files, refused }
    }
  }
  return { roots, files }
}

/** What a refusal of the call as a whole says of the caller; undefined when it is about the call. */
function reasonOfRefusal (error: unknown): PlayReason | undefined {
  if (!(error instanceof UpstreamError)) return undefined
  if (error.code === 'COOKIE_REJECTED') return 'COOKIE_EXPIRED'
  const meaning = generalMeaningOf(error)
  if (meaning === 'login') return 'NO_COOKIE'
  return meaning === 'risk' || meaning === 'throttled' ? 'RISK_CONTROL' : undefined
}

/** A dead key is denied like a live one without rights (104003); only this call tells them apart. */
async function isExpired ({ upstream, log }: Context): Promise<boolean> {
  try {
    await upstream.send(whoAmI)
    return false
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.code !== 'COOKIE_REJECTED') log.debug({ reason: error.code }, 'whether the cookie is alive could not be asked')
    return error.code === 'COOKIE_REJECTED'
  }
}

/** Codes of one file (2026-08): no right; no such file; and two for devices the upstream does not trust. */
const noRight = 104003
const noFile = 101404
const distrusted: readonly number[] = [104004, 104013]

function reasonOf (files: readonly Grant[], { track }: Song, { loggedIn, expired }: { loggedIn: boolean, expired: boolean }): PlayReason {
  if (files.some(({ result }) => result === noRight)) {
    if (!loggedIn) return 'NO_COOKIE'
    if (expired) return 'COOKIE_EXPIRED'
    return track?.closed === true ? 'REGION' : 'PAID'
  }
  if (files.some(({ result }) => distrusted.includes(result))) return 'RISK_CONTROL'
  return files.some(({ result }) => result === noFile) ? 'NOT_FOUND' : 'UNKNOWN'
}

/** The first file that was granted and that a plain player can play, named as what it is. */
function address ({ track }: Song, files: readonly Grant[], root: string): Playable | undefined {
  for (const { filename, path } of files) {
    const quality = qualityOfFile(filename)
    if (path === '' || quality === undefined) continue
    return { filename, play: { url: root + path, size: track?.sizes.get(quality) ?? 0, quality, ...available(track) } }
  }
  return undefined
}

function nowhere ({ track }: Song, reason: PlayReason, quality: Quality): Playable {
  return { filename: '', play: { url: '', size: 0, quality: '', ...available(track), reason, hint: hintFor(reason, track, quality) } }
}

const available = (track: PlayTrack | undefined): Pick<PlayUrl, 'availableQualities'> => track === undefined ? {} : { availableQualities: qualitiesOf(track) }
