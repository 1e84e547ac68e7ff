/**
 * Constants that operators do not need to change, each with the reason for its value. Settings are in
 * schemas/config.ts. Names end with their unit. A name without a unit is a count.
 */

/** Limits, timeouts and ratios of a relay. */
export const tuning = Object.freeze({
  /**
   * Timeout of a connection. A TCP and TLS handshake takes well under a second. Two seconds leave room for one lost
   * packet.
   */
  connectTimeoutMs: 2000,
  /**
   * Timeout for the first byte of an upstream response. It leaves three of the eight seconds of `deadlineMs` for a
   * fallback.
   */
  headersTimeoutMs: 5000,
  /** Longest pause within an upstream response. A connection that is silent for longer is dead. */
  bodyTimeoutMs: 5000,

  /**
   * Share of `upstreamLimit` for one host. At half, a slow host never holds all slots. One client gets half of that.
   */
  upstreamHostPercent: 50,
  /** Minimum connection limit for one host. QR logins also use connections, which `upstreamLimit` does not count. */
  upstreamConnections: 64,
  /**
   * Burst after a quiet time, in seconds of `upstreamRatePerHost`. By default 200 requests, which is four pages of a
   * player.
   */
  upstreamBurstSeconds: 4,
  /**
   * Maximum number of requests that wait for their turn and a slot. With more than two per slot, the rest would only
   * time out (`upstreamQueueMs`).
   */
  upstreamQueue: 128,
  /**
   * Maximum wait in this queue. After a second, a quick 503 helps the caller more than an answer that may come too
   * late.
   */
  upstreamQueueMs: 1000,
  /**
   * Concurrent detail requests of `resolveMid` for the whole relay. Each is for one song: a response for several may
   * lack songs that are found alone.
   */
  detailSlots: 5,

  /** Calls from several requests in one POST to the batch gateway, which accepts 30. */
  batchMost: 20,
  /**
   * Maximum wait for further calls before a POST to the batch gateway, while another one is in flight. It is at most a
   * tenth of a round trip, so that callers do not notice.
   */
  batchWaitMs: 3,
  /**
   * Size of a shared answer. A text of more than 65,536 characters lies in memory pages of its own, which the system
   * maps anew for each text: on some machines that costs more than reading it. An answer has at most as many characters
   * as bytes.
   */
  batchBytes: 60 * 1024,
  /** How long calls of a module are sent alone after a shared POST failed: as long as a refusal usually lasts. */
  batchPauseMs: 60_000,

  /**
   * Rows of upstream lists that the relay remembers by position, because a later page continues after one of them.
   * 20,000 take about 4 MB. A list changes while it is read, so they are stored for ten minutes.
   */
  listMarks: 20_000,
  listMarksMs: 600_000,
  /**
   * Names of songs whose facts are cached (a number and a MID each), for as long as the answers of `/getSongInfo`.
   * 20,000 take about 10 MB.
   */
  songNames: 20_000,

  /**
   * Consecutive failures that open the circuit breaker of a host. As many 5xx answers in a row within
   * `circuitWindowMs`, even from a few parts, count as failures of the host. A healthy host does not fail ten times in
   * a row by chance.
   */
  circuitFailures: 10,
  /** Failure rate that also opens it. A host that fails every second request does more harm than good. */
  circuitPercent: 50,
  /** Minimum number of requests for a failure rate. With fewer than twenty, half may fail by chance. */
  circuitSamples: 20,
  /**
   * Number of parts of a host (paths, or modules of the gateway) that must answer 5xx before the host counts as
   * failing. One or two were observed to fail for days while the others answered.
   */
  hostFailingParts: 3,
  /** Window of the failure rate: long enough for twenty requests, short enough to forget an outage. */
  circuitWindowMs: 10_000,
  /** How long the breaker stays open. One probe in five seconds is no load for a host, and detects a recovery soon. */
  circuitPauseMs: 5000,

  /** Shortest wait before a retry. An immediate retry after a reset would be reset again. */
  retryDelayMinMs: 50,
  /** Longest wait before a retry. The range spreads callers that failed together. A caller hardly notices the wait. */
  retryDelayMaxMs: 250,
  /** Retry budget. Retries may add at most a tenth to the load of a failing host. */
  retryPercent: 10,
  /**
   * Retries per second that are always allowed. On a quiet relay, a tenth of the few upstream responses would be none.
   */
  retryFloor: 1,
  /** Maximum size of the retry budget: enough for a network hiccup, too few to prolong an outage. */
  retryBurst: 10,

  /** Consecutive failures that disable a call while a fallback gives the same data. Five are not a coincidence. */
  fallbackFailures: 5,
  /** How long it is disabled. A retired call does not come back within seconds, and each probe delays one caller. */
  fallbackPauseMs: 30_000,

  /**
   * Time between two requests to the gateway's search module, over all callers. At 0.2 s most were refused as too fast,
   * at 2 s none was; public clients wait a second (2026-09).
   */
  searchIntervalMs: 1000,
  /** The same for a while after such a refusal: at 3 s every fourth was refused, at 4 s none of 16 (2026). */
  searchSlowIntervalMs: 4000,
  /** How long a search program is not used after such a refusal. Refusals lasted 60 to 90 s (2026-09). */
  searchPauseMs: 60_000,

  /** Deadline of one step of a QR login. A step takes less than a second. After five, a person would try again. */
  loginStepDeadlineMs: 5000,
  /**
   * Deadline of all steps of a QR login together. Three slow steps fit, and a person does not wait longer than that.
   */
  loginDeadlineMs: 15_000,
  /**
   * Deadline of all polls in one check of a login. The upstream was observed to hold a poll for 15 s, so two or three
   * fit.
   */
  pollDeadlineMs: 35_000,
  /**
   * Maximum number of polls in one check, and the pause between two. Usually two or three fill `pollDeadlineMs`. An
   * upstream that answers each at once gets one per second.
   */
  pollsPerCheck: 35,
  pollPauseMs: 1000,
  /**
   * Share of `maxConnections` for checks of the alternative login that wait for the phone. Each holds a connection. By
   * default 200: more people logging in within the same half minute are an attack.
   */
  pollPercent: 10,
  /** Concurrent login polls of one client. A person has one, and leaves one or two behind by reloading the page. */
  pollLimitPerClient: 3,
  /**
   * Share of the waiting checks that is reserved for clients without a poll. By default 50 people can start a login
   * while others hold the rest.
   */
  pollReservedPercent: 25,

  /**
   * Part of a key's life after which it is renewed. Two thirds of three days leave a day for failures. Public clients
   * usually renew about once a day (2026-11).
   */
  renewPercent: 200 / 3,
  /** Variation of that time, so that accounts created in one evening are not all renewed in the same second. */
  renewJitterPercent: 10,
  /**
   * First pause after a failed renewal. Each further one is twice as long. A shorter pause would not outlast an outage.
   */
  renewRetryMinMs: 60_000,
  /** Longest such pause. It allows at least three attempts in the last third of a key's life. */
  renewRetryMaxMs: 21_600_000,
  /**
   * Minimum time between two renewals of one login. A login whose keys are refused at once is not renewed in a loop.
   */
  renewGapMs: 600_000,
  /** Concurrent renewals. After a long stop, all accounts are due. */
  renewalsAtOnce: 4,
  /** Interval between two checks of the stored accounts. A change must take effect within about a second. */
  accountsLookMs: 1000,
  /** Maximum number of stored accounts. Each check reads the state of every file. */
  accountsMost: 1000,

  /**
   * Number of requests that a batch counts as in the rate limit. A batch causes several upstream requests: five for a
   * hundred songs, more for playlists.
   */
  rateLimitBatchWeight: 10,
  /**
   * Requests of players (OpenSubsonic) that count as one in the rate limit. A player that copies a library requests
   * each album and each cover, nearly all of them from the cache. Upstream calls have a limit of their own.
   */
  playerRequests: 20,
  /** Login checks per start of `rateLimitLoginStarts`. By default 30 a minute: /login sends one every two seconds. */
  loginChecksPerStart: 3,
  /**
   * Upstream calls that a client may cause per request of `rateLimit`. A chart with `resolveMid` causes one for each of
   * its songs, and a listener opens a few of them. A script that opens only those would use the share of all others.
   */
  callsPerRequest: 2,
  /** Share of `maxConnections` for one address. A household has some dozens. */
  connectionSharePercent: 25,
  /**
   * Maximum number of bytes of upstream answers, compressed and not, that requests in progress hold. A usual answer has
   * 5 to 50 KB, so hundreds of requests fit. For a large one, the data made from it is charged after it was read.
   */
  heldAnswerBytes: 48 * 1024 * 1024,
  /** Share of one client, or one answer of the largest size, compressed and not, if that is more. */
  heldAnswerSharePercent: 50,
  /**
   * Maximum number of bytes of request bodies in progress: as many as 64 of the largest. A usual batch has a few KB.
   */
  heldBodyBytes: 16 * 1024 * 1024,
  /** Share of one client. */
  heldBodySharePercent: 25,
  /** Maximum size of an answer. Fifty playlists of a thousand songs, the largest batch, are 12 MB. */
  largestAnswerBytes: 16 * 1024 * 1024,
  /**
   * Maximum size of what is made of upstream answers: `madeBytes`, and so many times what was read. A row of 8 bytes,
   * such as
   * `{"id":1}`, becomes a song of 700.
   */
  madeBytes: 1024 * 1024,
  madeFactor: 100,
  /**
   * Maximum number of bytes of finished answers for slow readers. Beyond it, a connection of the client with the most
   * unread bytes is closed.
   */
  unsentBytes: 32 * 1024 * 1024,
  /**
   * Maximum number of bytes of requests that wait for an earlier one on their connection. A share is enough for a
   * thousand requests.
   */
  waitingBytes: 32 * 1024 * 1024,
  /** Share of one address in both limits. */
  unsentSharePercent: 25,
  /**
   * Maximum number of audio files that are streamed at once. Each costs two connections and some 0.3 MB of buffers.
   * When all are taken, a paused or too slow one is closed.
   */
  streams: 128,
  /** Maximum for one address. A household has several players, and a page opens the next song before this one ends. */
  streamsPerClient: 16,
  /**
   * Maximum time for which a player may pause reading its audio file. A paused player is no failure. If it continues
   * later, it requests the rest itself.
   */
  streamPauseMs: 600_000,
  /**
   * A stream that is read more slowly than this for that long gives way to a new one when all are taken. The floor is a
   * quarter of the lowest bit rate: such a player cannot play. Bytes per second, and milliseconds.
   */
  streamFloorBytes: 4096,
  streamSlowMs: 10_000,
  /**
   * Work on long answers between two turns of the event loop, in bytes that are read or made. It takes less than a
   * millisecond.
   */
  sliceBytes: 32 * 1024,
  /** Work that any request is, in bytes: it takes as long as reading or making so many. */
  requestWork: 8 * 1024,
  /** Maximum number of bytes of finished long answers. Liked songs of an account take about 6 MB in one format. */
  finishedBytes: 32 * 1024 * 1024,
  /** Rate limit counters in memory. The least recently used one is evicted. 5000 take about a megabyte. */
  rateLimitClients: 5000,
  /** Share of the container's memory above which requests are refused. A quarter stays free for requests in flight. */
  shedMemoryPercent: 75,

  /**
   * Maximum number of requests on one connection. It is then closed, so that a load balancer can redistribute clients.
   */
  maxRequestsPerConnection: 1000,
  /**
   * Time for a client to send the headers. It is enough for a bad mobile network, but too short to hold a connection
   * open for free.
   */
  clientHeadersTimeoutMs: 10_000,
  /** Time for a client to send the whole request: five seconds more, for a body of at most 256 KiB. */
  clientRequestTimeoutMs: 15_000,
  /** Interval of the check for slow clients. Two seconds late does no harm, and each check visits all connections. */
  clientCheckMs: 2000,
  /**
   * Maximum time for which a client reads nothing of its answer. A phone that lost its network is back by then, or
   * gone.
   */
  clientSendMs: 30_000,
  /**
   * Keep-alive timeout of a client's connection. It is longer than the usual 60 s of proxies, so that the proxy closes
   * first.
   */
  clientKeepAliveMs: 65_000,

  /**
   * How long a stopping relay still answers on open connections. A busy client sends its next request within some
   * milliseconds.
   */
  drainMs: 500,

  /**
   * Bytes of `cacheBytes` per entry: 5000 entries by default. This bounds the uncounted memory of many small entries.
   */
  cacheEntryBytes: 13_421,
  /** Longest wait for the upstream while a stale entry may still be used. A listener waits three seconds, not eight. */
  softDeadlineMs: 3000,
  /** Timeout of the shared store. A store that needs a tenth of a second is no faster than the upstream. */
  redisTimeoutMs: 100
})

/** Type of `tuning`. Tests use other values, such as short timeouts. */
export type Tuning = { readonly [Name in keyof typeof tuning]: number }
