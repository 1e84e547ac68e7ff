/**
 * The settings of an operator. Each is a key of `service-config.json` and, except `cookieParamName`, an environment
 * variable of the same name in UPPER_SNAKE, with the prefix `MUSIC_RELAY_` or without. Options override the
 * environment, the environment overrides the file, and the file overrides the default. Constants that only the code
 * uses stand beside their use. This file is long because it lists all settings.
 */
import { Type, type Static } from '@sinclair/typebox'
import { wordOf } from './common.ts'

const count = (fallback: number, maximum: number, description: string, minimum = 1): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum, maximum, default: fallback, description })

const milliseconds = (fallback: number, description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 1, maximum: 600_000, default: fallback, description: `${description} Milliseconds.` })

export const ServiceConfig = Type.Object({
  fallbackMode: Type.Boolean({ default: true, description: 'Requests may send their own cookie: query parameter, X-Custom-Cookie or Cookie header.' }),
  useGlobalCookie: Type.Boolean({ default: false, description: 'Requests without their own cookie use the cookie of user-info.json.' }),
  cookieParamName: Type.String({
    default: 'cookie',
    pattern: '^[A-Za-z_][0-9A-Za-z_-]{0,63}$',
    'x-allowed': 'a parameter name: a letter or underscore, then up to 63 letters, digits, _ or -',
    description: 'Name of the query parameter that carries a cookie. No environment variable.'
  }),
  globalCookieScope: wordOf(['all', 'login'], {
    default: 'all',
    description: 'Endpoints that use the global cookie: all, or only those for which the reference says Login.'
  }),
  exposeGlobalCookie: Type.Boolean({ default: false, description: '/user/getCookie shows the values of the global cookie, not only its names.' }),
  host: Type.String({
    default: 'localhost',
    minLength: 1,
    maxLength: 255,
    description: 'Address to listen on. The default serves this machine only; 0.0.0.0 serves other machines too.'
  }),
  port: Type.Integer({
    default: 3200,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on. 0: any free port.'
  }),
  logLevel: wordOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { default: 'info', description: 'Minimum log level.' }),
  docs: Type.Boolean({ default: true, description: 'Swagger UI at /docs, with the OpenAPI document at /docs/json and /docs/yaml.' }),
  pages: Type.Boolean({
    default: true,
    description:
      'The pages / (a player for people), /login (QR login in a browser) and /guide (this documentation, where it is built in).'
  }),
  metrics: Type.Boolean({ default: false, description: 'Prometheus metrics at /metrics.' }),
  metricsAccountNames: Type.Boolean({
    default: false,
    description: 'Metrics name the stored accounts: music_relay_account_expires_seconds has the label account. Everybody who can read /metrics then sees the names.'
  }),
  meting: Type.Boolean({
    default: false,
    description:
      'The Meting API at /meting, for the music widgets of blogs. It needs no access token: lists are open, and the links in them are signed. See docs/meting.md.'
  }),
  subsonicPassword: Type.String({
    default: '',
    maxLength: 512,
    pattern: '^([!-~]([ -~]*[!-~])?)?$',
    'x-allowed': 'a text of at most 512 printable ASCII characters, without a space at either end',
    description:
      'Password for OpenSubsonic players at /rest, with any user name that is not a stored account. They use the login of user-info.json. Stored accounts use their secrets instead. Empty: stored accounts only. See docs/players.md.'
  }),
  accessToken: Type.String({
    default: '',
    maxLength: 512,
    pattern: '^([!-~]([ -~]*[!-~])?)?$',
    'x-allowed': 'a text of at most 512 printable ASCII characters, without a space at either end, because it is sent in a header',
    description:
      'Token that every request except health checks must send: as Authorization: Bearer, or as the password of Basic. Printable ASCII. Empty: no token.'
  }),
  allowPublicGlobalCookie: Type.Boolean({
    default: false,
    description: 'Allows useGlobalCookie on a public address without accessToken. Everybody who can reach the relay then uses that account.'
  }),
  allowedHosts: Type.Array(
    Type.String({
      maxLength: 255,
      pattern: '^([0-9A-Za-z._-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$',
      'x-allowed': 'a host name such as relay.example, relay.example:8443 or [2001:db8::1]'
    }),
    {
      default: [],
      maxItems: 100,
      description:
        'Allowed host names of requests, besides loopback names. A name without a port allows all ports. Empty: any name, or only loopback names if host is a loopback address. Comma-separated in the environment.'
    }
  ),
  corsOrigins: Type.Array(Type.String({ pattern: '^https?://[0-9A-Za-z.:[\\]-]{1,255}$', 'x-allowed': 'an origin such as https://player.example' }), {
    default: [],
    maxItems: 100,
    description:
      'Web origins that may use the Cookie header and the global cookie. Pages of other origins can read public answers and send a cookie themselves. Comma-separated in the environment.'
  }),
  trustProxy: Type.Array(
    Type.String({ pattern: '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$', format: 'ip-network', 'x-allowed': 'an IP address, or a network such as 10.0.0.0/8' }),
    {
      default: [],
      maxItems: 100,
      description: 'Addresses or networks of proxies whose X-Forwarded-For is trusted. Comma-separated in the environment.'
    }
  ),
  publicOrigin: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^(https?://([0-9A-Za-z.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?(/[0-9A-Za-z_~.-]+)*/?)?$',
    'x-allowed': 'an address such as https://music.example or https://music.example/relay, without query',
    description:
      'Public address of the relay, with the path if a proxy serves it under one: https://music.example/relay. Links in answers begin with it. Empty: the Host of the request, with the protocol that a proxy of TRUST_PROXY reports.'
  }),
  upstreamOrigin: Type.String({
    default: '',
    description:
      'Origin that replaces all upstream hosts, with the Host header unchanged: a mirror, a recorder or the demo upstream. http only on loopback. Stored logins are renewed there; a refusal counts for this origin only. Empty: the real hosts.'
  }),
  upstreamProxy: Type.Array(Type.String({ maxLength: 2000 }), {
    default: [],
    maxItems: 100,
    description:
      'Proxies through which the relay reaches the upstream: http://, https:// or socks5://, with user:password@ if needed. A list: PROXY for all hosts, HOST=PROXY for one host (or for all subdomains, if the name begins with a dot), HOST=direct for no proxy. HTTP_PROXY and the like are ignored. Empty: none. See docs/running-in-public.md. Comma-separated in the environment.'
  }),
  stream: wordOf(['redirect', 'relay'], {
    default: 'redirect',
    description:
      'Answer of /stream and of pictures. redirect: a redirect to the provider\'s file. relay: the file itself, through the relay; needed by players in web pages, which ask with crossorigin, and by players that do not follow redirects.'
  }),
  imageOrigin: Type.String({ default: '', description: 'Origin of picture addresses in answers. Empty: the real one.' }),
  renewLogins: Type.Boolean({ default: true, description: 'Stored logins are renewed before their key expires.' }),
  accountsSecret: Type.String({
    default: '',
    maxLength: 512,
    pattern: '^(.{16,})?$',
    'x-allowed': 'a text of 16 to 512 characters; openssl rand -hex 32 makes a good one',
    description:
      'Secret that encrypts the files in the folder accounts. If it is lost, they cannot be read: remove the accounts and log in again. At least 16 characters. Empty: they are not encrypted.'
  }),
  deadlineMs: milliseconds(8000, 'Time limit for all upstream calls of one request together.'),
  upstreamLimit: count(
    64,
    10_000,
    'Maximum number of concurrent upstream requests, half of it for one host; one client gets half. With too many, the upstream may block your address.'
  ),
  upstreamRatePerHost: count(
    50,
    100_000,
    'Average number of requests per second to one upstream host; further ones wait. A burst may be four seconds\' worth, half of it for one client. 0: no limit.',
    0
  ),
  maxAnswerBytes: Type.Integer({
    default: 4 * 1024 * 1024,
    minimum: 1024,
    maximum: 256 * 1024 * 1024,
    description: 'Maximum size of an upstream answer, compressed and decompressed. Bytes.'
  }),
  cache: Type.Boolean({ default: true, description: 'Answers are cached in memory. Answers to requests with their own cookie are never cached.' }),
  cacheBytes: Type.Integer({
    default: 64 * 1024 * 1024,
    minimum: 64 * 1024,
    maximum: 16 * 1024 * 1024 * 1024,
    description: 'Maximum memory for cached answers, one entry for each 13 KB. Answers above 1 MB are not cached. Bytes.'
  }),
  redisUrl: Type.String({
    default: '',
    pattern: '^(rediss?://[^\\s/?#]{1,400}(/[0-9]{0,3})?(\\?\\S{0,100})?)?$',
    'x-allowed': 'an address such as redis://:password@host:6379/0',
    description:
      'Valkey or Redis in which several instances share cached answers and rate limits. The text must be identical in all instances. Empty: none.'
  }),
  redisSecret: Type.String({
    default: '',
    maxLength: 512,
    description:
      'Secret of the instances that share a store, the same in all of them. It signs entries, and hides client addresses. Empty: redisUrl is used instead, but the store itself knows that.'
  }),
  rateLimit: count(
    300,
    1_000_000,
    'Requests per minute from one client address; further ones get 429. A batch counts as ten. A client may cause twice as many upstream calls; beyond that it gets only cached answers. An IPv6 client is its /64 network. Not applied if host is a loopback address and trustProxy is empty, because all clients then have the same address. 0: no limit.',
    0
  ),
  rateLimitLoginStarts: count(
    10,
    1_000_000,
    'QR codes per minute for one client address, with three login checks for each and three waiting checks at once. Applied like rateLimit. 0: no limit on logins.',
    0
  ),
  maxConnections: count(
    2000,
    1_000_000,
    'Maximum number of client connections. One address may have a quarter; a tenth may be waiting checks of the alternative QR login. For one more, the longest idle connection is closed; if none is idle, the new one. Lowered at the start, with a warning, if the limit of open files requires it.'
  ),
  shedDelayMs: count(250, 60_000, 'Requests get 503 while the event loop lags by more than this on average. 0: never. Milliseconds.', 0),
  stopDelayMs: count(
    0,
    60_000,
    'Time between the stop signal and the stop. Requests are still answered, but /health/ready returns 503, so that a load balancer sends no new ones. Milliseconds.',
    0
  ),
  stopMs: milliseconds(5000, 'Time that running requests have to finish when the relay stops; then they get 503.')
}, { additionalProperties: false })

export type ServiceConfig = Static<typeof ServiceConfig>

const secret = (description: string): ReturnType<typeof Type.String> => Type.String({ maxLength: 4096, description })
const seconds = (description: string): ReturnType<typeof Type.Integer> => Type.Integer({ minimum: 0, description })

export const LoginRenewal = Type.Object({
  loginType: Type.Union([Type.Literal(1), Type.Literal(2)], { description: '1 alternative channel, 2 main channel.' }),
  musicId: Type.String({ pattern: '^[0-9]{1,20}$', description: 'Account number.' }),
  musicKey: secret('The key to renew. A cookie with another key makes the rest useless.'),
  keyCreatedAt: Type.Optional(seconds('When the upstream made the key, Unix seconds.')),
  keyExpiresIn: Type.Optional(seconds('How long the key lives, seconds.')),
  openId: Type.Optional(secret('Account at the login service.')),
  unionId: Type.Optional(secret('Account at the login service, across programs.')),
  accessToken: Type.Optional(secret('Token of the login service.')),
  accessTokenExpiresAt: Type.Optional(seconds('When that token expires, Unix seconds.')),
  refreshToken: Type.Optional(secret('Token that renews the login.')),
  refreshKey: Type.Optional(secret('Key that renews the login; often missing after the first login.'))
}, { description: 'What the upstream asks for when a key is renewed. It stays in the stored login: no answer, log or cookie has it.' })

export type LoginRenewal = Static<typeof LoginRenewal>

/** The data that a renewal needs, and the result of the last one. */
export const StoredRenewal = Type.Object({
  ...LoginRenewal.properties,
  renewedAt: Type.Optional(seconds('When the key was renewed, Unix seconds. Missing: not since the login.')),
  previous: Type.Optional(LoginRenewal),
  refreshKeyChanged: Type.Optional(Type.Boolean({ description: 'Whether the last renewal brought another refreshKey.' })),
  state: Type.Optional(wordOf(['ok', 'log in again'], { description: 'log in again: the upstream refuses to renew this login. Missing: ok.' })),
  reason: Type.Optional(Type.Integer({ description: 'The upstream\'s code for that.' })),
  refusedBy: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Origin that refused it in place of the upstream: it counts there only. Missing: the upstream itself.'
    })
  )
})

export const UserInfo = Type.Object({
  loginUin: Type.Optional(
    Type.String({
      pattern: '^([oO]?[0-9]{1,21})?$',
      'x-allowed': 'an account number, with or without a leading o',
      description: 'Account number, used if the cookie contains none.'
    })
  ),
  cookie: Type.Optional(
    Type.String({
      maxLength: 524_288,
      description: 'Cookie text: name=value pairs separated by "; ", or what a browser, or an extension that exports cookies, gives.'
    })
  ),
  renewal: Type.Optional(StoredRenewal)
}, { additionalProperties: false })

export type UserInfo = Static<typeof UserInfo>
