/** A list of MVs by area and kind, and the areas and kinds there are. Both come in one POST. */
import { offsetFromOne } from '../../../schemas/common.ts'
import { response } from '../../../schemas/envelopes.ts'
import { GetMvQuery, Mvs } from '../../../schemas/mv.ts'
import { endpoint } from '../../endpoint.ts'
import { mvTags, mvsOf } from '../shared/mv.ts'
import type { MvTags } from '../shared/mv.ts'
import { rowsFrom } from '../shared/pages.ts'

export const getMv = endpoint({
  method: 'GET',
  path: '/getMv',
  tag: 'mv',
  summary: 'MVs by area and kind',
  description: 'The hottest MVs of an area and a kind. area and version list what area_id and version_id may be; they are empty when the upstream does not say, and the list is there all the same.',
  example: { area_id: 15, version_id: 7, limit: 3 },
  input: GetMvQuery,
  record: Mvs,
  envelope: response,
  cache: 'charts',

  async run ({ area_id, version_id, limit, page }, { upstream, keepFor, log }) {
    let tags: MvTags | undefined
    const { rows, total } = await rowsFrom(offsetFromOne(page, limit), limit, async (begin, num) => {
      const [filters, mvs] = await upstream.sendAll([mvTags, mvsOf({ area_id, version_id }, begin, num)])
      if (mvs.error !== undefined) throw mvs.error
      if (filters.error !== undefined) {
        keepFor('brief')
        log.debug({ reason: (filters.error as { code?: string }).code }, 'MVs come without their areas and kinds')
      }
      tags ??= filters.value
      return mvs.value
    }, keepFor)
    return { total, list: rows, area: tags?.area ?? [], version: tags?.version ?? [] }
  }
})
