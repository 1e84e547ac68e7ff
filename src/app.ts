/** Builds the HTTP server from its plugins, in the order written here. It never listens. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import type { DestinationStream } from 'pino'
import { registry } from './endpoints/index.ts'
import { caller, refuseCallers } from './edge/caller.ts'
import { connections, socketLimits } from './edge/connections.ts'
import { cors, headers } from './edge/headers.ts'
import { docs } from './edge/docs.ts'
import { routes } from './edge/routes.ts'
import { refusals, sendError } from './edge/refusals.ts'
import { clientErrors, maxHeaderSize } from './edge/framing.ts'
import { createMissingPage, files, guideFolder, hasGuide, hasPage } from './edge/files.ts'
import { health } from './edge/health.ts'
import { login } from './edge/login.ts'
import { input } from './edge/input.ts'
import { limits } from './edge/limits.ts'
import { createLogger, log as requestLog } from './edge/log.ts'
import { metrics } from './edge/metrics.ts'
import { routable, queryReader } from './edge/paths.ts'
import { shutdown } from './edge/shutdown.ts'
import { warnOfRemoved } from './relay/environment.ts'
import { resolveOptions, type RelayOptions } from './library/relay.ts'
import type { AccountBook, LoginStorage } from './relay/accountBook.ts'
import type { BrowserSessions } from './relay/browserSessions.ts'
import { formsOf, type AnyEndpoint } from './relay/endpoint.ts'
import type { PlayQueues } from './relay/playQueues.ts'
import { createRuntime, type Runtime } from './relay/runtime.ts'
import { meting } from './players/meting/meting.ts'
import { opensubsonic } from './players/opensubsonic/opensubsonic.ts'
import { radio } from './players/radio/radio.ts'
import { createAliases, createSuggestions } from './players/relays/suggest.ts'
import { openSharedStore, redisTimeoutMs } from './cache/redis.ts'

/** Options of `buildApp`: those of `createRelay`, and those of the server. */
export interface AppOptions extends RelayOptions {
  /** Destination of log lines. Default: stdout. */
  readonly logTo?: DestinationStream
  /** Whether the upstream is the demo upstream of this project. The front page says so. */
  readonly demo?: boolean
  /** Stored accounts, whose secrets requests may send. */
  readonly accounts?: AccountBook
  /** Stores logins of the page /login as accounts. Without it, the page does not offer this. */
  readonly loginStorage?: LoginStorage
  /** Sessions of browsers. Without them, no browser is the operator's, and none stays logged in. */
  readonly sessions?: BrowserSessions
  /** Stores the play queues of accounts. Default: they are kept until the relay stops. */
  readonly queues?: PlayQueues
  /** Code that makes one browser the operator's, once. The command prints a link with it. */
  readonly operatorCode?: string
  /** Returns the cookie of the login behind the setting `subsonicPassword`. Default: the global cookie. */
  readonly playerCookie?: () => string | undefined
  /**
   * Returns the secret for signed links. All instances that accept the same links need the same one. Default: a random
   * one.
   */
  readonly linkSecret?: () => Promise<string>
  /** Folder of the documentation site. Default: where `npm run site` builds it. */
  readonly guide?: string
  /** @internal Registered before the routes, which it sees: the maker of openapi.yaml. */
  readonly beforeRoutes?: FastifyPluginAsync
}

declare module 'fastify' {
  interface FastifyInstance {
    /** @internal Shared by plugins and handlers: settings, upstream, cache, logins. */
    runtime: Runtime
  }
}

/**
 * Returns a Fastify server that is ready for `listen()` or `inject()`. `close()` also ends all upstream work.
 * @throws {ConfigError} A setting is wrong, or an optional package that a setting needs is not installed.
 */
export async function buildApp (given: AppOptions = {}): Promise<FastifyInstance> {
  const {
    logTo,
    demo = false,
    accounts,
    loginStorage,
    sessions,
    queues,
    operatorCode,
    playerCookie,
    linkSecret = async () => randomBytes(32).toString('hex'),
    guide: site = guideFolder(),
    beforeRoutes,
    ...options
  } = given
  // Options are validated before any connection is opened, so that a wrong setting leaves none open.
  const { removed, ...resolved } = resolveOptions(options)
  const { settings, tuning } = resolved
  const logger = createLogger(settings.logLevel, logTo)
  const log = options.log ?? logger
  warnOfRemoved(removed, (line) => { log.warn(line) })
  const store = await openSharedStore(settings, tuning['redisTimeoutMs'] ?? redisTimeoutMs, logger)
  let app: FastifyInstance | undefined
  try {
    const runtime = createRuntime({ ...resolved, log }, { store, accounts })
    const player = { playerCookie: playerCookie ?? runtime.globalCookie }
    app = createServer(runtime, logger)
    app.addHook('onListen', async () => { store?.watch() })
    app.addHook('onClose', async () => { await store?.close() })
    // One plugin per concern. Hooks run in this order.
    await app.register(headers)
    await app.register(requestLog)
    await app.register(connections)
    await app.register(refusals, {
      suggest: createSuggestions(),
      page: settings.pages && hasPage() ? await createMissingPage({ guide: hasGuide(site), docs: settings.docs })
        : undefined
    })
    await app.register(cors)
    await app.register(shutdown)
    await app.register(caller, { secret: store?.counts.secret, sessions })
    await app.register(limits, { counts: store?.counts })
    await app.register(refuseCallers)
    if (settings.metrics) await app.register(metrics)
    await app.register(input)
    if (beforeRoutes !== undefined) await app.register(beforeRoutes)
    await app.register(routes, { registry })
    await app.register(radio, player)
    if (settings.meting) {
      await app.register(meting, {
        secret: settings.redisSecret === '' ? linkSecret : async () =>
          createHmac('sha256', settings.redisSecret).update('links').digest('hex')
      })
    }
    if (accounts !== undefined || settings.subsonicPassword !== '') {
      await app.register(opensubsonic, { ...player, queues })
    }
    if (settings.pages) {
      await app.register(files, { demo, sessions: sessions !== undefined, site })
      await app.register(login, { sessions, loginStorage, operatorCode })
    }
    if (settings.docs) await app.register(docs, { guide: settings.pages && hasGuide(site) })
    await app.register(health)
    return app
  } catch (error) {
    await (app === undefined ? store?.close() : app.close())
    throw error
  }
}

/** The server without its plugins. */
function createServer (runtime: Runtime, logger: ReturnType<typeof createLogger>): FastifyInstance {
  const withoutAlias = createAliases(Object.values<AnyEndpoint>(registry).flatMap(formsOf).map(({ path }) => path))
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger per request, because the few lines about a request contain its id.
    childLoggerFactory: (shared) => shared,
    bodyLimit: 256 * 1024,
    // A counter would reveal to every client how many requests all others send.
    genReqId: () => randomUUID(),
    ...socketLimits(runtime),
    pluginTimeout: 60_000, // ten seconds are little for a disk that wakes up, or a busy machine
    forceCloseConnections: 'idle',
    return503OnClosing: false, // its body does not have the relay's error format
    // paths.ts handles URLs that the router would refuse, such as long parameters.
    rewriteUrl: (request) => withoutAlias(routable(request)),
    routerOptions: {
      querystringParser: queryReader(runtime.settings.cookieParamName),
      maxParamLength: maxHeaderSize,
      ignoreTrailingSlash: false
    },
    // input.ts sets both compilers. This prevents the framework from loading its own.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    frameworkErrors: sendError,
    clientErrorHandler: clientErrors()
  })
  app.server.maxHeadersCount = 0 // beyond a number, headers would be dropped silently; their size is limited anyway
  app.decorate('runtime', runtime)
  app.addHook('onListen', async () => { runtime.upstream.calls.warm() })
  return app
}

function noCompiler (): never {
  throw new TypeError('a route was added before the plugin of input')
}
