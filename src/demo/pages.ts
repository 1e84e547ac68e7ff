import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Catalogue } from './catalogue/types.ts'
import { pictureUrl } from './catalogue/index.ts'
import { fileNamed } from './media/library.ts'
import { melodyOf, typeOf, type Sound } from './media/melody.ts'
import { pictureOf } from './media/picture.ts'
import { issueVkey, vkeyHolds } from './media/vkey.ts'
import { escapeHtml, singerText } from './shapes/text.ts'

export interface PageOptions {
  catalogue: () => Catalogue
  secret: string
  now: () => number
}

const pictureSizes = new Set([90, 150, 180, 300, 500, 800, 1200, 1500])

type FileRequest = FastifyRequest<{ Params: { file: string }, Querystring: Record<string, string | undefined> }>

/** Parses one range, `bytes=from-to`. Undefined means the whole file; null means that the file has no such bytes. */
function rangeOf (header: string | undefined, length: number): [number, number] | null | undefined {
  const { from, to } = /^bytes=(?<from>\d*)-(?<to>\d*)$/.exec(header ?? '')?.groups ?? {}
  if (from === undefined || to === undefined || from + to === '') return undefined
  if (from === '') return to === '0' ? null : [Math.max(0, length - Number(to)), length - 1]
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1)
  return Number(from) > last ? null : [Number(from), last]
}

/** Returns a file in memory as a Sound, of which parts can be read. */
export const soundOf = (bytes: Buffer): Sound => ({
  length: bytes.length,
  read: (from, to) => [bytes.subarray(from, to)]
})

/** Sends the file, or the part in the `Range` header. `If-Range` with another version of the file gets all of it. */
export function sendRange (
  { length, read }: Sound,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply
): unknown {
  const { range: asked, 'if-range': unless } = request.headers
  const etag = `"${type}-${length}"`
  reply.headers({ 'content-type': type, 'accept-ranges': 'bytes', etag })
  const range = unless === undefined || unless === etag ? rangeOf(asked, length) : undefined
  if (range === null) return reply.code(416).header('content-range', `bytes */${length}`).send()
  const [from, to] = range ?? [0, length - 1]
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${from}-${to}/${length}`)
  reply.header('content-length', to + 1 - from)
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : read(from, to + 1), { objectMode: false }))
}

function indexPage (catalogue: Catalogue, audio: string): string {
  const rows = catalogue.songs.slice(0, 12).map((song) =>
    `<tr><td><img src="${pictureUrl(catalogue, 'T002', 90, song.album?.mid ?? song.mid)}" alt="" width="45"><td>${song.mid}<td>${escapeHtml(song.title)}<td>${escapeHtml(singerText(song.singers))}<td>${song.access}`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Demo upstream</title>
<h1>Demo upstream</h1>
<p>${catalogue.songs.length} invented songs by ${catalogue.singers.length} invented singers. Nothing here is real.</p>
<audio controls src="${escapeHtml(audio)}"></audio>
<table>${rows.join('\n')}</table></html>\n`
}

/** Serves the demo's own pages (index, pictures, audio) on every Host that is not an upstream host. */
export async function ownPages (app: FastifyInstance, { catalogue, secret, now }: PageOptions): Promise<void> {
  app.get('/', async (_request, reply) => {
    const song = catalogue().songs[0]
    const filename = `M500${song?.mediaMid ?? ''}.mp3`
    const vkey = issueVkey(secret, { filename, guid: 'index', uin: '' }, now() + 3_600_000)
    reply.type('text/html; charset=utf-8')
    return indexPage(catalogue(), `/audio/${filename}?guid=index&vkey=${vkey}&uin=`)
  })

  /** T001 is a singer, T002 an album, T003 and T062 lists. Other sizes are not rendered upstream. */
  app.get('/music/photo_new/:file', async (request: FileRequest, reply) => {
    const { size, mid } = /^T\d{3}(?:R(?<size>\d{2,4})x\k<size>)?M\d{3}(?<mid>\w{1,64})\.(jpg|png|webp)$/.exec(request.params.file)?.groups ?? {}
    const side = Number(size ?? 300)
    if (!mid || !pictureSizes.has(side)) return reply.code(404).type('text/plain').send('no such picture\n')
    reply.headers({ 'content-type': 'image/png', 'cache-control': 'public, max-age=86400' })
    return pictureOf(mid.replace(/_\d+$/, ''), side)
  })

  /** A play address is valid for one file, one guid and one account, until it expires. */
  const audio = async (request: FileRequest, reply: FastifyReply): Promise<unknown> => {
    const { params: { file }, query: { guid = '', uin = '', vkey = '' } } = request
    const found = fileNamed(catalogue(), file)
    if (!found) return reply.code(404).type('text/plain').send('no such file\n')
    if (!vkeyHolds(secret, { filename: file, guid, uin }, vkey, now())) {
      return reply.code(403).type('text/plain').send('wrong or expired vkey\n')
    }
    return sendRange(melodyOf(found.song.mid, found.kind, found.song.interval), typeOf(found.kind), request, reply)
  }
  app.get('/audio/:file', audio)
  app.get('/audio/backup/:file', audio)
}
