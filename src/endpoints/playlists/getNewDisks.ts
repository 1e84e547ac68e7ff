/** New albums. Upstream: `start` is the absolute row, counted from 0. Recorded 2026-08-06. */
import { offsetFromOne } from '../../../schemas/common.ts'
import { codeMsgData, endpoint, maybe, nameOfKnown, need, pictureUrl, type Answer, type MusicuCall } from '../kit.ts'
import { GetNewDisksQuery, NewAlbums, type NewAlbum } from '../../../schemas/playlists.ts'
import { collectRows, readSentRows, unlessBlocked, type SentRows } from '../shared/pages.ts'
import { singerNames } from '../shared/song.ts'

/**
 * The areas are 1 mainland, 2 Hong Kong and Taiwan, 3 West, 4 Korea, 5 Japan, 6 other. The endpoint has no parameter
 * for them.
 */
const area = 1

const newAlbums = (start: number, num: number, imageOrigin: string): MusicuCall<SentRows<NewAlbum>> => ({
  name: 'albums.new',
  request: { module: 'newalbum.NewAlbumServer', method: 'get_new_album_info', param: { area, start, num } },
  read: (answer) => unlessBlocked(readNewAlbums(answer, imageOrigin), start, answer.call, 'new albums')
})

function readNewAlbums (answer: Answer, imageOrigin: string): SentRows<NewAlbum> {
  return readSentRows(answer, ['albums'], need.int(answer, 'total'), (album) => {
    const mid = maybe.text(album, 'mid') ?? ''
    const picture = maybe.text(album, 'photo.pic_mid') ?? mid
    const albumID = maybe.int(album, 'id') ?? 0
    return {
      albumID,
      albumMID: mid,
      albumName: nameOfKnown(album, [albumID, mid], 'name'),
      singerName: singerNames(album, 'singers'),
      publicTime: maybe.text(album, 'release_time') ?? '',
      albumPic: picture === '' ? '' : pictureUrl(imageOrigin, 'album', picture)
    }
  })
}

export const getNewDisks = endpoint({
  method: 'GET',
  path: '/getNewDisks',
  tag: 'playlists',
  summary: 'New albums',
  summaryInChinese: '新碟上架',
  description: 'Albums of the mainland area, as the upstream orders them. Beyond the last page the list is empty.',
  example: { limit: 3 },
  probe: () => [{ limit: 1 }],
  samples: ({ albums }) => ({ albums: albums.map(({ albumMID }) => albumMID).filter((mid) => mid !== '') }),
  input: GetNewDisksQuery,
  record: NewAlbums,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ limit, page }, { upstream, imageOrigin, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      async (start, num) => await upstream.send(newAlbums(start, num, imageOrigin)),
      cacheAtMost
    )
    return { total, albums: rows, skipped }
  }
})
