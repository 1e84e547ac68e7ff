/**
 * Radio stations as one endless MP3 stream, for players that open the address of a station and play. A station plays
 * with the login of an account if its address is signed for it, else like any caller.
 */
import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Song } from '../../../schemas/song.ts'
import { createAbort } from '../../common/abort.ts'
import { InvalidInput, RelayError } from '../../common/errors.ts'
import { sleep } from '../../common/timers.ts'
import type { AnyEndpoint, Endpoint } from '../../relay/endpoint.ts'
import { execute } from '../../relay/run.ts'
import { anonymousIdentity, type Identity } from '../../relay/identity.ts'
import { getRadioSongs } from '../../endpoints/radio/radioSongs.ts'
import { tokenCheck } from '../../edge/access.ts'
import { answerTimeOf, withDeadline } from '../../edge/asking.ts'
import { holdStream } from '../../edge/delivery.ts'
import { callAs, loginOf, signingSecretOf, type User, type UsersOptions } from '../opensubsonic/users.ts'
import { addressesOfSongs } from '../opensubsonic/variants.ts'
import { bytesOf, framesOf, titleEvery, type Played } from './station.ts'

/** Songs that are asked for at once. Their addresses last longer than they play. */
const songsAtOnce = 10
/** Rounds of songs in a row of which none can be played, after which a station ends. */
const mostRounds = 8
/** Pause after a round that failed, in milliseconds, for each failure in a row: two minutes in all. */
const pauseMs = 5000

const signatureOf = (radioId: number, account: string, secret: string): string =>
  createHmac('sha256', secret).update(`radio ${radioId} ${account}`).digest('base64url')

/** Returns path and query of a station. `user`: whose login plays it, while its key is valid; undefined: nobody's. */
export function stationPath (
  radioId: number,
  user: User | undefined,
  secrets: Parameters<typeof signingSecretOf>[2]
): string {
  const path = `/radio/${radioId}.mp3`
  if (user === undefined) return path
  const { account, identity: { key } } = user
  const secret = signingSecretOf(account, key?.id, secrets)
  const names = { account, ...key === undefined ? {} : { key: key.id }, auth: signatureOf(radioId, account, secret) }
  return secret === '' ? path : `${path}?${new URLSearchParams(names).toString()}`
}

const titleOf = ({ title, singer }: Song): string =>
  [singer.map(({ name }) => name).join(', '), title].filter((text) => text !== '').join(' - ')

/** Returns the login at this moment, which may be renewed while a station plays. Undefined: the address or secret has ended. */
type LoginNow = () => Identity | undefined

/** A listener of a station. */
interface Listener {
  readonly radioId: number
  readonly login: LoginNow
  readonly request: FastifyRequest
  readonly gone: AbortSignal
}

/** Returns a function that opens the next song of a station. Undefined: there is none any more. */
function programmeOf ({ radioId, login, request, gone }: Listener): () => Promise<Played | undefined> {
  const { runtime, runtime: { timers } } = request.server
  let hasPlayed = false
  const ready: { readonly title: string, readonly addresses: Static<typeof addressesOfSongs.record>[number] }[] = []
  let cursor: string | undefined
  const call = async <I extends TObject, R extends TSchema>(
    endpoint: Endpoint<I, R>,
    given: Static<I>
  ): Promise<Static<R>> => {
    const typed = endpoint as unknown as AnyEndpoint
    const { client } = request.calledAs ?? request.caller
    const options = { identity: login() ?? anonymousIdentity, client, signal: gone, onLoginRefused () {} }
    return await execute(typed, runtime.validator.fromValues(typed.input, given), options, runtime) as Static<R>
  }

  /** Asks for songs and their addresses. */
  async function more (): Promise<void> {
    const { songs, nextCursor } = await call(getRadioSongs, {
      radioId,
      limit: songsAtOnce,
      ...cursor === undefined ? {} : { cursor }
    })
    cursor = nextCursor
    const known = new Map(songs.filter(({ mid }) => mid !== '').map((song) => [song.mid, titleOf(song)]))
    if (known.size === 0) return
    const found = await call(addressesOfSongs, { songmids: [...known.keys()], quality: '128' })
    for (const [at, title] of [...known.values()].entries()) {
      const addresses = found[at] ?? []
      if (addresses.length > 0) ready.push({ title, addresses })
    }
  }

  return async () => {
    for (let round = 0; round < mostRounds && !gone.aborted && login() !== undefined; round++) {
      for (let song = ready.shift(); song !== undefined; song = ready.shift()) {
        const { title, addresses } = song
        const opened = await runtime.upstream.audioFiles.openFirst(addresses, {}, gone).catch((error: unknown) => {
          if (!(error instanceof RelayError)) throw error
        })
        if (opened === undefined) continue
        hasPlayed = true
        return { title, body: opened.body as AsyncIterable<Buffer> }
      }
      try {
        await more()
      } catch (error) {
        // A player that waits for its first song is told. A listener waits for the provider.
        if (!hasPlayed || !(error instanceof RelayError)) throw error
        await sleep(pauseMs * round, timers, gone)
      }
    }
    return undefined
  }
}

/** Encapsulated, because only its listeners end with the relay. */
export const radio: FastifyPluginAsync<UsersOptions> = async (app, options) => {
  const { runtime, runtime: { now, timers } } = app
  const listening = new Set<() => void>()
  app.addHook('preClose', async () => { for (const end of listening) end() })

  /** Returns the login that plays, and makes its account the caller. Throws TOKEN_REQUIRED. */
  function loginNowOf (request: FastifyRequest, radioId: number): LoginNow {
    const { account, key: id, auth } = request.query as Readonly<Record<string, string | undefined>>
    if (account === undefined || auth === undefined) {
      if (!request.caller.admitted) throw new RelayError('TOKEN_REQUIRED', 'This relay asks for its access token, or for an address of getInternetRadioStations.')
      const { account: owner, identity } = request.caller
      if (owner === undefined) return () => identity
      const ofOwner = (): string => signingSecretOf(owner, identity.key?.id, runtime)
      const secret = ofOwner()
      return () => ofOwner() === secret ? identity : undefined
    }
    const isSigned = (): boolean => {
      const secret = signingSecretOf(account, id, runtime)
      // Compared even without a secret: names without an account take as long as others.
      return tokenCheck(signatureOf(radioId, account, secret))(auth) && secret !== ''
    }
    if (!isSigned()) {
      throw new RelayError('TOKEN_REQUIRED', 'The address of this station is no longer valid: reload the list of stations in the player. 电台地址已失效，请在播放器里刷新电台列表。')
    }
    const { key } = (id === undefined ? undefined : runtime.accounts?.keyOf(account, id)) ?? {}
    const identity = (): Identity => loginOf(account, key, runtime, options)
    callAs(request, { account, identity: identity() })
    // The account may be removed while its station plays: the operator's login must not take its place.
    return () => isSigned() ? identity() : undefined
  }

  app.route({
    method: 'GET',
    url: '/radio/:station',
    config: { tokenless: true, cost: 'player', shedsLate: true, streams: true },
    handler: play
  })

  async function play (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [, number] = /^(\d{1,9})(?:\.mp3)?$/.exec((request.params as { station: string }).station) ?? []
    if (number === undefined) throw new InvalidInput('station: must be the number of a station, such as 199.mp3; /getRadioLists has them.')
    const radioId = Number(number)
    const login = loginNowOf(request, radioId)
    const caller = request.calledAs ?? request.caller
    await app.countKey(caller)
    const withTitles = request.headers['icy-metadata'] === '1'
    const titles = withTitles ? { 'icy-metaint': String(titleEvery), 'icy-name': `Radio ${radioId}`, 'icy-br': '128' } : {}
    void reply.headers({ 'content-type': 'audio/mpeg', 'cache-control': 'no-store', 'accept-ranges': 'none', ...titles })
    if (request.method === 'HEAD') return await reply.send(Readable.from([]))
    app.shed(caller)
    holdStream(request, reply, caller)
    const { signal, abort } = createAbort()
    const end = (): void => {
      listening.delete(end)
      abort(undefined)
    }
    listening.add(end)
    reply.raw.once('close', end)
    if (reply.raw.destroyed) end() // the listener left while it was counted
    const next = programmeOf({ radioId, login, request, gone: signal as AbortSignal })
    // Opened before the answer begins, so that a station without songs is refused.
    let opened = await withDeadline(timers, answerTimeOf({}, runtime), next())
    if (opened === undefined) throw new RelayError('NOT_FOUND', `No song of the station ${radioId} can be played without another login.`)
    const frames = framesOf({
      next: async () => {
        const song = opened ?? await next()
        opened = undefined
        return song
      },
      now,
      timers,
      signal
    })
    return await reply.send(Readable.from(bytesOf(frames, withTitles), {
      objectMode: false,
      highWaterMark: titleEvery
    }))
  }
}

// @mutate streams: endless-radio
