/** The page /: what is running, and a panel to try it. It asks the documented endpoints, as everybody does. */
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../../config.ts'
import { frontHtml } from './frontHtml.ts'
import { frontPlayer } from './frontPlayer.ts'
import { frontScript } from './frontScript.ts'
import { frontStyle } from './frontStyle.ts'
import { addPage } from './serve.ts'
import type { PageFile } from './serve.ts'

export const frontPaths = ['/', '/front/script.js', '/front/player.js', '/front/style.css'] as const

/**
 * `demo`: the upstream is the demo. Pictures come over https (the relay rewrites their addresses), or from the picture
 * origin of the settings, which may be http on this machine. Audio comes from hosts that only the upstream knows, some of
 * them bare addresses without a certificate, so its scheme is all that can be held fast; what plays cannot run.
 */
export function addFrontPage (app: FastifyInstance, settings: Settings, facts: { readonly version: string, readonly demo: boolean }): void {
  addPage(app, {
    '/': ['text/html', frontHtml({ ...settings, ...facts })],
    '/front/script.js': ['text/javascript', frontScript],
    '/front/player.js': ['text/javascript', frontPlayer],
    '/front/style.css': ['text/css', frontStyle]
  } satisfies Record<typeof frontPaths[number], PageFile>, {
    'img-src': `'self' data: https:${settings.imageOrigin === '' ? '' : ` ${settings.imageOrigin}`}`,
    'media-src': 'https: http:'
  })
}
