/** Builds the HTTP server: plugins in written order. Never listens. */
import cors from '@fastify/cors'
import type { FastifyCorsOptions } from '@fastify/cors'
import Fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import sjson from 'secure-json-parse'
import type { DestinationStream } from 'pino'
import { registry } from './endpoints/index.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { RelayError } from './errors.ts'
import { isLoopbackBind } from './config.ts'
import type { Settings } from './config.ts'
import { resolveCredentials } from './http/credential.ts'
import { addDocsPage } from './http/docs.ts'
import { handleErrors, refuseOnSocket, sendError } from './http/errors.ts'
import { checkFraming } from './http/framing.ts'
import { guard } from './http/guards.ts'
import { addHealth, healthPaths } from './http/health.ts'
import { readableHeaders, setHeaders } from './http/headers.ts'
import { limitClients, shedEarly, socketLimits } from './http/limits.ts'
import type { Counts } from './http/limits.ts'
import { createLogger, logRequests } from './http/logging.ts'
import { addMetrics, metricsPath } from './http/metrics.ts'
import { addFrontPage, frontPaths } from './http/pages/front.ts'
import { addLoginPage, loginPaths } from './http/pages/login.ts'
import { queryReader } from './http/query.ts'
import { addRoutes, routeTable } from './http/routes.ts'
import { stopInOrder } from './http/stop.ts'
import { basisOf, createCore } from './relay.ts'
import type { Basis, RelayCore, RelayOptions } from './relay.ts'
import type { SharedStore } from './sharedCache.ts'
import { version } from './version.ts'

export interface AppOptions extends RelayOptions {
  /** Where log lines go; stdout when absent. */
  readonly logTo?: DestinationStream
  /** Where requests of clients are counted; in this process when absent. */
  readonly counts?: Counts
  /** The upstream is the demo of this project, and the front page says so. */
  readonly demo?: boolean
}

/** Characters of the last part of a path. Fifty MIDs with their commas are 1649. */
const longestPart = 2048

declare module 'fastify' {
  interface FastifyInstance {
    /** What the server stands on, for who looks into it: kept answers, findings. */
    core: RelayCore
  }
}

/** A server ready to listen or to be injected into. Throws ConfigError for a wrong setting. `close()` ends upstream work too. */
export async function buildApp ({ logTo, counts, demo = false, ...options }: AppOptions = {}): Promise<FastifyInstance> {
  // Before anything is opened: what is wrong is refused, and leaves no connection behind.
  const basis = basisOf(options)
  const logger = createLogger(basis.settings.logLevel, logTo)
  const store = await storeOf(basis.settings, logger)
  try {
    return await assemble({ ...basis, log: options.log ?? logger }, { logger, store, counts, demo })
  } catch (error) {
    await store?.close()
    throw error
  }
}

interface Ground { readonly logger: ReturnType<typeof createLogger>, readonly store: SharedStore | undefined, readonly counts: Counts | undefined, readonly demo: boolean }

async function assemble (basis: Basis, { logger, store, counts, demo }: Ground): Promise<FastifyInstance> {
  const inside = createCore(basis, { store })
  const { now } = basis
  const { core } = inside
  const endpoints: Readonly<Record<string, AnyEndpoint>> = registry
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // No logger for each request: the few lines about one name it themselves.
    childLoggerFactory: (shared) => shared,
    bodyLimit: 256 * 1024,
    ...socketLimits(core.settings),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // its answer is none of ours
    routerOptions: { querystringParser: queryReader(core.settings.cookieParamName), maxParamLength: longestPart, ignoreTrailingSlash: false },
    frameworkErrors: sendError,
    clientErrorHandler: refuseOnSocket
  })
  app.server.maxConnections = core.settings.maxConnections
  app.decorate('core', core)
  takeJsonOnly(app)
  const anyOrigin = core.settings.corsOrigins.length === 0
  setHeaders(app, anyOrigin)
  logRequests(app, now)
  checkFraming(app)
  handleErrors(app, routeTable(endpoints, [...healthPaths, ...core.settings.metrics ? [metricsPath] : [], ...core.settings.pages ? [...frontPaths, ...loginPaths] : []]))
  // Where any page may read, a constant header says so, and the plugin sees preflights only: its hook costs a tenth of an answer from memory.
  if (anyOrigin) await app.register(async (preflights) => { await preflights.register(cors, corsOptions([])) })
  else await app.register(cors, corsOptions(core.settings.corsOrigins))
  const leaving = stopInOrder(app, inside, core.settings)
  await shedEarly(app, core.settings, now)
  await limitClients(app, core.settings, now, counts ?? store?.counts)
  guard(app, { ...core.settings, loopback: isLoopbackBind(core.settings) })
  resolveCredentials(app, core)
  if (core.settings.metrics) await addMetrics(app, core)
  addRoutes(app, core, endpoints)
  addHealth(app, core, leaving)
  if (core.settings.pages) {
    addFrontPage(app, core.settings, { version, demo })
    addLoginPage(app, core.settings)
  }
  if (core.settings.docs) addDocsPage(app, endpoints, core.settings)
  app.addHook('onClose', async () => { await store?.close() })
  return app
}

/** What instances share; loaded and connected only where a setting names it. */
async function storeOf ({ redisUrl, redisTimeoutMs }: Settings, log: FastifyBaseLogger): Promise<SharedStore | undefined> {
  if (redisUrl === '') return undefined
  const { openStore } = await import('./sharedCache.ts')
  return await openStore(redisUrl, redisTimeoutMs, log)
}

/** Any page may read public answers; credentials are for the listed origins only. */
function corsOptions (trusted: readonly string[]): FastifyCorsOptions {
  const common: FastifyCorsOptions = { strictPreflight: false, methods: ['GET', 'HEAD', 'POST'], allowedHeaders: ['Content-Type', 'X-Custom-Cookie', 'Authorization'], exposedHeaders: readableHeaders, maxAge: 600 }
  if (trusted.length === 0) return { ...common, origin: '*' }
  return {
    ...common,
    delegator: (request, callback) => {
      const listed = trusted.includes(request.headers.origin ?? '')
      callback(null, { ...common, origin: listed ? [...trusted] : '*', credentials: listed })
    }
  }
}

/** Bodies are JSON, not compressed. An empty one is an empty object; a polluting key is refused. */
function takeJsonOnly (app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    try {
      if (request.headers['content-encoding'] !== undefined) throw new RelayError('UNSUPPORTED_TYPE', 'content-encoding: bodies are not compressed.')
      done(null, text === '' ? {} : sjson.parse(text as string, undefined, { protoAction: 'error', constructorAction: 'error' }))
    } catch (error) {
      done(error instanceof RelayError ? error : new RelayError('INVALID_JSON', 'body: must be valid JSON.', { cause: error }))
    }
  })
}
