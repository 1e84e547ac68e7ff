/**
 * The settings. Each is a key of `service-config.json` and, except `cookieParamName`, an environment variable of the
 * same name in UPPER_SNAKE. Explicit options beat the environment, which beats the file, which beats the default.
 */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { wordOf } from './common.ts'

const count = (fallback: number, maximum: number, description: string, minimum = 1): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum, maximum, default: fallback, description })

const milliseconds = (fallback: number, description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 1, maximum: 600_000, default: fallback, description: `${description} Milliseconds.` })

export const ServiceConfig = Type.Object({
  fallbackMode: Type.Boolean({ default: true, description: 'A request may bring its own cookie (query, X-Custom-Cookie, Cookie).' }),
  useGlobalCookie: Type.Boolean({ default: false, description: 'The cookie of user-info.json is used for requests that bring none.' }),
  cookieParamName: Type.String({ default: 'cookie', pattern: '^[A-Za-z_][0-9A-Za-z_-]{0,63}$', 'x-allowed': 'a parameter name: a letter or underscore, then up to 63 letters, digits, _ or -', description: 'Query parameter that carries a cookie. No environment variable.' }),
  globalCookieScope: wordOf(['all', 'login'], { default: 'all', description: 'Where the global cookie is used: on all calls, or only where an endpoint knows a login.' }),
  exposeGlobalCookie: Type.Boolean({ default: false, description: '/user/getCookie shows the values of the global cookie, not only its names.' }),
  host: Type.String({ default: 'localhost', minLength: 1, maxLength: 255, description: 'Address to listen on. Other machines reach the relay only when this is changed, for example to 0.0.0.0.' }),
  port: Type.Integer({ default: 3200, minimum: 0, maximum: 65535, description: 'Port to listen on; 0 takes a free one.' }),
  logLevel: wordOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { default: 'info', description: 'The least important log line that is written.' }),
  docs: Type.Boolean({ default: true, description: 'Swagger UI at /docs, with the document at /docs/json and /docs/yaml.' }),
  pages: Type.Boolean({ default: true, description: 'The pages / (what is running, and a panel to try it) and /login (where a person logs in with a phone).' }),
  metrics: Type.Boolean({ default: false, description: 'Figures for Prometheus at /metrics. Needs the package prom-client.' }),
  accessToken: Type.String({ default: '', maxLength: 512, description: 'When set, every request but health checks must bring it: Authorization: Bearer, or as the password of Basic. Empty: no token.' }),
  allowPublicGlobalCookie: Type.Boolean({ default: false, description: 'Lets the relay start with useGlobalCookie on, on a public address, without accessToken: everybody who reaches it then acts with that account.' }),
  allowedHosts: Type.Array(Type.String({ pattern: '^[0-9A-Za-z.:[\\]-]{1,255}$', 'x-allowed': 'a host name without port' }), { default: [], maxItems: 100, description: 'Host names that requests may be addressed to, besides loopback names. Empty: loopback names only while listening on loopback, else any. The variable is comma-separated.' }),
  corsOrigins: Type.Array(Type.String({ pattern: '^https?://[0-9A-Za-z.:[\\]-]{1,255}$', 'x-allowed': 'an origin such as https://player.example' }), { default: [], maxItems: 100, description: 'Origins whose pages may use the Cookie header and the global cookie. Pages of all others may read public answers and bring a cookie themselves. The variable is comma-separated.' }),
  trustProxy: Type.Array(Type.String({ pattern: '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$', format: 'ip-network', 'x-allowed': 'an IP address, or a network such as 10.0.0.0/8' }), { default: [], maxItems: 100, description: 'Proxies in front of the relay, as addresses or networks. From them alone, X-Forwarded-For says who asks. The variable is comma-separated.' }),
  upstreamOrigin: Type.String({ default: '', description: 'Origin that every upstream request is sent to instead, Host header kept: a mirror, a recorder, the demo upstream. http only on loopback. Empty: the real hosts.' }),
  imageOrigin: Type.String({ default: '', description: 'Origin of picture addresses in answers. Empty: the real one.' }),
  connectTimeoutMs: milliseconds(2000, 'Longest wait for a connection to the upstream.'),
  headersTimeoutMs: milliseconds(5000, 'Longest wait for the first byte of an upstream answer.'),
  bodyTimeoutMs: milliseconds(5000, 'Longest pause within an upstream answer.'),
  deadlineMs: milliseconds(8000, 'Longest time that all upstream calls of one request may take together.'),
  upstreamLimit: count(64, 10_000, 'Most requests to the upstream at once.'),
  upstreamLimitPerHost: count(32, 10_000, 'Most of them to one host. An upstream that is asked more than it likes blocks the address, not the account.'),
  upstreamRatePerHost: count(50, 100_000, 'Most requests per second to one host in the long run; who comes too early waits for a turn. 0: no limit.', 0),
  upstreamBurstPerHost: count(200, 100_000, 'How many of them may go at once after a quiet time.'),
  midBatchSize: count(1, 20, 'Songs that resolveMid asks for in one request; what a joint answer lacks is asked for by itself.'),
  upstreamQueue: count(128, 100_000, 'Most requests that wait for a place among them; more are refused with 503.', 0),
  upstreamQueueMs: milliseconds(1000, 'Longest wait for such a place, and for a turn.'),
  circuitFailures: count(10, 1_000_000, 'A host that fails this often in a row is not asked for a while: requests end with 503 at once.'),
  circuitPercent: count(50, 99, 'So is one that fails more than this part of its requests. Percent.'),
  circuitSamples: count(20, 1_000_000, 'Fewest requests within circuitWindowMs that this part is taken of.'),
  circuitWindowMs: milliseconds(10_000, 'The time that circuitPercent looks back.'),
  circuitPauseMs: milliseconds(5000, 'How long a failing host is left alone; then one request looks whether it is back.'),
  retryDelayMinMs: milliseconds(50, 'Shortest wait before the one further attempt after a broken connection or an error of the upstream\'s server. Nothing is tried again after a timeout.'),
  retryDelayMaxMs: milliseconds(250, 'Longest such wait.'),
  retryPercent: count(10, 100, 'Most further attempts, as a part of the requests that the upstream answers. Percent.', 0),
  retryFloor: count(1, 1000, 'Further attempts per second that are allowed in any case.', 0),
  retryBurst: count(10, 10_000, 'Most further attempts that may be saved up; 0 for none at all.', 0),
  linkFailures: count(5, 1_000_000, 'A call that is refused or unreadable this often in a row is left out where another call gives the same.'),
  linkPauseMs: milliseconds(30_000, 'How long such a call is left out; then one request looks whether it is back.'),
  loginHopDeadlineMs: milliseconds(5000, 'Longest time of one step of a QR login.'),
  loginDeadlineMs: milliseconds(15_000, 'Longest time of all steps of a QR login together.'),
  pollDeadlineMs: milliseconds(35_000, 'Longest time that a check of the alternative QR login waits for news.'),
  pollLimit: count(200, 10_000, 'How many checks of the alternative QR login may wait at once; more are refused with 503.'),
  pollLimitPerClient: count(3, 10_000, 'How many of them one client address may have; counted like rateLimit.'),
  rateLimit: count(300, 1_000_000, 'Requests that one client address may make in a minute; more get 429. IPv6 addresses count by their /64 network. Nobody is counted while the relay listens on loopback only and trustProxy is empty: all clients would have the same address. 0: no limit.', 0),
  rateLimitBatchWeight: count(10, 100, 'As so many requests a batch counts.'),
  rateLimitLoginStarts: count(10, 1_000_000, 'QR codes that one client address may ask for in a minute. 0: no limit.', 0),
  rateLimitLoginChecks: count(30, 1_000_000, 'Checks of a QR login that one client address may make in a minute. 0: no limit.', 0),
  rateLimitClients: count(5000, 1_000_000, 'Most counts that are kept; the one unused for longest is forgotten first.'),
  shedDelayMs: count(250, 60_000, 'While the process gets round to its work later than this on average, requests are refused with 503. 0: never. Milliseconds.', 0),
  shedUtilisationPercent: count(0, 100, 'So they are while the process is busy for more than this part of the time, even if it keeps up. 0: never. Percent.', 0),
  shedMemoryPercent: count(75, 100, 'So they are while the process takes more than this part of the memory that its container may take. 0: never. Percent.', 0),
  maxConnections: count(2000, 1_000_000, 'Most connections of clients at once; more are closed at once.'),
  maxRequestsPerConnection: count(1000, 1_000_000, 'Requests on one connection, after which it is closed. 0: no limit.', 0),
  clientHeadersTimeoutMs: milliseconds(10_000, 'Longest time a client may take to send the headers of a request.'),
  clientRequestTimeoutMs: milliseconds(15_000, 'Longest time a client may take to send a whole request.'),
  clientCheckMs: milliseconds(2000, 'How often clients are looked at that take too long.'),
  clientKeepAliveMs: milliseconds(65_000, 'How long a connection stays open for the next request.'),
  stopDelayMs: count(0, 60_000, 'After the signal to stop, /health/ready says 503 for so long while everything is still answered, so that a balancer sends nobody more. Milliseconds.', 0),
  stopMs: milliseconds(5000, 'Longest time that requests may then still take; after it they get 503.'),
  maxAnswerBytes: Type.Integer({ default: 4 * 1024 * 1024, minimum: 1024, maximum: 256 * 1024 * 1024, description: 'Largest upstream answer, on the wire and decompressed. Bytes.' }),
  cache: Type.Boolean({ default: true, description: 'Finished answers are kept in memory and used again, as long as their kind allows. Never an answer to a request that brings its own cookie.' }),
  cacheBytes: Type.Integer({ default: 64 * 1024 * 1024, minimum: 64 * 1024, maximum: 16 * 1024 * 1024 * 1024, description: 'Most memory that kept answers take. An answer of more than 1 MB is not kept. Bytes.' }),
  cacheEntries: count(5000, 1_000_000, 'Most answers that are kept.'),
  redisUrl: Type.String({ default: '', pattern: '^(rediss?://[^\\s/?#]{1,400}(/[0-9]{0,3})?(\\?\\S{0,100})?)?$', 'x-allowed': 'an address such as redis://:password@host:6379/0', description: 'Valkey or Redis that several instances share their kept answers and their counts of clients in; needs the package iovalkey. The same text for all instances. Empty: none.' }),
  redisTimeoutMs: milliseconds(100, 'Longest wait for one word of it; after three waits in vain it is left alone for two seconds.'),
  softDeadlineMs: milliseconds(3000, 'When the upstream takes longer, and an old answer is kept that may still be used, that is sent.'),
  upstreamConnections: count(64, 1024, 'Most connections to one upstream host.')
}, { additionalProperties: false })

export type ServiceConfig = Static<typeof ServiceConfig>

export const UserInfo = Type.Object({
  loginUin: Type.Optional(Type.String({ pattern: '^([oO]?[0-9]{1,21})?$', 'x-allowed': 'an account number, with or without a leading o', description: 'Account number; it is used where the cookie names none.' })),
  cookie: Type.Optional(Type.String({ maxLength: 8192, pattern: '^[\\x20-\\x7e]*$', 'x-allowed': 'a text of at most 8192 printable ASCII characters, without line breaks', description: 'Cookie text: name=value pairs separated by "; ".' }))
}, { additionalProperties: false })

export type UserInfo = Static<typeof UserInfo>
