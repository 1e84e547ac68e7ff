/** The upstream calls behind play addresses: two grant files, one of them in two forms, and one returns the root URLs. */
import { innerRefusal, maybe, need, upstreamEmpty, type Answer, type MusicuCall } from '../kit.ts'

export interface FileRequest { readonly songmid: string, readonly filename: string, readonly songType: number }

/** The caller of a request. `guid` is new for every request; `uin` is the account's digits, "" without an account. */
export interface PlayCaller { readonly guid: string, readonly uin: string }

/** The upstream's result for a file: `path` is "" if it is not granted, `result` is the code of the reason. */
export interface Grant {
  readonly songmid: string
  readonly filename: string
  readonly path: string
  readonly result: number
}

/** The results of all files, and the root URLs that go before `path`. */
export interface Grants { readonly roots: string[], readonly files: Grant[] }

export const filesPerCall = 100

/** Every list has one entry per file. A shorter `songtype` is a mistake of several clients. */
const listsOf = (files: readonly FileRequest[]) => ({
  songmid: files.map((file) => file.songmid),
  filename: files.map((file) => file.filename),
  songtype: files.map((file) => file.songType)
})

export const grantsOf = (files: readonly FileRequest[], { guid, uin }: PlayCaller): MusicuCall<Grants> => ({
  name: 'play.vkey',
  request: {
    module: 'vkey.GetVkeyServer',
    method: 'CgiGetVkey',
    param: { guid, ...listsOf(files), uin: uin || '0', loginflag: 1, platform: '20' }
  },
  emptyCounts: true,
  read: readGrants
})

/** The newer call with the same response. `sip` came back empty in the recordings of 2026-08. */
export const newerGrantsOf = (files: readonly FileRequest[], { guid, uin }: PlayCaller): MusicuCall<Grants> => ({
  name: 'play.vkey.newer',
  request: { module: 'music.vkey.GetVkey', method: 'UrlGetVkey', param: { uin, guid, ...listsOf(files), ctx: 0 } },
  read: readGrants
})

/** The newer call as the phone program sends it. Some accounts get more files this way (2026-10). */
export const phoneGrantsOf = (files: readonly FileRequest[], caller: PlayCaller): MusicuCall<Grants> => {
  const call = newerGrantsOf(files, caller)
  return { ...call, request: { ...call.request, comm: 'mobile' } }
}

/** Each way to request files, by the program that does it. For reports: endpoints take the first that answers. */
export const grantCalls = (
  files: readonly FileRequest[],
  caller: PlayCaller
): Readonly<Record<string, MusicuCall<Grants>>> => ({
  web: grantsOf(files, caller),
  webNewer: newerGrantsOf(files, caller),
  phone: phoneGrantsOf(files, caller)
})

/** The code of a call that grants this caller no file, although each file looks like a success. */
const nothingGranted = 104009

/**
 * Reads the files. Fails if the answer has a refusal in `retcode`, or if no file has an address or a code (2026-11):
 * the other call may grant them. The response also contains the caller's address and ready-made test addresses; neither
 * is read.
 */
function readGrants (answer: Answer): Grants {
  // The upstream's text contains the caller's address, so it is not part of the error.
  if (maybe.int(answer, 'retcode') === nothingGranted) throw innerRefusal(answer.call, nothingGranted)
  const files = need.list(answer, 'midurlinfo', (item): Grant => ({
    songmid: need.text(item, 'songmid'),
    filename: need.text(item, 'filename'),
    path: maybe.text(item, 'purl') ?? '',
    result: maybe.int(item, 'result') ?? 0
  }))
  if (files.length > 0 && files.every(({ path, result }) => path === '' && result === 0)) {
    throw upstreamEmpty(answer.call, 'play addresses')
  }
  return { roots: readRoots(answer), files }
}

export const rootsOf = ({ guid, uin }: PlayCaller): MusicuCall<string[]> => ({
  name: 'play.roots',
  request: {
    module: 'music.audioCdnDispatch.cdnDispatch',
    method: 'GetCdnDispatch',
    param: { guid, uid: uin || '0', use_new_domain: 1, use_ipv6: 1 }
  },
  read: readRoots
})

const readRoots = (answer: Answer): string[] => maybe.list(answer, 'sip', (root) => maybe.text(root, ''))

// @mutate streams: play-reasons play play-sources song-facts
