/** Roots of audio files. The upstream names several with every address, good and bad ones mixed. */
import { listedAudio, streamRoot } from '../http/origins.ts'

/**
 * Returns the roots in the order to try them: https before http, hosts that begin with `ws` last (they fail for many
 * listeners, 2026), and `streamRoot` when none is usable. Other hosts keep their scheme: some are IP addresses without
 * a certificate.
 */
export function rootsInOrder (roots: readonly string[]): string[] {
  const usable = roots.filter((root) => /^https?:\/\/[^/]/.test(root) && URL.canParse(root)).map((root) =>
    root.endsWith('/') ? root : `${root}/`
  )
  const rank = (root: string): number => root.startsWith('https:') ? 0 : root.startsWith('http://ws') ? 2 : 1
  const ordered = [...usable].sort((a, b) => rank(a) - rank(b)).map((root) =>
    root.replace('http:', 'https:') === streamRoot ? streamRoot : root
  )
  return ordered.length === 0 ? [streamRoot] : [...new Set(ordered)]
}

/** Longest address of a file, in characters. Usual ones have some hundreds. */
const longest = 4096

/**
 * Returns the address of a file as players get it: unchanged with https on a host of the provider or on
 * `originOverride`, else the same file below `streamRoot`. Few roots answer https. Undefined if the text names no file.
 */
export function playerAddress (address: string, originOverride: string | undefined): string | undefined {
  if (address.length > longest) return undefined
  const file = /[^/?#]+\?[^#]+$/.exec(address)?.[0]
  return file === undefined ? undefined
    : (listedAudio(address, originOverride) ?? listedAudio(streamRoot + file, undefined))?.href
}

/** Maximum addresses of one file. */
const mostAddresses = 4

/**
 * Returns the addresses of a file for players, in the order to try them. `path`: the file below each root. `toPlayer`:
 * see `playerAddress`. A host of the provider that is named with http may answer https as well.
 */
export function addressesOf (
  roots: readonly string[],
  path: string,
  toPlayer: (address: string) => string | undefined
): string[] {
  const addresses = roots.flatMap((root) => {
    const secure = `${root}${path}`.replace(/^http:/, 'https:')
    return [toPlayer(root + path), toPlayer(secure) === secure ? secure : undefined]
  })
  return [...new Set(addresses.filter((address) => address !== undefined))].slice(0, mostAddresses)
}

// @mutate streams: stream play
