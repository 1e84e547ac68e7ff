/** Cache rules that need no connection: which entry is used when, which failures it hides, and what instances share. */
import t from 'tap'
import { Type } from '@sinclair/typebox'
import { createKeys, ttlOf, type CacheKey } from '../../src/cache/policy.ts'
import {
  createCache, etagOf, type Cache, type CacheOptions, type CacheResult, type CacheEntry, type SharedCache
} from '../../src/cache/memory.ts'
import { RelayError, UpstreamError } from '../../src/common/errors.ts'
import { failure, type Kind } from '../../src/common/kinds.ts'
import { createAnswers } from '../../src/relay/answers.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import type { UpstreamClient } from '../../src/upstream/client.ts'

const { fresh, staleWhileRevalidate, staleIfError } = ttlOf.query
/** Age of an entry that is used only if a fetch fails or is slow. */
const old = fresh + staleWhileRevalidate
const answer = (text: string, since = 0): CacheEntry =>
  ({ body: Buffer.from(text), etag: etagOf(Buffer.from(text)), cacheControl: '', sources: [], since, policy: 'query' })

interface Own {
  readonly cache: Cache
  readonly clock: { now: number }
  readonly unseen: unknown[]
  readonly admitted: { times: number, refuse: boolean }
}

function ready (options: Partial<CacheOptions> = {}): Own {
  const clock = { now: 0 }
  const unseen: unknown[] = []
  const admitted = { times: 0, refuse: false }
  const admit = (): void => {
    admitted.times++
    if (admitted.refuse) throw new RelayError('OVERLOADED', 'full', { retryAfter: 1 })
  }
  const cache = createCache({
    cacheBytes: 8_000_000, cacheEntries: 100, softDeadlineMs: 600_000, now: () => clock.now, assertCapacity: admit,
    onBackgroundError: (error) => { unseen.push(error) }, ...options
  })
  return { cache, clock, unseen, admitted }
}

const upstream = (kind: Kind, more: { upstreamCode?: number, retryAfter?: number } = {}): UpstreamError =>
  failure(kind, { call: 'some.call', word: 'no', ...more })
const failing = (error: unknown) => async (): Promise<CacheEntry> => { throw error }
const making = (text: string, { now }: { now: number } = { now: 0 }) =>
  async (): Promise<CacheEntry> => answer(text, now)
const never = async (): Promise<CacheEntry> => { throw new Error('asked') }
const shown = ({ state, entry, age }: CacheResult): string => `${state} ${entry.body.toString()} ${age}`
/** The key with this text, anonymous or of an account. */
const keyOf = (text: string): CacheKey => ({ account: text.startsWith('anonymous ') ? undefined : 'account-1', text })
/** Describes the outcome of a look-up, also if it is refused immediately. */
const ask = async (cache: Cache, key: string, make: () => Promise<CacheEntry>, reload = false): Promise<string> =>
  shown(await cache.find(keyOf(key), make, reload))
const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('how long each kind of answer may be used', async (t) => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
  t.same(ttlOf, {
    'immutable': { fresh: 7 * day, staleWhileRevalidate: 7 * day, staleIfError: 30 * day },
    'slow': { fresh: 6 * hour, staleWhileRevalidate: 6 * hour, staleIfError: 7 * day },
    'charts': { fresh: 30 * minute, staleWhileRevalidate: 30 * minute, staleIfError: day },
    'lively': { fresh: 10 * minute, staleWhileRevalidate: 10 * minute, staleIfError: day },
    'query': { fresh: 2 * minute, staleWhileRevalidate: 2 * minute, staleIfError: hour },
    'short-lived': { fresh: 2 * minute, staleWhileRevalidate: 0, staleIfError: 0 },
    'brief': { fresh: 10_000, staleWhileRevalidate: 0, staleIfError: 0 }
  })
  t.match(etagOf(Buffer.from('a')), /^"[\w-]{27}"$/)
  t.not(etagOf(Buffer.from('a')), etagOf(Buffer.from('b')))
})

t.test('a copy is used alone, then while a new one is fetched, then only in need, each to its last millisecond', async (t) => {
  const { cache, clock } = ready()
  t.equal(await ask(cache, 'k', making('old')), 'MISS old 0')
  t.notOk(cache.find(keyOf('k'), never, false) instanceof Promise, 'a copy that needs nothing is there at once')
  clock.now = fresh - 1
  t.strictSame(
    [await ask(cache, 'k', never), cache.getFresh(keyOf('k'))?.body.toString()], [`HIT old ${fresh - 1}`, 'old']
  )
  const isAtHand = (now: number): boolean => {
    clock.now = now
    return cache.isAtHand(keyOf('k'))
  }
  t.strictSame([isAtHand(fresh), isAtHand(old - 1), isAtHand(old)], [true, true, false], 'without a wait for a new one')
  clock.now = fresh
  t.strictSame(
    [cache.getFresh(keyOf('k')), await ask(cache, 'k', making('new', clock))], [undefined, `STALE old ${fresh}`]
  )
  await turn()
  t.equal(await ask(cache, 'k', never), 'HIT new 0')
  t.strictSame([isAtHand(fresh + old - 1), isAtHand(fresh + old)], [true, false])
  clock.now = fresh + old - 1
  t.equal(await ask(cache, 'k', failing(upstream('reset'))), `STALE new ${old - 1}`)
  await turn()
  clock.now = fresh + old
  t.strictSame([
    await ask(cache, 'k', making('third', clock)), cache.getFresh(keyOf('k'))?.body.toString()
  ], ['MISS third 0', 'third'])
  const end = fresh + staleIfError
  clock.now = fresh + old + end - 1
  t.equal(await ask(cache, 'k', failing(upstream('reset'))), `STALE third ${end - 1}`)
  clock.now = fresh + old + end
  await t.rejects(ask(cache, 'k', failing(upstream('reset'))), { code: 'UPSTREAM_UNREACHABLE' })
  t.equal(cache.getFresh(keyOf('nothing')), undefined)
})

t.test('what the upstream fails at is hidden by an old copy, what it says is not, nor is a bug', async (t) => {
  const hidden = [...([
    'reset', 'failing', 'late', 'failing.late', 'unreadable', 'refused.http', 'retired.http', 'search', 'pause'
  ] as const).map((kind) => upstream(kind)), new RelayError('OVERLOADED', 'full')]
  const told = [
    upstream('refused', { upstreamCode: 10000 }), upstream('refused.login.http'), upstream('missing'),
    upstream('empty'), upstream('refused.cookie'), new RelayError('UPSTREAM_REFUSED', 'no'), new TypeError('a bug')
  ]
  for (const error of [...hidden, ...told] as (Error & { code?: string })[]) {
    const { cache, clock } = ready()
    cache.set(keyOf('k'), answer('old'))
    clock.now = old
    const reply = ask(cache, 'k', failing(error))
    const what = `${error.code} ${error.message}`
    if (hidden.includes(error as RelayError)) t.equal(await reply, `STALE old ${old}`, what)
    else await t.rejects(reply, error, what)
  }
})

t.test('who is too slow is not waited for; what fails when nobody waits is told', async (t) => {
  const { cache, clock, unseen } = ready({ softDeadlineMs: 1 })
  cache.set(keyOf('k'), answer('old'))
  clock.now = old
  let finish = (_kept: CacheEntry): void => {}
  t.equal(await ask(cache, 'k', async () => await new Promise((resolve) => { finish = resolve })), `STALE old ${old}`)
  finish(answer('new', old))
  await turn()
  t.equal(await ask(cache, 'k', never), 'HIT new 0')
  clock.now = 2 * old
  let fail = (_error: Error): void => {}
  t.equal(
    await ask(cache, 'k', async () => await new Promise((_resolve, reject) => { fail = reject })), `STALE new ${old}`
  )
  const [late, later] = [upstream('reset'), new TypeError('a bug')]
  fail(late)
  await turn()
  t.equal(await ask(cache, 'other', making('x', clock)), 'MISS x 0')
  clock.now = 2 * old + fresh
  t.same(await Promise.all([ask(cache, 'other', failing(later)), ask(cache, 'other', never)]), [
    `STALE x ${fresh}`, `STALE x ${fresh}`
  ])
  await turn()
  t.same(unseen, [late, later], 'once, however many got the copy')
})

t.test('who wants no copy gets none, not even for a failure, and leaves a new one', async (t) => {
  const { cache } = ready()
  cache.set(keyOf('k'), answer('old'))
  await t.rejects(ask(cache, 'k', failing(upstream('reset')), true), { code: 'UPSTREAM_UNREACHABLE' })
  t.strictSame([await ask(cache, 'k', never), await ask(cache, 'k', making('new'), true)], ['HIT old 0', 'MISS new 0'])
  t.equal(await ask(cache, 'k', never), 'HIT new 0')
})

t.test('an incomplete answer takes no place of a complete one: it is used for its moment, and the complete one stands in for failures', async (t) => {
  const { entry, shared } = store()
  const { cache, clock } = ready({ shared })
  const key = 'anonymous k'
  const part = async (): Promise<CacheEntry> => ({ ...answer('part', clock.now), policy: 'brief' })
  cache.set(keyOf(key), answer('whole'))
  t.strictSame([
    await ask(cache, key, part, true), await ask(cache, key, never)
  ], ['MISS part 0', 'HIT whole 0'], 'who wants no copy spoils none')
  cache.set(keyOf(key), await part())
  t.equal(await ask(cache, key, never), 'HIT whole 0')
  clock.now = fresh
  t.equal(await ask(cache, key, part), `STALE whole ${fresh}`)
  await turn()
  await turn()
  t.equal(await ask(cache, key, never), `STALE whole ${fresh}`, 'for a moment nothing better is to be had')
  clock.now = old
  t.strictSame([await ask(cache, key, part), await ask(cache, key, never), cache.isAtHand(keyOf(key))], [
    'MISS part 0', 'HIT part 0', true
  ])
  clock.now = old + 10_000
  t.notOk(cache.isAtHand(keyOf(key)))
  t.equal(await ask(cache, key, failing(upstream('reset'))), `STALE whole ${clock.now}`)
  t.strictSame([await ask(cache, key, making('new', clock)), await ask(cache, key, never)], ['MISS new 0', 'HIT new 0'])
  t.equal(entry.get(key)?.body.toString(), 'new')
})

t.test('the upstream\'s verdict is believed for ten seconds, and told again in full; a breakdown is not', async (t) => {
  const { cache, clock, admitted } = ready()
  for (const error of [upstream('missing'), upstream('refused', { upstreamCode: 10000, retryAfter: 3 })]) {
    const { code, message, fault, call, outcome, upstreamCode, retryAfter } = error
    clock.now = 0
    await t.rejects(ask(cache, code, failing(error)), error)
    clock.now = 9999
    const again = await ask(cache, code, never).catch((thrown: unknown) => thrown) as UpstreamError
    t.ok(again instanceof UpstreamError && again !== error, 'another error, which holds on to nothing')
    t.same([again.code, again.message, again.fault, again.call, again.outcome, again.upstreamCode, again.retryAfter], [
      code, message, fault, call, outcome, upstreamCode, retryAfter
    ])
    clock.now = 10_000
    t.equal(await ask(cache, code, making('there now', clock)), 'MISS there now 0')
  }
  t.equal(admitted.times, 4, 'what is known to be refused needs no admission')
  cache.set(keyOf('old'), answer('old', 9000))
  clock.now = 9000 + old
  await t.rejects(ask(cache, 'old', failing(upstream('missing'))), { code: 'NOT_FOUND' })
  await t.rejects(ask(cache, 'old', never), { code: 'NOT_FOUND' }, 'also where an old copy is')
  for (const error of [
    upstream('refused.cookie', { upstreamCode: 104400 }), upstream('refused.login', { upstreamCode: 1000 }),
    upstream('refused.http'), upstream('unreadable'), new RelayError('NOT_FOUND', 'no'), new TypeError('a bug')
  ]) {
    await t.rejects(ask(cache, 'believed', failing(error)), error)
    t.notOk(cache.keys().includes('believed'), error.message)
  }
})

t.test('memory is bounded in answers, in bytes and in refusals', async (t) => {
  const { cache } = ready()
  const key = 'k'.repeat(2000)
  cache.set(keyOf(key), answer('x'.repeat(1000)))
  const { entries: answers, bytes } = cache.size()
  t.ok(answers === 1 && bytes > 5000 && bytes < 6000, `${bytes} bytes for 1000 and a key of 2000 characters`)
  cache.set(keyOf('large'), answer('x'.repeat(1_000_000)))
  cache.set(keyOf('too large'), answer('x'.repeat(1_100_000)))
  t.same(cache.keys(), ['large', key])
  for (let at = 0; at < 1100; at++) await ask(cache, `refused ${at}`, failing(upstream('missing'))).catch(() => {})
  t.equal(cache.keys().length, 1002)
  t.equal(
    await ask(cache, 'large', async () => answer('')).then(({ length }) => length > 1e6), true,
    'refusals push no answer out'
  )

  const small = ready({ cacheEntries: 1 }).cache
  t.same(
    await Promise.all(['a', 'b', 'a'].map(async (name) => await ask(small, name, making(name)))),
    ['MISS a 0', 'MISS b 0', 'MISS a 0'], 'fetches go on when their places are taken'
  )
  t.equal(small.size().entries, 1)
})

t.test('equal questions are one, and only a question that begins must be admitted', async (t) => {
  const { cache, clock, admitted, unseen } = ready()
  let finish = (_kept: CacheEntry): void => {}
  let made = 0
  const slow = async (): Promise<CacheEntry> => { made++; return await new Promise((resolve) => { finish = resolve }) }
  const first = ask(cache, 'k', slow)
  admitted.refuse = true
  const second = ask(cache, 'k', slow)
  await t.rejects(ask(cache, 'other', never), { code: 'OVERLOADED' })
  finish(answer('new'))
  t.same(await Promise.all([first, second]), ['MISS new 0', 'MISS new 0'])
  t.equal(made, 1)
  clock.now = fresh
  t.equal(await ask(cache, 'k', never), `STALE new ${fresh}`)
  t.match(unseen, [{ code: 'OVERLOADED' }], 'that it could not be fetched behind the back is told')
  clock.now = old
  t.equal(await ask(cache, 'k', failing(new RelayError('OVERLOADED', 'full'))), `STALE new ${old}`, 'who has a copy is not refused')
  t.equal(unseen.length, 1)
  admitted.refuse = false
  await t.rejects(ask(cache, 'gone', failing(upstream('late'))), { code: 'UPSTREAM_TIMEOUT' })
  admitted.refuse = true
  await t.rejects(ask(cache, 'gone', never), { code: 'OVERLOADED' }, 'what has ended is under way no more')
})

t.test('a fetch is joined also when its place in memory was taken meanwhile', async (t) => {
  const { cache, admitted } = ready({ cacheEntries: 1 })
  const fetches = new Map<string, ((kept: CacheEntry) => void)[]>([['a', []], ['b', []]])
  const slow = (name: string) =>
    async (): Promise<CacheEntry> => await new Promise((resolve) => { fetches.get(name)?.push(resolve) })
  const asked = ['a', 'b', 'a', 'a'].map(async (name) => await ask(cache, name, slow(name)))
  await turn()
  t.same([...fetches.values()].map(({ length }) => length), [1, 1])
  t.equal(admitted.times, 2)
  for (const [name, [finish]] of fetches) finish?.(answer(name))
  t.same(await Promise.all(asked), ['MISS a 0', 'MISS b 0', 'MISS a 0', 'MISS a 0'])
})

/** A shared store in this process, which records its requests. */
function store () {
  const entry = new Map<string, CacheEntry>()
  const noted: string[] = []
  const shared: SharedCache = {
    async read (key) { noted.push(`read ${key}`); const found = entry.get(key); await turn(); return found },
    async fetch (
      key, make, reload
    ) { noted.push(`fetch ${key} ${reload}`); const made = await make(); entry.set(key, made); return made },
    write (key, one) { noted.push(`write ${key}`); entry.set(key, one) }
  }
  return { entry, noted, shared }
}

t.test('instances share what is anybody\'s, and keep to themselves what is an account\'s', async (t) => {
  const { entry, noted, shared } = store()
  const [one, other] = [ready({ shared }), ready({ shared })]
  t.equal(await ask(one.cache, 'anonymous a', making('a')), 'MISS a 0')
  t.same(noted.splice(0), ['read anonymous a', 'fetch anonymous a false'])
  t.same(
    await Promise.all([ask(other.cache, 'anonymous a', never), ask(other.cache, 'anonymous a', never)]),
    ['HIT a 0', 'HIT a 0']
  )
  t.same(noted.splice(0), ['read anonymous a'], 'who asks at once looks once')
  t.strictSame([
    await ask(other.cache, 'anonymous a', never), await ask(other.cache, 'anonymous a', making('b'), true)
  ], ['HIT a 0', 'MISS b 0'])
  t.same(noted.splice(0), ['fetch anonymous a true'], 'what is in memory is not looked for; who wants no copy says so')
  t.equal(await ask(one.cache, 'account-1 a', making('mine')), 'MISS mine 0')
  one.cache.set(keyOf('account-1 b'), answer('mine'))
  t.same(noted.splice(0), [])
  one.cache.set(keyOf('anonymous b'), answer('b'))
  t.same([noted.splice(0), entry.get('anonymous b')?.body.toString()], [['write anonymous b'], 'b'])

  await t.rejects(ask(one.cache, 'anonymous gone', failing(upstream('missing'))), { code: 'NOT_FOUND' })
  noted.splice(0)
  await t.rejects(ask(one.cache, 'anonymous gone', never), { code: 'NOT_FOUND' })
  t.same(noted.splice(0), [], 'a refusal that is known needs no look')
  one.clock.now = 10_000
  entry.set('anonymous gone', answer('back', 10_000 - old))
  t.equal(await ask(one.cache, 'anonymous gone', failing(upstream('reset'))), `STALE back ${old}`, 'past its time it hides nothing that others keep')
  one.clock.now = 0
  noted.splice(0)

  entry.set('anonymous c', answer('from the store'))
  const looking = ask(one.cache, 'anonymous c', never)
  one.cache.set(keyOf('anonymous c'), answer('newer'))
  t.equal(await looking, 'HIT newer 0', 'what came meanwhile is not overwritten')

  one.clock.now = fresh
  t.equal(await ask(one.cache, 'anonymous c', making('renewed', one.clock)), `STALE newer ${fresh}`)
  await turn()
  t.same(noted.splice(0), ['read anonymous c', 'write anonymous c', 'fetch anonymous c false'], 'what another instance renews meanwhile will do')

  const small = ready({ shared, cacheEntries: 1 }).cache
  t.strictSame([await ask(small, 'anonymous a', never), await ask(small, 'anonymous b', never)], ['HIT b 0', 'HIT b 0'])
  entry.set('anonymous a', answer('now'))
  t.equal(await ask(small, 'anonymous a', never), 'HIT now 0', 'what memory has lost is looked for again')
})

t.test('what a reload brings is not entry out by an older copy of others that comes meanwhile', async (t) => {
  let say = (_kept: CacheEntry): void => {}
  const read = new Promise<CacheEntry>((resolve) => { say = resolve })
  const { cache } =
    ready({ shared: { read: async () => await read, fetch: async (_key, make) => await make(), write () {} } })
  const plain = cache.find(keyOf('anonymous /x'), async () => answer('plain'), false)
  const reload = cache.find(
    keyOf('anonymous /x'), async () => { say(answer('old')); await new Promise(setImmediate); return answer('new') },
    true
  )
  await plain
  t.equal((await reload).entry.body.toString(), 'new')
  t.equal((await cache.find(keyOf('anonymous /x'), async () => answer('again'), false)).entry.body.toString(), 'new')
})

t.test('the key of a question is made once, and is another one for each endpoint and each login', async (t) => {
  const keys = createKeys((account, { key }: { readonly key: string }) => `${account} ${key}`)
  const input = { name: 'x', limit: 3 }
  const questions = Type.Object({ name: Type.String(), limit: Type.Number(), page: Type.Optional(Type.Number()) })
  const [one, two] = [{ path: '/one', input: questions }, { path: '/two', input: questions }]
  for (const [login, account] of [[undefined, undefined], [{ key: 'k' }, 'kim k'], [{ key: 'l' }, 'kim l']] as const) {
    const key = keys(one, input, 'kim', login)
    const whose = account ?? 'anonymous'
    t.same(key, { account, text: `${whose} /one name="x" limit=3` })
    t.equal(keys(one, input, 'kim', login), key)
    t.equal(keys(two, input, 'kim', login).text, `${whose} /two name="x" limit=3`)
    t.equal(keys(two, { name: 'y' }, 'kim', login).text, `${whose} /two name="y"`)
  }
})

t.test('each login of an account has a name of its own, and nothing of a login stays in memory', (t) => {
  const { accountName } =
    createAnswers(resolveOptions({}), { assertCapacity () {} } as unknown as UpstreamClient, undefined)
  const name = (account: string, key: string): string =>
    accountName(account, { uin: '1', key, loginType: 1, euin: undefined })
  const [first, second] = [name('one', 'first'), name('one', 'second')]
  t.equal(new Set([first, second, name('two', 'first')]).size, 3)
  t.notMatch(first, /first/)
  t.equal(name('one', 'first'), first, 'also after another login of the account')
  t.end()
})
