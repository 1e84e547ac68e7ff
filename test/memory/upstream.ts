/**
 * An upstream that makes its answers as large as an attack says: the demo upstream, whose JSON is blown up on the way.
 * What it sends stays valid JSON with the names that readers look for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { request } from 'undici'
import { startDemoUpstream } from '../../src/demo/upstream.ts'

/** How answers are blown up. `bytes`: to what size. */
export interface Blow {
  readonly how: 'not' | 'rows' | 'texts' | 'rows and texts' | 'unknown rows' | 'wrong rows' | 'brackets'
  readonly bytes: number
  readonly packed: boolean
  /** Pieces that are sent one after the other; 1: all at once. */
  readonly pieces: number
}

interface BlowingUpstream {
  readonly origin: string
  blow: Blow
  /** Bytes sent so far. */
  sent (): number
  close (): Promise<void>
}

/** Starts it. */
export async function startBlowingUpstream (): Promise<BlowingUpstream> {
  const demo = await startDemoUpstream()
  let sent = 0
  /** The demo is asked once for each question, and an answer is blown up once for each attack. */
  const answers = new Map<string, Promise<{ type: string, text: string }>>()
  let blown = new Map<string, Buffer>()
  let blownBy: Blow | undefined

  async function ask (
    { method, url, headers }: IncomingMessage, question: Buffer
  ): Promise<{ type: string, text: string }> {
    const { 'accept-encoding': _accepted, ...rest } = headers
    const told = await request(`${demo.origin}${url}`, {
      method: method as 'GET', headers: rest as Record<string, string>, body: question.length === 0 ? null : question
    })
    return { type: String(told.headers['content-type']), text: await told.body.text() }
  }

  async function serve (asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const question = Buffer.concat(await asked.toArray() as Buffer[])
    const { blow } = self
    if (blow !== blownBy) [blown, blownBy] = [new Map(), blow]
    const name = `${asked.method} ${asked.url} ${question.toString()}`
    if (answers.size > 2000) answers.clear()
    if (!answers.has(name)) answers.set(name, ask(asked, question))
    const { type, text } = await answers.get(name) as { type: string, text: string }
    // Answers of one size and kind look alike: a few are enough, and making them must not take the harness's time.
    const kind = `${asked.url?.split('?')[0]} ${[...question.toString().matchAll(/"method":"(\w+)"/g)].map(([, method]) => method).join()}`
    const plain = blown.has(kind) ? Buffer.alloc(0) : blowUp(text, blow)
    const bytes = blown.get(kind) ?? (blow.packed ? gzipSync(plain, { level: 1 }) : plain)
    blown.set(kind, bytes)
    sent += bytes.length
    answer.writeHead(200, { 'content-type': type, ...blow.packed ? { 'content-encoding': 'gzip' } : {} })
    const piece = Math.ceil(bytes.length / blow.pieces)
    for (let at = 0; at < bytes.length && !answer.destroyed; at += piece) {
      if (at > 0) await sleep(5)
      answer.write(bytes.subarray(at, at + piece))
    }
    answer.end()
  }

  const server = createServer((asked, answer) => { serve(asked, answer).catch(() => { answer.destroy() }) })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const self: BlowingUpstream = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blow: { how: 'not', bytes: 0, packed: false, pieces: 1 },
    sent: () => sent,
    async close () {
      server.closeAllConnections()
      await new Promise((resolve) => { server.close(resolve) })
      await demo.close()
    }
  }
  return self
}

/** Returns the JSON text of about `bytes` bytes. What is no JSON object stays as it is. */
function blowUp (text: string, { how, bytes }: Blow): Buffer {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return Buffer.from(text)
  }
  if (how === 'not' || typeof body !== 'object' || body === null) return Buffer.from(text)
  const lists: unknown[][] = []
  const objects: Record<string, unknown>[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) lists.push(value)
    else objects.push(value as Record<string, unknown>)
    for (const part of Object.values(value)) visit(part)
  }
  visit(body)
  const list = lists.sort((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0]
  const inner = objects.at(-1) as Record<string, unknown>
  if (how === 'brackets') inner['more'] = Array.from({ length: Math.floor(bytes / 5) }, () => [{}])
  if (how === 'unknown rows') inner['more'] =
    Array.from({ length: Math.floor(bytes / 12) }, (_, at) => ({ a: at % 10 }))
  if (how === 'texts' || how === 'rows and texts') {
    const texts = objects.flatMap((object) => Object.entries(object)
      .filter(([, value]) => typeof value === 'string' && value !== '').map(([key]) => [object, key] as const))
    const each = Math.floor(bytes / (how === 'texts' ? 1 : 20) / Math.max(1, Math.min(texts.length, 8)) / 3)
    for (const [object, key] of texts.slice(0, 8)) object[key] = '雨'.repeat(each)
  }
  if (how !== 'texts' && list !== undefined && list.length > 0) {
    const row = JSON.stringify(list)
    const wanted = Math.floor(bytes / Math.max(1, row.length))
    const rows = how === 'wrong rows' ? list.map((one) =>
      typeof one === 'object' ? { ...one as object, id: [], mid: 7, name: {} } : { one }) : [...list]
    if (how !== 'brackets' && how !== 'unknown rows') {
      for (let times = 1; times < wanted && list.length < 400_000; times++) list.push(...rows)
    }
  }
  return Buffer.from(JSON.stringify(body))
}
