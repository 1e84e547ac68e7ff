/** The page /login: markup, style and script, each under its own address so that the policy needs no exception. It asks the same login endpoints as everybody else. */
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../../config.ts'
import { scanPagesOf } from '../../login/scan.ts'
import { loginHtml } from './loginHtml.ts'
import { loginScript } from './loginScript.ts'
import { loginStyle } from './loginStyle.ts'
import { addPage } from './serve.ts'
import type { PageFile } from './serve.ts'

export const loginPaths = ['/login', '/login/script.js', '/login/style.css'] as const

/** A cookie is shown on it, so nothing leaves it for elsewhere. */
export function addLoginPage (app: FastifyInstance, settings: Settings): void {
  addPage(app, {
    '/login': ['text/html', loginHtml({ scanPages: scanPagesOf(settings.upstreamOrigin) })],
    '/login/script.js': ['text/javascript', loginScript],
    '/login/style.css': ['text/css', loginStyle]
  } satisfies Record<typeof loginPaths[number], PageFile>, { 'img-src': "'self' data:" })
}
