/**
 * What players ask, in their order and form, as read in their public sources and in threads with recorded requests:
 * every answer has what the player reads.
 */
import t, { type Test } from 'tap'
import { dsub, amperfy } from '../opensubsonicClients/xmlPhones.ts'
import { feishin, supersonic } from '../opensubsonicClients/desktops.ts'
import { musicAssistant } from '../opensubsonicClients/hub.ts'
import { symfonium, tempo, ultrasonic } from '../opensubsonicClients/phones.ts'
import type { Client, Proof } from '../opensubsonicClients/types.ts'
import {
  hidden, householdTest, name, password, playerFor, playerTests, readXml, token, type Answer, type Element,
  type Parameters, type Player
} from '../support/opensubsonicPlayer.ts'
import { sampleOf } from '../support/whole.ts'

/** XML as if it had been JSON: every child is in a list. */
function plainOf ({ attributes, text, children }: Element): unknown {
  if (Object.keys(attributes).length === 0 && Object.keys(children).length === 0) return text
  return { ...attributes, ...Object.fromEntries(
    Object.entries(children).map(([key, elements]) => [key, elements.map(plainOf)])
  ), ...text === '' ? {} : { value: text } }
}

/** Returns the values at a path, and what is missing on it. */
function valuesAt (root: unknown, path: string): { readonly values: readonly unknown[], readonly missing?: string } {
  let values: unknown[] = [root]
  const names = path.split('.')
  for (const [at, name] of names.entries()) {
    const found = values.map((value) => (value as Record<string, unknown> | undefined)?.[name])
    const last = at === names.length - 1
    const lacks =
      found.filter((value) => value === undefined || value === null || (last && at > 0 && value === '')).length
    if (lacks > 0) return { values: [], missing: `${lacks} of ${found.length} lack ${names.slice(0, at + 1).join('.')}` }
    values = found.flat()
    if (!last && values.length === 0) return { values: [], missing: `${names.slice(0, at + 1).join('.')} is empty` }
  }
  return { values }
}

const proofs =
  { token: { u: name, ...token('c19b2d') }, plain: { u: name, p: password }, hidden: { u: name, p: hidden() } } as const

/** Plays a recorded sequence. */
async function replay (
  t: Test, player: Pick<Player, 'bare'>, { steps, manner, common }: Client, proof: Parameters
): Promise<void> {
  const kept = new Map<string, string>()
  const filled = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_all, word: string) => kept.get(word) ?? `nothing is known as ${word}`)
  const fill = <T>(value: T): unknown =>
    Array.isArray(value) ? value.map(fill) : typeof value === 'string' ? filled(value) : value
  for (const { at, ask, reads = [], keeps = {}, fails, leads, ...step } of steps) {
    const own =
      Object.fromEntries(Object.entries(step.with ?? {}).map(([key, value]) => [key, fill(value)])) as Parameters
    const answer = await player.bare(ask, { ...common, ...step.common, ...proof, ...own }, step.manner ?? manner)
    const what = `${at}: ${ask} ${JSON.stringify(own)}`
    if (leads !== undefined) {
      t.equal(await leadsTo(answer, leads), undefined, what)
      continue
    }
    const content: any = answer.body ?? plainOf(readXml(answer.text))
    t.same([answer.http, content.status], [200, fails === undefined ? 'ok' : 'failed'], `${what}: ${answer.text.slice(0, 300)}`)
    if (fails !== undefined) t.equal(Number([content.error].flat()[0]?.code), fails, what)
    t.same(
      reads.map((path) => valuesAt(content, path).missing).filter((missing) => missing !== undefined), [],
      `${what} has what the player reads`
    )
    for (const [word, path] of Object.entries(keeps)) kept.set(word, String(valuesAt(content, path).values[0]))
  }
}

/** Follows the answer to bytes, as players do. Returns what is wrong. */
async function leadsTo (
  { http, headers, type, text }: Answer, kind: 'audio' | 'image' | 'elsewhere'
): Promise<string | undefined> {
  if (![200, 206, 302].includes(http)) return `HTTP ${http} ${text.slice(0, 200)}`
  const location = headers.get('location')
  if (kind === 'elsewhere') return location?.startsWith('https://') === true ? undefined : `leads to ${location}`
  const bytes = http === 302 && location !== null ? await fetch(location, { headers: { range: 'bytes=0-999' } })
    : undefined
  const found = bytes?.headers.get('content-type') ?? type
  return found.startsWith(`${kind}/`) && ((await bytes?.arrayBuffer())?.byteLength ?? text.length) > 0 ? undefined
    : `is ${found}`
}

const test = playerTests('recorded players')
for (const [turn, client] of [
  feishin, symfonium, musicAssistant, amperfy, supersonic, tempo, dsub, ultrasonic
].entries()) {
  const own = client.proofs.filter((each): each is Exclude<Proof, 'key'> => each !== 'key')
  for (const proof of sampleOf(own, own.length, turn)) test(
    `${client.name}, with its ${proof} proof`,
    async ({ t, ...player }) => { await replay(t, player, client, proofs[proof]) }
  )
}

householdTest('players that have a key of a stored account', { cache: true }, async ({ t, accounts, ...player }) => {
  const apiKey = await accounts.addKey('member', 'player', {})
  for (const client of [musicAssistant, symfonium]) {
    t.ok(client.proofs.includes('key'))
    await replay(t, player, client, { apiKey })
  }
})

t.test('Music Assistant copies by the audio that the relay sends, too', async (t) => {
  await replay(t, await playerFor(t, { stream: 'relay' }), musicAssistant, proofs.token)
})
