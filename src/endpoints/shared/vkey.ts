/** Addresses of files: the two calls that grant them, and the one that names where they live. */
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'

export interface FileAsk { readonly songmid: string, readonly filename: string, readonly songType: number }

/** Who asks: `guid` is new for every request; `uin` the account's digits, "" without one. */
export interface Asker { readonly guid: string, readonly uin: string }

/** The upstream's answer for one file: `path` is "" when it grants none, and `result` says why. */
export interface Grant { readonly songmid: string, readonly filename: string, readonly path: string, readonly result: number }

export interface Grants { readonly roots: string[], readonly files: Grant[] }

/** At most this many files in one call. */
export const filesPerCall = 100

/** Every list has one entry per file; a shorter `songtype` is a slip of several clients. */
const listsOf = (files: readonly FileAsk[]) => ({
  songmid: files.map((file) => file.songmid),
  filename: files.map((file) => file.filename),
  songtype: files.map((file) => file.songType)
})

export const grantsOf = (files: readonly FileAsk[], { guid, uin }: Asker): MusicuCall<Grants> => ({
  name: 'play.vkey',
  ask: { module: 'vkey.GetVkeyServer', method: 'CgiGetVkey', param: { guid, ...listsOf(files), uin: uin || '0', loginflag: 1, platform: '20' }, authst: true },
  read: readGrants
})

/** Newer, with the same answer; `sip` came back empty in the recordings of 2026-08. */
export const newerGrantsOf = (files: readonly FileAsk[], { guid, uin }: Asker): MusicuCall<Grants> => ({
  name: 'play.vkey.newer',
  ask: { module: 'music.vkey.GetVkey', method: 'UrlGetVkey', param: { uin, guid, ...listsOf(files), ctx: 0 }, authst: true },
  read: readGrants
})

/** The answer also holds the caller's address and ready test addresses; neither is read. */
function readGrants (answer: Answer): Grants {
  return {
    roots: readRoots(answer),
    files: need.list(answer, 'midurlinfo', (item) => ({
      songmid: need.text(item, 'songmid'),
      filename: need.text(item, 'filename'),
      path: maybe.text(item, 'purl') ?? '',
      result: maybe.int(item, 'result') ?? 0
    }))
  }
}

export const rootsOf = ({ guid, uin }: Asker): MusicuCall<string[]> => ({
  name: 'play.roots',
  ask: { module: 'music.audioCdnDispatch.cdnDispatch', method: 'GetCdnDispatch', param: { guid, uid: uin || '0', use_new_domain: 1, use_ipv6: 1 } },
  read: readRoots
})

const readRoots = (answer: Answer): string[] => maybe.list(answer, 'sip', (root) => maybe.text(root, ''))
