import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { filmNamed, filmOf, filmSeconds, mvFileName, type FilmFile } from './media/film.ts'
import { issueVkey, vkeyHolds } from './media/vkey.ts'
import { sendRange, soundOf, type PageOptions } from './pages.ts'

type FilmRequest = FastifyRequest<{ Params: { vkey: string, file: string } }>

/** An hls playlist with one segment, which is a part of the mp4 file. */
function playlistOf ({ mv, level }: FilmFile, address: string): string {
  const { head, fragment } = filmOf(mv.vid, level)
  const lines = [
    '#EXTM3U', '#EXT-X-VERSION:7', `#EXT-X-TARGETDURATION:${filmSeconds}`, '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-MAP:URI="${address}",BYTERANGE="${head.length}@0"`,
    `#EXTINF:${filmSeconds},`, `#EXT-X-BYTERANGE:${fragment.length}@${head.length}`, address, '#EXT-X-ENDLIST'
  ]
  return `${lines.join('\n')}\n`
}

/**
 * Serves the films of the MVs. They are not under /mv, because some classic paths of the upstream begin with it. As on
 * the real servers, the key is a part of the path. It is valid for one file and one day.
 */
export async function filmPages (app: FastifyInstance, { catalogue, secret, now }: PageOptions): Promise<void> {
  const film = async (request: FilmRequest, reply: FastifyReply): Promise<unknown> => {
    const { vkey, file } = request.params
    const found = filmNamed(catalogue(), file)
    if (!found) return reply.code(404).type('text/plain').send('no such film\n')
    if (!vkeyHolds(secret, { filename: file, guid: '', uin: '' }, vkey, now())) {
      return reply.code(403).type('text/plain').send('wrong or expired vkey\n')
    }
    const { mv, kind, level } = found
    // Players of hls playlists fetch the files by script, from pages of other origins.
    reply.header('access-control-allow-origin', '*')
    if (kind === 'mp4') {
      const { head, fragment } = filmOf(mv.vid, level)
      return sendRange(soundOf(Buffer.concat([head, fragment])), 'video/mp4', request, reply)
    }
    const filename = mvFileName(mv.vid, 'mp4', level)
    const key = issueVkey(secret, { filename, guid: '', uin: '' }, now() + 3_600_000)
    return reply.type('application/vnd.apple.mpegurl').send(playlistOf(found, `/film/${key}/${filename}`))
  }
  app.get('/film/:vkey/:file', film)
  app.get('/film/backup/:vkey/:file', film)
}
