/** All failures of an upstream, and what a client of the relay sees. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { ErrorCode } from '../../schemas/errors.ts'
import { gbkEncoder } from '../../src/demo/gbk.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import { well, type Exchange, type Fault } from './server.ts'

export interface Row {
  readonly name: string
  readonly fault: Fault
  readonly status: 200 | 401 | 404 | 502 | 503 | 504
  /** Error code of the relay. Absent for a success. */
  readonly code?: ErrorCode
  /** Outcome in the log line. */
  readonly outcome: RegExp
  /**
   * The cause, which decides what the relay tries next: the fallback (`call`), the fallback or one more attempt
   * (`failing`), one more attempt (`host`), or nothing (`time`). `none`: the answer is good.
   */
  readonly blame: 'none' | 'call' | 'failing' | 'host' | 'time'
  /** After two such refusals, the gateway's search module is not asked any more. */
  readonly rests?: true
  /** Says that the login of the request is not accepted, if it has one. */
  readonly refusesLogin?: true
  /** Number of requests with the fault. Absent: all. */
  readonly times?: number
  readonly settings?: RelayOptions
  readonly retryAfter?: string
  /** Most bytes that the upstream can send. */
  readonly mostSent?: number
  /** Text that the error must also contain, such as the upstream's code. */
  readonly says?: RegExp
}

const gbkBytes = gbkEncoder()

type Answered = readonly [name: string, fault: Fault]

/** Only the timeout that is the subject is short, so that a busy machine meets no other one. */
const [far, short] = [60_000, 150]
const quickHead = { deadlineMs: far, tuning: { headersTimeoutMs: short, bodyTimeoutMs: far } } as const
const quickBody = { deadlineMs: far, tuning: { headersTimeoutMs: far, bodyTimeoutMs: short } } as const
const quickDeadline = { deadlineMs: 2 * short, tuning: { headersTimeoutMs: far, bodyTimeoutMs: far } } as const

const megabyte = 1024 * 1024

/** The JSON object of a healthy answer, with any JSONP wrapper removed. */
const objectOf = (body: string): string => body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)

/** Sends the healthy answer with a change. */
const changed = (change: (exchange: Exchange, json: string) => void | Promise<void>): Fault => async (exchange) => {
  await change(exchange, objectOf((await exchange.healthy()).body))
}

const json = (body: string): Fault => ({ answer }) => { answer(body) }
const status = (code: number, headers: readonly string[] = []): Fault => ({ answer }) => { answer(
  code === 204 || code === 304 ? '' : '<html>no</html>',
  { status: code, headers, type: 'text/html', length: code !== 204 }
) }

/** Sends raw bytes and closes the connection. */
const bytes = (text: string | Uint8Array): Fault => ({ socket }) => { socket.end(text) }
const head = (...lines: readonly string[]): string => `${['HTTP/1.1 200 OK', 'content-type: application/json', ...lines].join('\r\n')}\r\n\r\n`

/** Writes until the reader leaves. */
async function pour (socket: Socket, piece: string | Uint8Array, times: number): Promise<void> {
  for (let left = times; left > 0 && socket.writable; left--) {
    if (!socket.write(piece)) {
      await new Promise<void>((resolve) => { socket.once('drain', resolve).once('close', resolve) })
    }
  }
  if (socket.writable) socket.end()
}

function drip (text: string): Fault {
  return ({ socket }) => {
    let at = 0
    const timer = setInterval(() => { if (socket.writable) socket.write(text.charAt(at++ % text.length)) }, 20)
    socket.once('close', () => { clearInterval(timer) })
  }
}

const packedMegabyte = gzipSync(Buffer.alloc(megabyte, 0x20))
/** 256 MB packed in 260 KB. A gzip file may consist of several members. */
const bomb = Buffer.concat(Array.from({ length: 256 }, () => packedMegabyte))

const bombInBomb = gzipSync(bomb)
const fiveMegabytes = gzipSync(`{"code":0}${' '.repeat(5 * megabyte)}`)

const packed = (pack: (bytes: string) => Uint8Array, encoding: string): Fault =>
  changed(({ answer }, text) => { answer(pack(text), { headers: [`content-encoding: ${encoding}`] }) })
const gzipTimes = (times: number, text: string | Uint8Array): Uint8Array =>
  times === 0 ? Buffer.from(text) : gzipTimes(times - 1, gzipSync(text))

/** Answers every call of the request with this business code. */
const code = (number: number): Fault => ({ answer, keys }) => {
  answer(JSON.stringify(keys.length === 0 ? { code: number, subcode: number, message: 'said so' }
    : { code: 0, ...Object.fromEntries(keys.map((key) => [key, { code: number, message: 'said so' }])) }))
}

const deepList = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const deepObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const within = (member: string): Fault => changed(({ answer }, text) => { answer(`{${member},${text.slice(1)}`) })

/** Changes the type of every leaf. Keys and codes stay. */
function retyped (value: unknown, key = ''): unknown {
  if (key.endsWith('code')) return value
  if (Array.isArray(value)) return value.length === 0 ? {} : value.map((item) => retyped(item))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, retyped(inner, name)]))
  }
  return typeof value === 'string' ? { was: 'text' } : ['was', typeof value]
}

export const setCookies: readonly string[] = [
  ...Array.from({ length: 100 }, (_, at) => `set-cookie: flood${at}=${'x'.repeat(60)}; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT`),
  'set-cookie: uin=o10001; Domain=.example', 'set-cookie: uin=', 'set-cookie: uin=0; Max-Age=0', 'set-cookie: __proto__=polluted', 'set-cookie: constructor=polluted; HttpOnly'
]

const rows = (table: readonly Answered[], facts: Omit<Row, 'name' | 'fault'>): Row[] =>
  table.map(([name, fault]) => ({ name, fault, ...facts }))

const good = { status: 200, outcome: /^ok$/, blame: 'none' } as const
const unreadable = { status: 502, code: 'UPSTREAM_UNREADABLE', blame: 'call' } as const
const refused = { status: 502, code: 'UPSTREAM_REFUSED', blame: 'call' } as const
const unreachable = { status: 502, code: 'UPSTREAM_UNREACHABLE', blame: 'host' } as const
const late = { status: 504, code: 'UPSTREAM_TIMEOUT', blame: 'time' } as const

/** Odd answers that the relay accepts. */
export const honest: readonly Row[] = rows([
  ['plain', well],
  ['slow', async (exchange) => {
    await sleep(50)
    await well(exchange)
  }],
  ['keys that pollute', changed(({ answer }, text) => {
    const polluted = text.replaceAll('{', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},').replaceAll(',}', '}')
    answer(polluted)
  })],
  ['in a JSONP wrapper', changed(({ answer }, text) => { answer(`  MusicJsonCallback_1.x(${text}) ;\n`, { type: 'application/x-javascript' }) })],
  ['with a byte order mark', changed(({ answer }, text) => { answer(`\uFEFF${text}`) })],
  ['gzip', packed(gzipSync, 'gzip')],
  ['br', packed(brotliCompressSync, 'br')],
  ['deflate', packed(deflateSync, 'deflate')],
  ['deflate, and much more than its length suggests', packed((text) => deflateSync(`${text}${' '.repeat(megabyte)}`), 'deflate')],
  ['five encodings', packed((text) => gzipTimes(5, text), 'gzip, gzip, gzip, gzip, gzip')],
  ['GBK, declared', changed(({ answer }, text) => { answer(gbkBytes(text), { type: 'application/json; charset=GBK' }) })],
  ['GBK, not declared', changed(({ answer }, text) => { answer(gbkBytes(text), { type: 'application/json' }) })],
  ['no content type', changed(({ answer }, text) => { answer(text, { type: '' }) })],
  ['in pieces, byte by byte', changed(async ({ socket, write }, text) => {
    write(head('transfer-encoding: chunked'))
    for (const piece of Buffer.from(text).subarray(0, 40)) {
      write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(piece), Buffer.from('\r\n')]))
    }
    const rest = Buffer.from(text).subarray(40)
    write(Buffer.concat([Buffer.from(`${rest.length.toString(16)};x=y\r\n`), rest, Buffer.from('\r\n0\r\nx-trailer: 1\r\n\r\n')]))
    socket.end()
  })],
  ['up to the end of the connection', changed(({ socket }, text) => { socket.end(`${head()}${text}`) })],
  ['after early hints', changed(({ answer, write }, text) => {
    write('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n')
    answer(text)
  })],
  ['with a flood of cookies', changed(({ answer }, text) => { answer(text, { headers: setCookies }) })]
], good)

/** The first request fails; the next one, or the fallback, succeeds. */
export const passing: readonly Row[] = rows([
  ['first 503, then health', status(503)],
  ['first a reset, then health', ({ socket }) => { socket.resetAndDestroy() }],
  ['first an end, then health', ({ socket }) => { socket.end() }]
], { ...good, outcome: /^(ok|http_5xx|reset|biz_\d+)$/, times: 1 })

export const slow: readonly Row[] = [
  ...rows([['no answer', () => {}]], { ...late, settings: quickHead, outcome: /^headers_timeout$/ }),
  ...rows([
    ['headers, then nothing', ({ write }) => { write(head('content-length: 1000')) }],
    ['half a body, then nothing', changed(({ write }, text) => {
      write(`${head(`content-length: ${Buffer.byteLength(text) + 1000}`)}${text}`)
    })],
    ['a chunk, then nothing', ({ write }) => { write(`${head('transfer-encoding: chunked')}1\r\n{\r\n`) }]
  ], { ...late, settings: quickBody, outcome: /^body_timeout$/ }),
  ...rows([['a body in drips', (exchange) => {
    exchange.write(head('content-length: 100000'))
    return drip(' ')(exchange)
  }]], { ...late, settings: quickDeadline, outcome: /^deadline$/ }),
  ...rows([['headers in drips', (exchange) => {
    exchange.write('HTTP/1.1 200 OK\r\n')
    return drip('x-drip: 1\r\n')(exchange)
  }]], { ...late, settings: quickHead, outcome: /^headers_timeout$/ })
]

export const broken: readonly Row[] = [
  ...rows([
    ['a reset before the answer', ({ socket }) => { socket.resetAndDestroy() }],
    ['an end before the answer', ({ socket }) => { socket.end() }],
    ['half a status line, then a reset', ({ socket, write }) => {
      write('HTTP/1.1 20')
      setImmediate(() => { socket.resetAndDestroy() })
    }]
  ], { ...unreachable, outcome: /^reset$/ }),
  ...rows([
    ['a reset in the body', changed(({ socket }, text) => {
      socket.write(`${head(`content-length: ${Buffer.byteLength(text) + 10}`)}${text.slice(0, 40)}`)
      setTimeout(() => { socket.resetAndDestroy() }, 20)
    })],
    ['an end in the body', changed(({ socket }, text) => {
      socket.end(`${head(`content-length: ${Buffer.byteLength(text) + 10}`)}${text}`)
    })],
    ['an end between chunks', changed(({ socket }, text) => { socket.end(`${head('transfer-encoding: chunked')}5\r\n${text.slice(0, 5)}\r\n`) })],
    ['an end within a chunk', changed(({ socket }, text) => { socket.end(`${head('transfer-encoding: chunked')}fff\r\n${text.slice(0, 5)}`) })]
  ], { ...unreachable, outcome: /^truncated$/ })
]

export const noHttp: readonly Row[] = rows([
  ['garbage', bytes('garbage\r\n\r\n')],
  ['another protocol', bytes('SSH-2.0-OpenSSH_9.6\r\n')],
  ['zero bytes', bytes(Buffer.alloc(1000))],
  ['two lengths', bytes(`${head('content-length: 2', 'content-length: 3')}{}`)],
  ['a length and chunks', bytes(`${head('content-length: 2', 'transfer-encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`)],
  ['bare line feeds', bytes('HTTP/1.1 200 OK\ncontent-length: 2\n\n{}')],
  ['180 KB of headers', bytes(head(...Array.from({ length: 180 }, (_, at) => `x-${at}: ${'h'.repeat(1015)}`), 'content-length: 2') + '{}')],
  ['one header of 180 KB', bytes(`${head(`x-long: ${'h'.repeat(180 * 1024)}`, 'content-length: 2')}{}`)],
  ['a header without a colon', bytes(`${head('no colon here', 'content-length: 2')}{}`)],
  ['a negative length', bytes(`${head('content-length: -2')}{}`)],
  ['a length beyond all numbers', bytes(`${head(`content-length: ${'9'.repeat(30)}`)}{}`)],
  ['a zero byte in a header', bytes(`${head('x-zero: a\0b', 'content-length: 2')}{}`)],
  ['a chunk size that is none', bytes(`${head('transfer-encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`)]
], { ...unreadable, outcome: /^protocol$/ })

export const badPayload: readonly Row[] = [
  ...rows([
    ['cut JSON', changed(({ answer }, text) => { answer(text.slice(0, text.length >> 1)) })],
    ['a length shorter than the JSON', changed(({ socket }, text) => { socket.end(`${head('content-length: 20')}${text.slice(0, 20)}`) })],
    ['HTML', ({ answer }) => { answer('<html><body>504 Gateway Time-out</body></html>', { type: 'text/html' }) }],
    ['an open JSONP wrapper', changed(({ answer }, text) => { answer(`callback(${text}`) })],
    ['nothing', json('')],
    ['blanks', json(' \r\n\t ')],
    ['null', json('null')],
    ['a number', json('5')],
    ['a text', json('"no"')],
    ['true', json('true')],
    ['a list', json('[]')],
    ['a list with an object', json('[{"code":0}]')],
    ['a deep list', json(deepList(200_000))],
    ['a deep list in a good answer', within(`"deep":${deepList(200_000)}`)],
    ['a deep object in a good answer', within(`"deep":${deepObject(200_000)}`)],
    ['204', status(204)],
    ['206', changed(({ answer }, text) => { answer(text, { status: 206 }) })]
  ], { ...unreadable, outcome: /^bad_payload$/ }),
  ...rows([
    ['invalid UTF-8, declared', changed(({ answer }, text) => {
      answer(Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff, 0xc3, 0x28), Buffer.from(`",${text.slice(1)}`)]))
    })],
    ['bytes of no charset', changed(({ answer }, text) => { answer(
      Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff, 0xff), Buffer.from(`",${text.slice(1)}`)]),
      { type: 'application/json' }
    ) })],
    ['GBK, declared as UTF-8', ({ answer }) => {
      answer(Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xc4, 0xe3, 0xba, 0xc3), Buffer.from('"}')]))
    }],
    ['six encodings', packed((text) => gzipTimes(6, text), 'gzip, gzip, gzip, gzip, gzip, gzip')],
    ['an unknown encoding', packed((text) => Buffer.from(text), 'zzz')],
    ['an encoding named like a method', packed((text) => Buffer.from(text), 'constructor')],
    ['gzip that is none', packed((text) => Buffer.from(text), 'gzip')],
    ['cut gzip', packed((text) => gzipSync(text).subarray(0, 60), 'gzip')],
    ['br that is none', packed((text) => Buffer.from(text), 'br')]
  ], { ...unreadable, outcome: /^bad_encoding$/ })
]

export const large: readonly Row[] = rows([
  ['100 MB, declared', async ({ socket }) => {
    socket.write(head(`content-length: ${100 * megabyte}`))
    await pour(socket, Buffer.alloc(65_536, 0x20), 1600)
  }],
  ['100 MB in chunks', async ({ socket }) => {
    socket.write(head('transfer-encoding: chunked'))
    await pour(socket, `10000\r\n${' '.repeat(65_536)}\r\n`, 1600)
  }],
  ['100 MB up to the end', async ({ socket }) => {
    socket.write(head())
    await pour(socket, Buffer.alloc(65_536, 0x20), 1600)
  }],
  ['5 MB unpacked', ({ answer }) => { answer(fiveMegabytes, { headers: ['content-encoding: gzip'] }) }],
  ['256 MB unpacked', ({ answer }) => { answer(bomb, { headers: ['content-encoding: gzip'] }) }],
  ['256 MB unpacked twice', ({ answer }) => { answer(bombInBomb, { headers: ['content-encoding: gzip, gzip'] }) }]
], { ...unreadable, outcome: /^too_large$/, mostSent: 24 * megabyte })

export const statuses: readonly Row[] = [
  ...rows([400, 402, 403, 405, 406, 408, 410, 418, 451, 499, 501].map(
    (number) => [`HTTP ${number}`, status(number)] as const
  ), { ...refused, outcome: /^http_4xx$/ }),
  ...rows([['HTTP 401', status(401)]], { ...refused, outcome: /^auth$/, refusesLogin: true }),
  ...rows([['HTTP 404', status(404)]], { ...refused, outcome: /^http_404$/ }),
  ...rows([500, 502, 503, 505, 520, 599].map((number) => [`HTTP ${number}`, status(number)] as const), {
    ...unreachable, blame: 'failing', outcome: /^http_5xx$/
  }),
  ...rows([['503 with a wait that is none', status(503, ['retry-after: soon'])]], { ...unreachable, blame: 'failing', outcome: /^http_5xx$/ }),
  { name: 'HTTP 504', fault: status(504), status: 504, code: 'UPSTREAM_TIMEOUT', outcome: /^http_5xx$/, blame: 'failing' },
  ...([['429', '', '10'], ['429', '7', '7'], ['503', '900', '60'], ['503', '1', '1']] as const)
    .map(([number, wait, retryAfter]): Row => ({
      name: `HTTP ${number}, retry after ${wait || 'some time'}`,
      fault: status(Number(number), wait === '' ? [] : [`retry-after: ${wait}`]),
      status: 503, code: 'UPSTREAM_PAUSED', outcome: /^throttled$/, blame: 'time', retryAfter
    }))
]

/** Redirects to `elsewhere`, a server that must not be contacted. */
export const redirects = (elsewhere: string): readonly Row[] => rows([
  ...[301, 302, 303, 307, 308].map((number) => [`HTTP ${number} to another host`, status(number, [`location: ${elsewhere}/taken`])] as const),
  ['a redirect to itself', status(302, ['location: /'])],
  ['a redirect to nowhere', status(302)],
  ['304', status(304)]
], { ...refused, outcome: /^redirect$/ })

export const business: readonly Row[] = [
  ...[10000, 10006, 2000, 104604, 500003, 987654].map((number): Row => ({
    name: `business code ${number}`, fault: code(number), ...refused, outcome: new RegExp(`^biz_${number}$`),
    says: new RegExp(`code ${number}\\b`)
  })),
  { name: 'business code 2001', fault: code(2001), ...refused, outcome: /^(biz_2001|paused)$/, says: /code 2001\b/, rests: true },
  { name: 'a business code for the whole', fault: json('{"code":500001}'), ...refused, outcome: /^biz_500001$/, says: /code 500001\b/ },
  {
    name: 'business code of "not logged in"', fault: code(1000), ...refused, outcome: /^(auth|biz_1000)$/,
    says: /code 1000\b/, refusesLogin: true
  }
]

/** JSON without the data. A missing required field is a 502. If no field is required, the lists are empty. */
export const shapeless: readonly Answered[] = [
  ['an empty object', json('{}')],
  ['only a code', json('{"code":0}')],
  ['only the answer of another call', json('{"code":0,"req_9":{"code":0,"data":{}}}')],
  ['data that is null', ({ answer, keys }) => { answer(
    JSON.stringify({ code: 0, data: null, ...Object.fromEntries(keys.map((key) => [key, { code: 0, data: null }])) })
  ) }],
  ['data that is a list', ({ answer, keys }) => { answer(
    JSON.stringify({ code: 0, data: [], ...Object.fromEntries(keys.map((key) => [key, { code: 0, data: [] }])) })
  ) }],
  ['answers that are texts', ({ answer, keys }) => {
    answer(JSON.stringify({ code: 0, data: 'x', ...Object.fromEntries(keys.map((key) => [key, 'x'])) }))
  }],
  ['wrong types everywhere', changed(({ answer }, text) => { answer(JSON.stringify(retyped(JSON.parse(text)))) })]
]

/** An answer whose play addresses of an MV are present, but empty. */
export const emptyMv: readonly Row[] = rows([
  ['no MV in the answer', ({ answer, keys }) => {
    answer(JSON.stringify({ code: 0, ...Object.fromEntries(keys.map((key) => [key, { code: 0, data: {} }])) }))
  }],
  ['an MV without addresses', ({ answer, keys }) => { answer(
    JSON.stringify({ code: 0, ...Object.fromEntries(keys.map((key) => [key, { code: 0, data: { demoV000004: {} } }])) })
  ) }]
], { status: 502, code: 'UPSTREAM_EMPTY', outcome: /^empty$/, blame: 'call' })
