/** OpenSubsonic: its methods over the endpoints. docs/players.md explains how to add the relay to a player. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { RelayError } from '../../common/errors.ts'
import { defaultAccount } from '../../relay/accountBook.ts'
import { noteFailure } from '../../edge/refusals.ts'
import { pairsOf, publicOriginOf, repeated, type Query } from '../../edge/paths.ts'
import { tooLarge } from '../../relay/run.ts'
import { createPages } from '../../relay/finished.ts'
import { queuesInMemory, type PlayQueues } from '../../relay/playQueues.ts'
import type { Runtime } from '../../relay/runtime.ts'
import { stationPath } from '../radio/radio.ts'
import { audioOf, callsOf, answerWorkOf } from '../call.ts'
import { bytesOf, calledBack, formatOf, headersOf, sendBody, xml, type Format } from './formats.ts'
import { failureOf, httpStatusOf, reasonPhraseOf } from './subsonicErrors.ts'
import { createLibraries } from './library.ts'
import { albumMethods } from './albums.ts'
import { mediaMethods } from './media.ts'
import type { AnyMethod } from './method.ts'
import { playlistMethods } from './playlists.ts'
import { queueMethods } from './queue.ts'
import { searchMethods } from './searching.ts'
import { createRecords } from './shelf.ts'
import { singerMethods } from './singers.ts'
import { songMethods } from './songs.ts'
import { wishedStream } from './variants.ts'
import { emptyLists, refusedWrites, systemMethods } from './system.ts'
import {
  callAs, createUsers, mayUseLogin, refuseUnlessServed, userMethods, type User, type UsersOptions
} from './users.ts'

/** Parameters by name, from query and form together. */
type Parameters = Readonly<Record<string, string | undefined>>

export const methods = {
  ...emptyLists,
  ...refusedWrites,
  ...systemMethods,
  ...userMethods,
  ...singerMethods,
  ...albumMethods,
  ...songMethods,
  ...playlistMethods,
  ...searchMethods,
  ...queueMethods,
  ...mediaMethods
}

/** Their answers are redirects. Where the relay passes pictures on instead, its delivery sheds load. */
const isRedirect: ReadonlySet<string> = new Set(['getCoverArt', 'getAvatar'])

const table: Readonly<Record<string, AnyMethod>> = methods

/** Encapsulated, because its error answers and its forms differ from other routes. */
export const opensubsonic: FastifyPluginAsync<UsersOptions & { readonly queues?: PlayQueues | undefined }> = async (
  app,
  options
) => {
  const { runtime, runtime: { answers: { cache, finished } } } = app
  const { queues = queuesInMemory() } = options
  const userOf = createUsers(runtime, options)
  const libraryOf = createLibraries(runtime)
  const recordsOf = createRecords(runtime)
  const sendAudio = audioOf(wishedStream, runtime)

  app.removeAllContentTypeParsers()
  // Bodies of other types are ignored, because the parameters may be in the address.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _text, done) => {
    done(null, [])
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    done(null, pairsOf(text as string))
  })
  app.setErrorHandler(async (error, request, reply) => {
    const failure = noteFailure(error, request, reply)
    const { account = defaultAccount } = request.calledAs ?? request.caller
    const media = isMedia(request)
    // Players that wait for bytes read no body. They show the text after the status.
    if (media) reply.raw.statusMessage = reasonPhraseOf(failure, account) ?? ''
    return await sendBody(
      reply.code(httpStatusOf(failure, media)),
      formatAnyway(request),
      failureOf(failure, account),
      'failed'
    )
  })
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/rest/:method',
      config: { tokenless: true, cost: 'player', shedsLate: true, streams: true },
      handler: answer
    })
  }

  async function answer (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const given = parametersOf(request)
    const format = formatOf(given)
    const name = nameOf(request)
    const method = methodOf(name)
    if (method === undefined) throw new RelayError('ROUTE_NOT_FOUND', 'The relay does not have this method; docs/opensubsonic.md lists all methods.')
    request.called = name
    if ('open' in method) {
      refuseUnlessServed(runtime)
      return await sendBody(reply, format, method.run())
    }
    const user = userOf(given, request)
    const caller = callAs(request, user)
    await app.countKey(caller)
    const input = runtime.validator.fromText(method.input, given)
    const pages = cache && createPages(cache)
    const work = answerWorkOf(caller, reply)
    const call = callsOf(reply, caller, { work, pages })
    const shared = callsOf(reply, caller, { work, pages, isShared: true })
    const library = libraryOf(user.identity, call, shared)
    const context = {
      user,
      call,
      library,
      records: recordsOf({ identity: user.identity, call, shared, library, work, log: request.log }),
      queues,
      client: given['c'] ?? '',
      values: (name: string) => valuesOf(request, name),
      count: (total: number) => { void reply.header('x-total-count', total) },
      work,
      log: request.log,
      stationAddress: (radioId: number) => {
        const [origin, signer] = [publicOriginOf(request), mayUseLogin(user.identity) ? user : undefined]
        const isOpen = signer !== undefined || runtime.settings.accessToken === ''
        return origin === undefined || !isOpen ? undefined : `${origin}${stationPath(radioId, signer, runtime)}`
      }
    }
    if ('send' in method) {
      if (!isRedirect.has(name)) app.shed(caller)
      return await method.send(input as never, { ...context, caller, request, reply, sendAudio })
    }
    const make = async (): Promise<Buffer> => {
      try {
        if (rowFields.some((field) => Number((input as Readonly<Record<string, unknown>>)[field]) > mostBeside)) {
          await work.alone()
        }
        app.shed(caller)
        const made = await bytesOf(
          format,
          await method.run(input as never, context),
          work,
          runtime.answers.limits.largestAnswerBytes
        )
        if (made === undefined) throw tooLarge(runtime.answers.limits)
        return made
      } finally {
        work.end()
      }
    }
    if (pages === undefined || method.isLong !== true) {
      return await reply.headers(headersOf(format)).send(calledBack(format, await make()))
    }
    const version = library.version()
    const key = keyOf([name, input, format.type === 'xml', version], user, runtime)
    const body = await finished.find(key, async () => {
      const made = await make()
      finished.set(key, made, () => library.version() === version && pages.areFresh())
      return made
    })
    request.cacheState ??= 'HIT'
    return await reply.headers(headersOf(format)).send(calledBack(format, body))
  }
}

/** Fields with a number of rows. A client makes one answer of more than `mostBeside` at a time: they fill the memory. */
const rowFields = ['size', 'count', 'songCount', 'albumCount', 'artistCount'] as const
const mostBeside = 100

/** The key of a finished answer. Nobody with other rights gets it: another account, a key with limits. */
function keyOf (
  facts: readonly unknown[],
  { name, account, identity: { credential, key } }: User,
  { answers: { accountName } }: Runtime
): string {
  return JSON.stringify([
    ...facts,
    name,
    credential === undefined ? account : accountName(account, credential),
    key?.id,
    key?.noLoginEndpoints
  ])
}

type Pairs = [string, string][] | undefined

/** Parameters of query and form. Of a repeated one the first counts; an empty text counts as left out. */
function parametersOf ({ query, body }: FastifyRequest): Parameters {
  const filled = (pairs: readonly (readonly [string, string | undefined])[]): Parameters =>
    Object.fromEntries(pairs.filter(([, text]) => text !== ''))
  return { ...filled(Object.entries(query as Parameters)), ...filled([...body as Pairs ?? []].reverse()) }
}

/** All values of a parameter, of the query and then of the form. */
function valuesOf ({ query, body }: FastifyRequest, name: string): readonly string[] {
  const { [name]: first = '', [repeated]: further = [] } = query as Query
  const pairs = [[name, first], ...further, ...body as Pairs ?? []] as const
  return pairs.flatMap(([key, text]) => key === name && text !== '' ? [text] : [])
}

/** Older clients append `.view` to the name. */
const nameOf = ({ params }: FastifyRequest): string => (params as { method: string }).method.replace(/\.view$/, '')

const methodOf = (name: string): AnyMethod | undefined => Object.hasOwn(table, name) ? table[name] : undefined

function isMedia (request: FastifyRequest): boolean {
  const method = methodOf(nameOf(request))
  return method !== undefined && 'send' in method
}

/** Returns the format of a failure, even if the failure is an invalid format. */
function formatAnyway (request: FastifyRequest): Format {
  try {
    return formatOf(parametersOf(request))
  } catch {
    return xml
  }
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods opensubsonic-users opensubsonic-account server-limits
