/** Builds the URL of a picture. The relay sends no request to the picture server. */
import { GetImageUrlQuery, ImageUrl } from '../../../schemas/discover.ts'
import { endpoint, pictureUrl, responseCodeData } from '../kit.ts'

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
