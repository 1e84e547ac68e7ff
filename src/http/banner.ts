/** The start-up text: version and modes, never values. */
import type { Settings } from '../config.ts'

export interface BannerFacts {
  readonly version: string
  readonly address: string
  readonly settings: Settings
  /** Whether a global cookie is stored. */
  readonly globalCookieStored: boolean
  /** The demo upstream's part of the banner. */
  readonly demo?: string
}

export function banner ({ version, address, settings, globalCookieStored, demo }: BannerFacts): string {
  const { fallbackMode, useGlobalCookie, cookieParamName, upstreamOrigin, docs, pages } = settings
  const onOff = (on: boolean): string => on ? 'on' : 'off'
  const lines = [
    `music-relay ${version}`,
    `  listening        ${address}`,
    `  upstream         ${demo !== undefined ? 'demo (invented catalogue)' : upstreamOrigin === '' ? 'live' : 'another origin (UPSTREAM_ORIGIN)'}`,
    `  fallback mode    ${onOff(fallbackMode)}${fallbackMode ? `: a request may bring its cookie as ?${cookieParamName}=…, X-Custom-Cookie or Cookie` : ': cookies of requests are ignored'}`,
    `  global cookie    ${onOff(useGlobalCookie)}${useGlobalCookie && !globalCookieStored ? ', but none is stored: calls stay anonymous (config/user-info.json)' : ''}`
  ]
  if (docs) lines.push(`  documentation    ${address}/docs`)
  if (pages) lines.push(`  try it           ${address}/`, `  log in           ${address}/login`)
  if (settings.host === 'localhost') lines.push('  only this machine can reach it; set HOST=0.0.0.0 to change that')
  return `${lines.join('\n')}\n${demo ?? ''}`
}
