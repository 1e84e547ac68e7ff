/** A list of MVs by area and kind, and all areas and kinds. Both come from one POST. */
import { endpoint, noteMissing, response, valueOf } from '../kit.ts'
import { GetMvQuery, Mvs } from '../../../schemas/mv.ts'
import { mvTags, mvsOf, type MvTags } from './mvs.ts'
import { collectRows } from '../shared/pages.ts'

export const getMv = endpoint({
  method: 'GET',
  path: '/getMv',
  tag: 'mv',
  summary: 'MVs by area and kind',
  summaryInChinese: 'MV 列表，按地区和类型筛选',
  description: 'The hottest MVs of an area and a kind. area and version list the values of area_id and version_id. They are empty if the upstream does not send them; the MVs are present anyway.',
  example: { area_id: 15, version_id: 7, limit: 3 },
  probe: () => [{ limit: 1 }],
  samples: ({ list }) => ({ mvs: list.map(({ vid, singers, title }) => ({ vid, word: singers[0]?.name ?? title })) }),
  input: GetMvQuery,
  record: Mvs,
  envelope: response,
  cache: 'charts',

  async run ({ area_id, version_id, limit, page }, context) {
    let tags: MvTags | undefined
    const { rows, total, skipped } = await collectRows(page * limit, limit, async (begin, num) => {
      const [filters, mvs] = await context.upstream.sendAll([mvTags, mvsOf({ area_id, version_id }, begin, num)])
      const found = valueOf(mvs)
      if (filters.error !== undefined) noteMissing(context, filters.error, 'MVs come without their areas and kinds')
      tags ??= filters.value
      return found
    }, context.cacheAtMost)
    return { total, list: rows, area: tags?.area ?? [], version: tags?.version ?? [], skipped }
  }
})
