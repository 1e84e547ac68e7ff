/** Roots of audio files. The upstream names several with every address, good and bad ones mixed. */
import { listedAudio, streamRoot } from '../http/origins.ts'

/**
 * Returns the root to play from: https before http, hosts that begin with `ws` last (they fail for many listeners, 2026),
 * and `streamRoot` when none is usable. Other hosts keep their scheme: some are IP addresses without a certificate.
 */
export function chooseRoot (roots: readonly string[]): string {
  const usable = roots.filter((root) => /^https?:\/\/[^/]/.test(root) && URL.canParse(root)).map((root) => root.endsWith('/') ? root : `${root}/`)
  const best = usable.find((root) => root.startsWith('https:')) ?? usable.find((root) => !root.startsWith('http://ws')) ?? usable[0]
  return best === undefined || best.replace('http:', 'https:') === streamRoot ? streamRoot : best
}

/** Longest address of a file, in characters. Usual ones have some hundreds. */
const longest = 4096

/**
 * Returns the address of a file as players get it: unchanged with https on a host of the provider or on `originOverride`, else the
 * same file below `streamRoot`. All roots have all files, and few answer https. Undefined if the text names no file.
 */
export function playerAddress (address: string, originOverride: string | undefined): string | undefined {
  if (address.length > longest) return undefined
  const file = /[^/?#]+\?[^#]+$/.exec(address)?.[0]
  return file === undefined ? undefined : (listedAudio(address, originOverride) ?? listedAudio(streamRoot + file, undefined))?.href
}

// Addresses of account pictures: constants from public clients, checked to answer without a login (2026). Never contacted.

/** Returns the address of a picture. `k` is an opaque key from an address that the upstream sent. `size`: pixels. */
export function avatarByKey (k: string, size: number): string {
  return `https://thirdqq.qlogo.cn/g?b=sdk&k=${encodeURIComponent(k)}&s=${size}`
}

/** Returns the address of an account's picture. Accounts of the alternative channel get only a silhouette. `size`: pixels. */
export function avatarByAccount (digits: string, size: number): string {
  return `https://q.qlogo.cn/headimg_dl?dst_uin=${digits}&spec=${size}`
}

// @mutate streams: stream play
