/** The Meting API of blogs' music widgets over the endpoints. docs/meting.md says whose account a link plays on. */
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { defaulted, wordOf } from '../../../schemas/common.ts'
import { RelayError } from '../../common/errors.ts'
import { defaultAccount } from '../../relay/accountBook.ts'
import { tooLarge } from '../../relay/run.ts'
import { createPages } from '../../relay/finished.ts'
import { anonymousIdentity, isOfRelay, resolveIdentity, type Identity } from '../../relay/identity.ts'
import { isLargerThan } from '../../common/size.ts'
import type { Caller } from '../../edge/caller.ts'
import { addWarning, privateJson } from '../../edge/headers.ts'
import { sendPicture } from '../../edge/delivery.ts'
import { requirePublicOrigin } from '../../edge/paths.ts'
import { stream } from '../../endpoints/music/playing.ts'
import { audioOf, callsOf, answerWorkOf } from '../call.ts'
import {
  createLinks, coverOf, lrcOf, lists, type LinkType, type Links, type Scope, type ListType, type Track
} from './tracks.ts'

/** The name of the provider in the widgets. */
const server = 'tencent'
const path = '/meting'
const linkTypes = ['url', 'pic', 'lrc'] as const satisfies readonly LinkType[]
const listTypes = Object.keys(lists) as ListType[]

/** Pages of a list that can be asked for. */
const mostPages = 100

const Query = Type.Object({
  type: wordOf([...listTypes, ...linkTypes]),
  id: Type.String({ maxLength: 200, pattern: '\\S', 'x-allowed': 'a text of 1 to 200 characters that is not blank' }),
  server: defaulted(wordOf([server]), server),
  auth: Type.Optional(Type.String({ maxLength: 100 })),
  page: defaulted(Type.Integer({ minimum: 1, maximum: mostPages }), 1)
})

/** Options of the plugin. `secret`: returns the secret for signed links; it is called at the first request, and again if it rejects. */
interface MetingOptions { readonly secret: () => Promise<string> }

const plugin: FastifyPluginAsync<MetingOptions> = async (app, { secret }) => {
  const { settings, globalCookie, answers: { cache, finished, accountName, limits } } = app.runtime
  const listed = new Set(settings.corsOrigins)
  const sendAudio = audioOf(stream, app.runtime)
  let made: Promise<Links> | undefined
  const linksOf = async (): Promise<Links> =>
    await (made ??= secret().then((text) => createLinks(text, Date.now), (error: unknown) => {
      made = undefined
      throw error
    }))

  app.get(
    path,
    { schema: { querystring: Query, hide: true }, config: { tokenless: true, shedsLate: true, streams: true } },
    async (request, reply) => {
      const { type, id, page = 1, auth = '' } = request.query as Static<typeof Query>
      request.called = type
      const links = await linksOf()
      if (isList(type)) return await sendList(type, { id, page }, links, request, reply)
      const scope = links.check(type, id, auth)
      if (scope === undefined) {
        throw new RelayError(
          'LINK_INVALID',
          'auth: this relay did not sign this link, or it was changed. Load the list again: its items have the links.'
        )
      }
      const { caller } = request
      if (type !== 'pic') app.shed(caller)
      if (type === 'url') {
        request.calledAs = { ...caller, identity: playerOf(caller, scope) }
        return await sendAudio({ songmid: id }, request, reply, request.calledAs)
      }
      const call = callsOf(reply, { ...caller, identity: anonymousIdentity }, { work: answerWorkOf(caller, reply) })
      if (type === 'pic') return await sendPicture(request, reply, await coverOf(id, call), forADay)
      const text = await lrcOf(id, call)
      // A lyric may come later, or a call that has it fails at the moment.
      const cacheControl = text === '' ? 'no-store' : forADay
      return await reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': cacheControl })
        .send(text)
    }
  )

  async function sendList (
    type: ListType,
    { id, page }: { readonly id: string, readonly page: number },
    links: Links,
    request: FastifyRequest,
    reply: FastifyReply
  ): Promise<FastifyReply> {
    const base = `${requirePublicOrigin(request)}${path}?server=${server}`
    const scope = scopeOf(request)
    const caller = { ...request.caller, identity: readerOf(request.caller) }
    const { identity } = caller
    const pages = cache && createPages(cache)
    const work = answerWorkOf(caller, reply)
    // The first line is a warning, or empty: a JSON list has no place for a comment.
    const make = async (): Promise<Buffer> => {
      app.shed(caller)
      const { tracks, size, total } = await lists[type](id, page, callsOf(reply, caller, { work, pages }))
      if (isLargerThan(tracks, limits.largestAnswerBytes)) throw tooLarge(limits)
      const isCut = tracks.length > 0 && page * size < total
      const items = await work.rows(
        tracks.filter(({ mid }) => mid !== ''),
        (track) =>
          JSON.stringify(itemOf(track, (kind, of) =>
            `${base}&type=${kind}&id=${encodeURIComponent(of)}&auth=${
              links.sign(kind, of, kind === 'url' ? scope : 'anonymous')
            }`))
      )
      const part = `${tracks.length} of ${total} songs${page === 1 ? '' : `, page ${page}`}`
      const next = page === mostPages ? '' : `; page=${page + 1} has the next ones`
      return Buffer.from(`${isCut ? part + next : ''}\n[${items.join(',')}]`)
    }
    const send = async (made: Buffer): Promise<FastifyReply> => {
      const end = made.indexOf('\n')
      if (end > 0) addWarning(reply, made.toString('latin1', 0, end))
      return await reply.headers(privateJson).send(made.subarray(end + 1))
    }
    // An answer with the request's own cookie is never kept.
    if (pages === undefined || !(identity.source === 'none' || isOfRelay(identity))) return await send(await make())
    const { credential, account = defaultAccount } = identity
    const reader = credential === undefined ? '' : accountName(account, credential)
    const key = JSON.stringify([
      path,
      type,
      id,
      page,
      base,
      scope,
      links.period(scope),
      identity.source,
      reader,
      identity.key?.noLoginEndpoints
    ])
    return await send(await finished.find(key, async () => {
      const made = await make()
      finished.set(key, made, pages.areFresh)
      return made
    }))
  }

  /** Returns the identity that reads the list. The relay's login needs an admitted request: anybody sends an origin. */
  function readerOf ({ identity, admitted }: Caller): Identity {
    return isOfRelay(identity) && !admitted ? anonymousIdentity : identity
  }

  /** Returns the account that plays a list's songs. The operator's needs the access token or a listed origin. */
  function scopeOf ({ caller: { identity, admitted }, headers: { origin } }: FastifyRequest): Scope {
    return identity.source === 'global' && (admitted || listed.has(origin ?? '')) ? 'operator' : 'anonymous'
  }

  /**
   * Returns the identity with which audio plays. A browser says too little about the embedding page: no Origin, and no
   * Sec-Fetch-Site on plain http. So credentials that it adds by itself do not count. The link counts, because its list
   * was fetched with an Origin.
   */
  function playerOf ({ identity, proof }: Caller, scope: Scope): Identity {
    const isNamed = identity.source === 'query' || identity.source === 'header'
      || (identity.source === 'account' && proof === 'bearer')
    if (isNamed) return identity
    return scope === 'operator' ? resolveIdentity({ global: globalCookie() }, settings) : anonymousIdentity
  }
}

const forADay = 'private, max-age=86400'

const isList = (type: ListType | LinkType): type is ListType => Object.hasOwn(lists, type)

/** An item for both families of readers: `title`, `author` and `pic`, or `name`, `artist` and `cover`. */
function itemOf (
  { mid, name, artist, picture }: Track,
  link: (type: LinkType, id: string) => string
): Record<string, string> {
  const pic = picture === '' ? '' : link('pic', picture)
  return { name, title: name, artist, author: artist, url: link('url', mid), pic, cover: pic, lrc: link('lrc', mid) }
}

export const meting = fp(plugin, {
  name: 'meting',
  dependencies: ['headers', 'refusals', 'refuse-callers', 'input', 'routes']
})
