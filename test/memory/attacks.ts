/** Attacks on the relay's memory: how they are chosen, changed and carried out. */
import { connect, type Socket } from 'node:net'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { registry } from '../../src/endpoints/index.ts'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import type { Blow } from './upstream.ts'

/** Every part of an attack is chosen on its own, so that two of them can be crossed. */
export interface Attack {
  readonly endpoint: string
  /** Number of source addresses (other ones in each attack), and of connections of each. */
  readonly clients: number
  readonly connections: number
  readonly pipelined: number
  readonly reads: 'all' | 'nothing' | 'slowly'
  readonly sends: 'requests' | 'heads without an end' | 'bodies without an end' | 'a large body'
  /** Elements of a batch, and whether each request asks for something of its own. */
  readonly elements: number
  readonly different: boolean
  /** Whether the requests bring a login, so that nothing is cached. */
  readonly login: boolean
  readonly how: Blow['how']
  readonly bytes: number
  readonly packed: boolean
  readonly pieces: number
}

const endpoints: Readonly<Record<string, AnyEndpoint>> = registry
const large = ['/docs/static/swagger-ui-bundle.js', '/docs/json', '/']
const batches = Object.keys(endpoints)
  .filter((name) => endpoints[name]?.method === 'POST' && endpoints[name].tag !== 'login')
const names = [...Object.keys(endpoints), ...large, ...large, ...batches, ...batches, ...batches]

const choices: { readonly [Part in keyof Attack]: readonly Attack[Part][] } = {
  endpoint: names,
  clients: [1, 4, 16, 60],
  connections: [1, 4, 16, 64],
  pipelined: [1, 1, 4, 12],
  reads: ['all', 'nothing', 'nothing', 'slowly'],
  sends: ['requests', 'requests', 'requests', 'requests', 'heads without an end', 'bodies without an end', 'a large body'],
  elements: [1, 20, 100],
  different: [true, true, false],
  login: [true, false],
  how: ['not', 'rows', 'texts', 'rows and texts', 'unknown rows', 'wrong rows', 'brackets'],
  bytes: [20_000, 300_000, 1_000_000, 3_900_000],
  packed: [true, false],
  pieces: [1, 1, 10, 100]
}
const parts = Object.keys(choices) as (keyof Attack)[]
const one = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T

export const anyAttack = (random: () => number): Attack =>
  Object.fromEntries(parts.map((part) => [part, one<unknown>(choices[part], random)])) as unknown as Attack

/** Returns a child of two attacks, with up to three parts chosen anew. */
export function crossed (a: Attack, b: Attack, random: () => number): Attack {
  const child = Object.fromEntries(parts.map((part) => [part, random() < 0.5 ? a[part] : b[part]]))
  for (let times = Math.floor(random() * 4); times > 0; times--) {
    const part = one(parts, random)
    child[part] = one<unknown>(choices[part], random) as never
  }
  return child as unknown as Attack
}

const withBody = (path: string, more: string, body: string, length = Buffer.byteLength(body)): string =>
  `POST ${path} HTTP/1.1\r\n${more}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`

/** Returns the bytes of one request. `number` makes it different from the others. */
function requestOf ({ endpoint: name, elements, different, login, sends }: Attack, number: number): string {
  const host = `Host: relay.test\r\n${login ? `X-Custom-Cookie: ${demoAccounts()[0]?.cookie}\r\n` : ''}`
  const endpoint = endpoints[name]
  if (sends === 'heads without an end') return `GET / HTTP/1.1\r\n${host}X-Filler: ${'x'.repeat(14_000)}`
  if (sends === 'bodies without an end') return withBody('/batchGetSongInfo', host, `{"songs":[${'['.repeat(250_000)}`, 262_000)
  if (sends === 'a large body') return withBody('/batchGetSongInfo', host, `{"songs":[${'[],'.repeat(80_000)}[]]}`)
  if (endpoint === undefined) return `GET ${name} HTTP/1.1\r\n${host}\r\n`
  const input: Record<string, unknown> = { ...endpoint.example as object }
  for (const [key, value] of Object.entries(input)) {
    if (Array.isArray(value)) input[key] = Array.from({ length: elements }, (_, at) => Array.isArray(value[0]) ? [
      `00DemoSong${String((number * (different ? 100 : 0) + at) % 9000 + 1).padStart(4, '0')}`
    ] : value[at % value.length])
  }
  if (endpoint.method !== 'GET') return withBody(endpoint.path, host, JSON.stringify(input))
  const { limit, resolveMid } = endpoint.input.properties
  const query = new URLSearchParams(Object.entries({
    ...input, ...limit === undefined ? {} : { limit: different ? 10 + number % 90 : 100 },
    ...resolveMid === undefined ? {} : { resolveMid: 1 }
  }).map(([key, value]): [string, string] => [key, String(value)]))
  return `GET ${endpoint.path}?${query.toString()} HTTP/1.1\r\n${host}\r\n`
}

/** Carries an attack out for a time, in milliseconds. Returns the bytes that the clients sent. */
export async function carryOut (attack: Attack, port: number, ms: number, random: () => number): Promise<number> {
  const sockets = new Set<Socket>()
  let sent = 0
  let number = Math.floor(random() * 9000)
  // A network of its own for each address, so that earlier attacks do not count.
  const addresses = Array.from({ length: attack.clients }, () => `127.${1 + Math.floor(random() * 254)}.${Math.floor(random() * 255)}.1`)
  let over = false
  const open = (address: string): void => {
    if (over) return
    const socket = connect({ port, host: '127.0.0.1', localAddress: address })
    sockets.add(socket)
    const send = (): void => {
      for (let times = 0; times < attack.pipelined && !socket.destroyed; times++) {
        const bytes = requestOf(attack, number++)
        sent += bytes.length
        socket.write(bytes)
      }
    }
    socket.on('error', () => {})
    socket.once('connect', send)
    if (attack.reads === 'nothing') socket.pause()
    else socket.on('data', () => {
      if (attack.reads === 'slowly') {
        socket.pause()
        setTimeout(() => { socket.resume() }, 100)
      } else if (attack.sends === 'requests' && socket.writableLength === 0) send()
    })
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(() => { open(address) }, 100)
    })
  }
  for (const address of addresses) for (let times = 0; times < attack.connections; times++) open(address)
  await new Promise((resolve) => { setTimeout(resolve, ms) })
  over = true
  for (const socket of sockets) socket.destroy()
  return sent
}
