/**
 * What players ask, in their order and form, as read in their public sources and in threads with recorded requests: every
 * answer has what the player reads.
 */
import t from 'tap'
import type { Test } from 'tap'
import { dsub, amperfy } from '../opensubsonicClients/xmlPhones.ts'
import { feishin, supersonic } from '../opensubsonicClients/desktops.ts'
import { musicAssistant } from '../opensubsonicClients/hub.ts'
import { symfonium, tempo, ultrasonic } from '../opensubsonicClients/phones.ts'
import type { Client, Proof, Step } from '../opensubsonicClients/types.ts'
import { household } from '../support/household.ts'
import { hidden, name, password, playerFor, readXml, token } from '../support/opensubsonicPlayer.ts'
import type { Answer, Element, Parameters, Player } from '../support/opensubsonicPlayer.ts'
import { sampleOf } from '../support/whole.ts'

/** XML as if it had been JSON: every child is in a list. */
function plainOf ({ attributes, text, children }: Element): unknown {
  const isText = Object.keys(attributes).length === 0 && Object.keys(children).length === 0
  return isText ? text : { ...attributes, ...Object.fromEntries(Object.entries(children).map(([key, elements]) => [key, elements.map(plainOf)])), ...text === '' ? {} : { value: text } }
}

const contentOf = ({ text, body }: Answer): any => body ?? plainOf(readXml(text))

/** Returns the values at a path, and what is missing on it. */
function valuesAt (root: unknown, path: string): { readonly values: readonly unknown[], readonly missing?: string } {
  let values: unknown[] = [root]
  const names = path.split('.')
  for (const [at, name] of names.entries()) {
    const found = values.map((value) => (value as Record<string, unknown> | undefined)?.[name])
    const last = at === names.length - 1
    const lacks = found.filter((value) => value === undefined || value === null || (last && at > 0 && value === '')).length
    if (lacks > 0) return { values: [], missing: `${lacks} of ${found.length} lack ${names.slice(0, at + 1).join('.')}` }
    values = found.flat()
    if (!last && values.length === 0) return { values: [], missing: `${names.slice(0, at + 1).join('.')} is empty` }
  }
  return { values }
}

const proofOf = (proof: Proof, key: string): Parameters => ({
  token: { u: name, ...token('c19b2d'), p: undefined },
  plain: { u: name, p: password },
  hidden: { u: name, p: hidden() },
  key: { apiKey: key }
})[proof]

/** Plays a recorded sequence. */
async function replay (t: Test, player: Player, { steps, manner, common }: Client, proof: Parameters): Promise<void> {
  const kept = new Map<string, string>()
  const fill = (value: Parameters[string]): Parameters[string] => Array.isArray(value) ? value.map((each) => fill(each) as string) : typeof value === 'string' ? value.replaceAll(/\{(\w+)\}/g, (_all, word: string) => kept.get(word) ?? t.fail(`nothing is known as ${word}`) as unknown as string) : value
  for (const step of steps) {
    const own = Object.fromEntries(Object.entries(step.with ?? {}).map(([key, value]) => [key, fill(value)]))
    const answer = await player.bare(step.ask, { ...common, ...step.common, ...proof, ...own }, step.manner ?? manner)
    const what = `${step.at}: ${step.ask} ${JSON.stringify(own)}`
    if (step.leads !== undefined) await leadsTo(t, answer, step.leads, what)
    else examine(t, answer, step, kept, what)
  }
}

function examine (t: Test, answer: Answer, { reads = [], keeps = {}, fails }: Step, kept: Map<string, string>, what: string): void {
  t.equal(answer.status, 200, `${what}: HTTP`)
  const content = contentOf(answer)
  t.equal(content.status, fails === undefined ? 'ok' : 'failed', `${what}: ${answer.text.slice(0, 300)}`)
  if (fails !== undefined) t.equal(Number([content.error].flat()[0]?.code), fails, what)
  if (content.status !== 'ok') return
  t.same(reads.map((path) => valuesAt(content, path).missing).filter((missing) => missing !== undefined), [], `${what} has what the player reads`)
  for (const [word, path] of Object.entries(keeps)) kept.set(word, String(valuesAt(content, path).values[0]))
}

/** Follows the answer to bytes, as players do. */
async function leadsTo (t: Test, { status, headers, type, text }: Answer, kind: 'audio' | 'image' | 'elsewhere', what: string): Promise<void> {
  t.match(String(status), /^(200|206|302)$/, `${what}: HTTP ${status} ${text.slice(0, 200)}`)
  const location = headers.get('location')
  if (kind === 'elsewhere') {
    t.match(location, /^https:\/\//, what)
    return
  }
  const bytes = status === 302 && location !== null ? await fetch(location) : undefined
  t.match(bytes?.headers.get('content-type') ?? type, new RegExp(`^${kind}/`), what)
  t.ok((await bytes?.arrayBuffer())?.byteLength ?? text.length, what)
}

for (const [turn, client] of [feishin, symfonium, musicAssistant, amperfy, supersonic, tempo, dsub, ultrasonic].entries()) {
  const proofs = client.proofs.filter((each) => each !== 'key')
  for (const proof of sampleOf(proofs, proofs.length, turn)) {
    t.test(`${client.name}, with its ${proof} proof`, async (t) => { await replay(t, await playerFor(t), client, proofOf(proof, '')) })
  }
}

t.test('players that have a key of a stored account', async (t) => {
  const { demo, accounts } = await household(t)
  const key = await accounts.addKey('member', 'player', {})
  const player = await playerFor(t, { accounts, subsonicPassword: '', upstreamOrigin: demo.origin, imageOrigin: demo.origin })
  for (const client of [musicAssistant, symfonium]) {
    t.ok(client.proofs.includes('key'))
    await replay(t, player, client, proofOf('key', key))
  }
})

t.test('Music Assistant copies by the audio that the relay sends, too', async (t) => {
  await replay(t, await playerFor(t, { stream: 'relay' }), musicAssistant, proofOf('token', ''))
})
