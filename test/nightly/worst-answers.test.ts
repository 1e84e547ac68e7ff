/**
 * A minute of guided search for the answer that makes most of what the upstream sent, and for the longest turn of the
 * loop. It changes one thing of the worst case so far: the question, or rows, length or place of a text in the
 * upstream's answers.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { request, type Dispatcher } from 'undici'
import type { Sent } from '../support/growingUpstream.ts'
import { questions, relayOver, type Growth } from '../support/growth.ts'
import { programLine } from '../support/program.ts'

interface Case { readonly question: number, readonly growth: Growth }
/** `share`: bytes made, of those allowed. `turnMs`: CPU of the longest turn, for each megabyte of the largest answer of the upstream, at least one: a turn reads one. */
interface Found extends Case { readonly share: number, readonly turnMs: number, readonly status: number }

/** More rows than the relay asks for at once, and the largest text of a whole answer that it reads. */
const most = { rows: 1000, text: 240_000, at: 40 }
const barMs = 50

t.test('no answer is above its budget, and no turn of the loop takes more than 50 ms of CPU', { timeout: 300_000 }, async (t) => {
  const line = programLine('test/support/growingUpstream.ts')
  const upstream =
    fork(line.at(-1) as string, [], { execArgv: line.slice(0, -1), stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  t.teardown(() => { upstream.kill() })
  const [{ origin }] = await once(upstream, 'message') as [{ origin: string }]
  const ask = async (word: Growth | 'sent'): Promise<Sent> => {
    upstream.send(word)
    return (await once(upstream, 'message') as [Sent])[0]
  }
  const app = await relayOver(t, origin, { cache: false })
  const relay = await app.listen({ port: 0, host: '127.0.0.1' })
  const { madeBytes, madeFactor, largestAnswerBytes } = app.runtime.answers.limits

  async function tried (each: Case): Promise<Found> {
    await ask(each.growth)
    let [turnMs, on, before] = [0, true, process.cpuUsage()]
    const probe = (): void => {
      const { user, system } = process.cpuUsage(before)
      turnMs = Math.max(turnMs, (user + system) / 1000)
      before = process.cpuUsage()
      if (on) setImmediate(probe)
    }
    probe()
    // Over a connection: inject copies a long answer in turns of its own.
    const { url, method, headers, payload } = questions[each.question] as InjectOptions
    const { statusCode, body } = await request(`${relay}${url as string}`, {
      method: method as Dispatcher.HttpMethod, headers: headers as Record<string, string>, body: payload as string
    })
    let bytes = 0
    for await (const piece of body) bytes += (piece as Buffer).length
    on = false
    const { sent, largest } = await ask('sent')
    return {
      ...each, turnMs: turnMs / Math.max(1, largest / 1e6), status: statusCode,
      share: bytes / Math.min(largestAnswerBytes, madeBytes + madeFactor * sent)
    }
  }

  const draw = (below: number): number => Math.floor(Math.random() * below)
  /** Small numbers as often as large ones. */
  const size = (below: number): number => Math.floor(below ** Math.random())
  const anew = (): Case =>
    ({ question: draw(questions.length), growth: { rows: size(most.rows), text: size(most.text), at: draw(most.at) } })
  const changed = ({ question, growth }: Case): Case => {
    const key = (['rows', 'text', 'at', 'question'] as const)[draw(4)] ?? 'question'
    if (key === 'question') return { question: draw(questions.length), growth }
    return { question, growth: {
      ...growth, [key]: Math.min(most[key], Math.floor(growth[key] * (0.5 + 1.5 * Math.random())) + draw(3))
    } }
  }
  const worst: Record<'share' | 'turnMs', Found[]> = { share: [], turnMs: [] }
  let count = 0
  for (const end = performance.now() + 60_000; performance.now() < end; count++) {
    const from = worst[count % 2 === 0 ? 'share' : 'turnMs']
    const found =
      await tried(count < 40 || draw(4) === 0 || from.length === 0 ? anew() : changed(from[draw(from.length)] as Case))
    t.ok(found.status < 500 || found.status > 501, `${found.status}: ${JSON.stringify(found)}`)
    for (const key of ['share', 'turnMs'] as const) worst[key] = [...worst[key], found]
      .sort((a, b) => b[key] - a[key]).slice(0, 8)
  }
  for (const each of worst.share) t.ok(each.share <= 1, `${JSON.stringify(each)} ${questions[each.question]?.url as string}`)
  // Other work of the process falls into a turn now and then: a turn is long if it always is.
  for (const each of worst.turnMs) {
    let least = each.turnMs
    for (let times = 0; times < 5 && least > barMs; times++) least = Math.min(least, (await tried(each)).turnMs)
    t.ok(least <= barMs, `${least} ms: ${JSON.stringify(each)} ${questions[each.question]?.url as string}`)
  }
  t.comment(`${count} cases, largest share ${worst.share[0]?.share ?? 0}`)
})
