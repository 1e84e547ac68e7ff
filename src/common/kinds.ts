/**
 * The kinds of failure of an upstream call: one row for each says everything that somebody has to know who acts on it.
 * A new kind is a row here, with its sentence, and its Chinese meaning in build/docs/zh.ts.
 */
import type { ErrorCode } from './schemaTypes.ts'
import { RelayError, UpstreamError, type UpstreamFacts } from './errors.ts'

/**
 * Cause of an upstream failure. It decides whether a fallback is tried (docs/decisions.md#0002).
 * - `call`: this call is retired, refused for platform reasons, failing (5xx), unreadable or blocked. Another call may
 *   work.
 * - `host`: the host refused or reset the connection, or several of its calls, or all that were tried, answered 5xx.
 *   One more attempt is allowed: a fallback or a retry.
 * - `time`: too slow. Another request would make it worse.
 * - `caller`: the requested item does not exist, or the cookie is no longer valid. No other call will help.
 */
export type Fault = 'call' | 'host' | 'time' | 'caller'

/**
 * How a call ended.
 * - `ok` answered; "not found" is an answer too
 * - `drift` answered in an unknown shape
 * - `retired` no longer served by the upstream
 * - `risk-controlled` refused to this address or at this rate
 * - `login needed` requires a cookie, or another one
 * - `refused` for another reason
 * - `empty` success without the data, which can also be a hidden refusal
 * - `unreachable` no answer, or not in time
 */
export type Verdict = 'ok' | 'drift' | 'retired' | 'risk-controlled' | 'login needed' | 'refused' | 'empty' | 'unreachable'

/** What a kind of failure means. */
export interface KindFacts {
  /** Public code. Its HTTP status is that of the answer. */
  readonly code: ErrorCode
  /** Word for logs, counters and reports. Absent: `biz_` and the upstream's code, or a word that the failure brings. */
  readonly outcome?: string
  /** Cause of the failure. */
  readonly fault: Fault
  /** The sentence for people. `{word}` is the detail of the failure, `{wait}` the seconds until a retry. */
  readonly says: string
  /** How the call ended, for monitoring and the doctor. */
  readonly verdict: Verdict
  /** The doctor's next step, if it is not that of the verdict. */
  readonly advice?: string
  /**
   * What may be asked again within the retry budget: `any`, the same request and each alternative; `once`, the same
   * request or one alternative, because the connection broke; `elsewhere`, one alternative, because no connection was
   * opened.
   */
  readonly again?: 'any' | 'once' | 'elsewhere'
  /** It hits every call in the same way: those of a shared POST are not asked one by one. */
  readonly everyone?: true
  /** A stale answer may stand in. `outage`: it says nothing about the item, so a batch of such failures fails whole. */
  readonly stale?: 'refusal' | 'outage'
  /** A decision of the upstream, which a repeat soon after would not change: it is remembered for a moment. */
  readonly remembered?: true
  /** Whose health it counts against: the call is disabled after several, the host's circuit breaker opens. */
  readonly counts?: 'call' | 'host'
  /** The relay itself ended it, during a pause or at one of its limits; the latter says nothing of the call. */
  readonly own?: 'pause' | 'limit'
  /** A refused search: nobody knows what it would find. `tooFast`: later searches wait longer. */
  readonly search?: 'refused' | 'tooFast'
  /** The kind that it becomes while its whole host fails. */
  readonly ofHost?: 'down' | 'down.late'
}

const unreachable = {
  code: 'UPSTREAM_UNREACHABLE', fault: 'host', verdict: 'unreachable', stale: 'outage', counts: 'host'
} as const
/** No connection was opened. `why` is the rest of the sentence. */
const unconnected = (outcome: string, why: string, advice?: string) => ({
  ...unreachable,
  outcome,
  again: 'elsewhere',
  everyone: true,
  says: `The upstream cannot be reached${why}.`,
  ...advice === undefined ? {} : { advice }
} as const)
const between = 'something stands between this machine and the upstream, or UPSTREAM_ORIGIN is wrong'
const clock = 'check the clock of this machine'
/** The operator's proxy failed. Sentences never contain its address; `{word}` is its answer, if it sent one. */
const proxy = (outcome: string, what: string) => ({
  ...unconnected(outcome, '', 'the proxy fails: the lines of the hosts say how; correct UPSTREAM_PROXY'),
  says: `The relay's proxy ${what}{word}. Its operator can check UPSTREAM_PROXY.`
} as const)
const late = {
  code: 'UPSTREAM_TIMEOUT', fault: 'time', verdict: 'unreachable', stale: 'outage', counts: 'host',
  says: 'The upstream did not answer in time.'
} as const
const failing = {
  outcome: 'http_5xx', verdict: 'unreachable', stale: 'outage', again: 'any',
  advice: 'the upstream fails at it, not the network: ask again later; other calls stand in where there are any'
} as const
const failed = {
  ...failing, code: 'UPSTREAM_UNREACHABLE', says: 'The upstream failed (HTTP {word}); try again later.'
} as const
const tooLate = {
  ...failing, code: 'UPSTREAM_TIMEOUT', says: 'The upstream was too slow (HTTP {word}); try again later.'
} as const
const paused = { code: 'UPSTREAM_PAUSED', verdict: 'risk-controlled', stale: 'outage', everyone: true } as const
const resting = { ...paused, outcome: 'paused', own: 'pause' } as const
const full = {
  code: 'OVERLOADED', fault: 'time', verdict: 'unreachable', stale: 'outage', everyone: true, outcome: 'rejected',
  own: 'limit'
} as const
const unreadable = {
  code: 'UPSTREAM_UNREADABLE', fault: 'call', verdict: 'drift', stale: 'outage', counts: 'call',
  says: 'The upstream answer cannot be read: {word}.'
} as const
const ofGateway = { code: 'UPSTREAM_REFUSED', fault: 'call', verdict: 'refused', stale: 'refusal', counts: 'call' } as const
const search = {
  ...ofGateway, search: 'refused',
  says: 'The upstream refuses this search ({word}), so nobody knows what it would find: try again in a minute, with a login, or from another address.'
} as const
/** Refusals with a code of the upstream, which is a fact of the failure beside its kind. */
const said = { code: 'UPSTREAM_REFUSED', fault: 'call', verdict: 'refused', says: 'The upstream refused ({word}).' } as const
const refused = { ...said, remembered: true } as const
const loginEnded = { code: 'COOKIE_REJECTED', fault: 'caller', verdict: 'login needed' } as const
const missing = { code: 'NOT_FOUND', fault: 'caller', verdict: 'ok', remembered: true } as const
const loginStep = { code: 'LOGIN_REFUSED', fault: 'caller', verdict: 'unreachable' } as const

/** The rows under the names of their kinds; a type of all their values would be long. */
const named = <K extends string>(rows: Readonly<Record<K, KindFacts>>): Readonly<Record<K, KindFacts>> => rows

export const kinds = named({
  'connect': unconnected('connect', ''),
  'connect.refused': unconnected('connect_refused', ': the connection is refused'),
  'connect.late': unconnected('connect_timeout', ': the connection is not answered. A firewall may drop it'),
  'dns': unconnected('dns', ': its name is not found. The operator can check the network and its DNS', 'check the network and its DNS'),
  'network': unconnected('network', ': there is no network that leads to it'),
  'certificate.name': unconnected('certificate_name', ': its certificate is for another name. Something may stand in between', between),
  'certificate.early': unconnected('certificate_early', ': its certificate is not yet valid. The operator can check the clock of this machine', clock),
  'certificate.expired': unconnected('certificate_expired', ': its certificate has expired, or the clock of this machine is ahead', clock),
  'certificate.untrusted': unconnected('certificate_untrusted', ': its certificate is not trusted. Something may stand in between', between),
  'tls': unconnected('tls', ': it does not speak TLS as it should', between),
  'proxy.connect': proxy('proxy_connect', 'cannot be reached'),
  'proxy.timeout': proxy('proxy_timeout', 'did not connect to the upstream in time'),
  'proxy.login': proxy('proxy_login', 'refuses its user or password'),
  'proxy.refused': proxy('proxy_refused', 'refuses to connect to the upstream'),
  'proxy.protocol': proxy('proxy_protocol', 'does not answer like a proxy of its kind'),
  'proxy.closed': proxy('proxy_closed', 'closed the connection to the upstream'),
  'proxy.certificate': proxy('proxy_certificate', 'has no valid certificate'),
  'proxy.tls': proxy('proxy_tls', 'leads to a server without a valid certificate of the upstream'),

  // The connection broke, or the answer was late.
  'reset': { ...unreachable, again: 'once', outcome: 'reset', says: 'The upstream closed the connection.' },
  'truncated': { ...unreachable, again: 'once', outcome: 'truncated', says: 'The upstream broke off in the middle of its answer.' },
  'late': { ...late, outcome: 'deadline' },
  'late.headers': { ...late, outcome: 'headers_timeout' },
  'late.body': { ...late, outcome: 'body_timeout' },

  // HTTP statuses. The upstream answers 200 even for its own errors, so they come from its gateway or another server.
  'failing': { ...failed, fault: 'call', counts: 'call', ofHost: 'down' },
  'failing.late': { ...tooLate, fault: 'call', counts: 'call', ofHost: 'down.late' },
  'down': { ...failed, fault: 'host', counts: 'host' },
  'down.late': { ...tooLate, fault: 'host', counts: 'host' },
  'refused.http': { ...ofGateway, outcome: 'http_4xx', says: 'The upstream refused (HTTP {word}).' },
  'retired.http': { ...ofGateway, outcome: 'http_404', verdict: 'retired', says: 'The upstream no longer serves this call (HTTP {word}).' },
  'redirect': { ...ofGateway, outcome: 'redirect', says: 'The upstream redirects, which is not followed (HTTP {word}).' },
  'refused.login.http': { code: 'UPSTREAM_REFUSED', fault: 'call', verdict: 'login needed', outcome: 'auth', says: 'The upstream refused (HTTP {word}).' },
  'refused.cookie.http': { ...loginEnded, outcome: 'auth', says: 'The upstream rejects the cookie (HTTP {word}).' },
  'throttled': { ...paused, fault: 'time', outcome: 'throttled', says: 'The upstream asked the relay to wait (HTTP {word}); try again in {wait} s.' },

  // The relay itself does not send, or takes no more.
  'pause': { ...resting, fault: 'time', says: 'The upstream asked the relay to wait; try again in {wait} s.' },
  'pause.circuit': { ...resting, fault: 'host', verdict: 'unreachable', says: 'The upstream fails too often; try again in {wait} s.' },
  'pause.search': { ...resting, fault: 'call', search: 'refused', says: 'The upstream\'s search asked to wait; try again in {wait} s.' },
  'full': { ...full, says: 'The relay has too many requests to the upstream; try again in {wait} s.' },
  'full.bytes': { ...full, says: 'The relay has too many bytes of upstream answers in memory; try again in {wait} s, or request fewer items at once.' },
  'full.search': { ...paused, fault: 'call', outcome: 'rejected', own: 'limit', search: 'refused', says: 'The upstream\'s search takes one request at a time; try again in {wait} s.' },
  'left': {
    code: 'UPSTREAM_TIMEOUT', fault: 'time', verdict: 'unreachable', stale: 'outage', outcome: 'client_gone', everyone: true,
    says: 'The caller left before the answer.'
  },
  'stopping': { code: 'STOPPING', fault: 'time', verdict: 'unreachable', outcome: 'stopping', everyone: true, says: 'The relay is stopping; try again in a moment.' },

  // Answers that cannot be read, and such without the data.
  'unreadable': { ...unreadable, outcome: 'bad_payload' },
  'unreadable.none': { ...unreadable, outcome: 'bad_payload', says: 'The upstream answered without a body (HTTP {word}).' },
  'unreadable.shape': { ...unreadable, outcome: 'bad_shape' },
  'unreadable.text': { ...unreadable, outcome: 'bad_encoding', says: 'The upstream answer cannot be read: its text is in no charset that fits.' },
  'unreadable.packed': { ...unreadable, outcome: 'bad_encoding', says: 'The upstream answer is compressed in a way that cannot be read.' },
  'unreadable.large': { ...unreadable, outcome: 'too_large', says: 'The upstream answer is larger than the relay takes.' },
  'unreadable.http': { ...unreadable, outcome: 'protocol', says: 'The upstream answer is not valid HTTP.' },
  'empty': { code: 'UPSTREAM_EMPTY', fault: 'call', verdict: 'empty', outcome: 'empty', says: 'The upstream answered without {word}.' },
  'missing': { ...missing, outcome: 'not_found', says: '{word} does not exist, or is not public.', advice: 'it does not know what another call has just named: record it and look' },
  'bug': { code: 'INTERNAL', fault: 'call', verdict: 'drift', outcome: 'bug', says: 'A reader of the relay failed.' },

  // What the upstream says with a code of its own. `{word}` is the code, and its text.
  'missing.code': { ...missing, says: 'The upstream does not know this item ({word}): check ids and numbers.' },
  'refused.cookie': { ...loginEnded, says: 'The upstream rejects the cookie ({word}): it is expired or invalid; log in again.' },
  'refused.login': { ...said, verdict: 'login needed', says: 'This needs a login: pass a cookie (upstream: {word}).' },
  'refused.public': { ...said, verdict: 'login needed' },
  'refused.item': { ...refused, verdict: 'ok' },
  'refused.rate': { ...refused, verdict: 'risk-controlled', counts: 'call', says: 'Too many requests for the upstream: send fewer (upstream: {word}).' },
  'refused.risk': {
    ...refused, verdict: 'risk-controlled', counts: 'call', everyone: true, search: 'tooFast',
    says: 'The upstream\'s risk control refuses this ({word}); a login cookie or a later try may help.'
  },
  'refused.platform': { ...refused, counts: 'call', says: 'The upstream does not serve this call to this client platform ({word}).' },
  'retired': { ...refused, verdict: 'retired', counts: 'call', says: 'The upstream no longer serves this call ({word}).' },
  'refused': refused,
  // Searches that a program refuses inside an answer with code 0; `outcome` is `filter_` and what the answer says.
  'search': search,
  'search.safety': { ...search, verdict: 'risk-controlled' },
  'search.fast': { ...search, verdict: 'risk-controlled', search: 'tooFast' },

  // Steps of a login.
  'login.qr': { ...loginStep, code: 'QR_UNAVAILABLE', outcome: 'qr', says: 'The upstream sent no QR code; try again.' },
  'login.mainQr': { ...loginStep, code: 'QR_UNAVAILABLE', outcome: 'mainQr', says: 'The upstream sent no QR code; try again. {word}' },
  'login.sign': { ...loginStep, code: 'LOGIN_SIGN_URL', outcome: 'sign', says: 'Login failed: cannot extract checkSigUrl from the upstream answer; request a new QR code.' },
  'login.p_skey': { ...loginStep, code: 'LOGIN_P_SKEY', outcome: 'p_skey', says: 'Login failed: cannot extract p_skey from the upstream answer; request a new QR code.' },
  'login.redirect': { ...loginStep, code: 'LOGIN_NO_REDIRECT', outcome: 'redirect', says: 'Login failed: the authorisation response lacks the redirect address; request a new QR code.' },
  'login.code': { ...loginStep, code: 'LOGIN_NO_CODE', outcome: 'code', says: 'Login failed: the authorisation redirect lacks the code; request a new QR code.' },
  'login.exchange': { ...loginStep, outcome: 'exchange', says: 'Login failed: the upstream did not answer the exchange; request a new QR code.' },
  'login.refused': { ...loginStep, outcome: 'exchange', says: 'Login failed: the upstream refused the exchange ({word}); request a new QR code.' },
  'login.poll': { ...loginStep, outcome: 'poll', says: 'The upstream refuses this QR code (code {word}); request a new one.' },
  'login.failing': { ...loginStep, code: 'UPSTREAM_UNREACHABLE', fault: 'call', says: 'The upstream failed (HTTP {word}); ask again.' },
  'login.poll.refused': { ...loginStep, fault: 'call', says: 'The upstream refuses to tell the state of this QR code (HTTP {word}); request a new one.' },
  'login.late': { ...loginStep, code: 'LOGIN_TIMEOUT', fault: 'time', outcome: 'deadline', says: 'The upstream did not answer the login in time; try again, with a new QR code when it was already confirmed.' },

  // Failures of calls that were not sent: the doctor wants another one, or another relay was asked and says the code.
  'denied': { ...said, outcome: 'denied', says: '{word}' },
  'remote': { ...said, outcome: 'remote', says: '{word}' }
})

/** Kind of a failure, from a closed list. */
export type Kind = keyof typeof kinds

export const failure = (kind: Kind, facts: UpstreamFacts): UpstreamError => new UpstreamError(kind, kinds[kind], facts)

/** Returns the error for an item that does not exist upstream. `what` is the subject of the message. */
export const notFound = (call: string, what: string): UpstreamError => failure('missing', { call, word: what })

/** Returns the error for a successful answer without its data. Another call may have the data. `what` names it. */
export const upstreamEmpty = (call: string, what: string): UpstreamError => failure('empty', { call, word: what })

/** The error for requests that arrive or wait while the relay stops. */
export const relayStopping = (): RelayError => new RelayError('STOPPING', kinds.stopping.says, { retryAfter: 5 })

// @mutate failures: cache-rules batching kinds cache-stale failures proxy fallback doctor login-both
