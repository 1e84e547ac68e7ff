/** Addresses of pictures, one of them permanent. The relay sends no request to the picture server. */
import { Cover, CoverQuery, GetImageUrlQuery, ImageUrl } from '../../../schemas/discover.ts'
import { endpoint, pictureNamed, pictureUrl, redirect, responseCodeData } from '../kit.ts'

export const cover = endpoint({
  method: 'GET',
  path: '/cover',
  pathParam: 'id',
  tag: 'discover',
  summary: 'The picture of an album, singer, playlist or song',
  summaryInChinese: '专辑、歌手、歌单或歌曲的封面图',
  description: 'A redirect to the picture, for img elements and players. Ids are those of the records: mid and pmid of albums, mid of singers. Needs no upstream call. A caller that accepts only application/json gets the address as JSON.',
  example: { id: '00DemoAlbu0001', size: '300x300' },
  probe: 'none',
  input: CoverQuery,
  record: Cover,
  envelope: redirect,

  run ({ id, size, type }, { imageOrigin }) {
    const named = pictureNamed(id) ?? { kind: type, id }
    return { url: pictureUrl(imageOrigin, named.kind, named.id, size) }
  }
})

export const getImageUrl = endpoint({
  method: 'GET',
  path: '/getImageUrl',
  tag: 'discover',
  summary: 'Address of a picture by id and size',
  summaryInChinese: '图片地址，按 ID 和尺寸',
  description: 'Needs no upstream call. Ids are MIDs of albums, singers and others, with or without a version suffix (_1).',
  example: { id: '00DemoAlbu0001', size: '500x500' },
  probe: 'none',
  input: GetImageUrlQuery,
  record: ImageUrl,
  envelope: responseCodeData,

  run ({ id, size, maxAge, type }, { imageOrigin }) {
    return { imageUrl: `${pictureUrl(imageOrigin, type, id, size)}?max_age=${maxAge}` }
  }
})

// @mutate streams: stream
