/** The address of a picture. Built here: the picture server is never asked. */
import { GetImageUrlQuery, ImageUrl } from '../../../schemas/discover.ts'
import { responseCodeData } from '../../../schemas/envelopes.ts'
import { endpoint } from '../../endpoint.ts'
import { pictureUrl } from '../../provider/text.ts'

export const getImageUrl = endpoint({
  method: 'GET',
  path: '/getImageUrl',
  tag: 'discover',
  summary: 'Address of a picture by id and size',
  description: 'Needs no upstream call. Ids are MIDs of albums, singers and others, with or without a version suffix (_1).',
  example: { id: '00DemoAlbu0001', size: '500x500' },
  input: GetImageUrlQuery,
  record: ImageUrl,
  envelope: responseCodeData,

  run ({ id, size, maxAge, type }, { imageOrigin }) {
    return { imageUrl: `${pictureUrl(imageOrigin, type, id, size)}?max_age=${maxAge}` }
  }
})
