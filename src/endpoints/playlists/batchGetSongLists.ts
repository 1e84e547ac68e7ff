/**
 * Several categories, several playlists, or both in one request. Each element has the record of the single endpoint.
 */
import pLimit from 'p-limit'
import { InvalidInput, elementsOf, endpoint, settle, statusData, type Settled } from '../kit.ts'
import { BatchGetSongListsBody, PlaylistBatch, allPlaylists, mostElements } from '../../../schemas/playlists.ts'
import { getSongListDetail } from './getSongListDetail.ts'
import { getSongLists } from './getSongLists.ts'

/** Maximum elements fetched at the same time. */
const atOnce = 5

type Answered = Awaited<ReturnType<typeof getSongLists.run | typeof getSongListDetail.run>>
type Element = { readonly categoryId: number } | { readonly disstid: string }

/**
 * Returns the categories, then the playlist ids; the category of all playlists if neither is given. Throws InvalidInput
 * if there are too many.
 */
function askedFor (categoryIds: readonly number[] | undefined, disstid: string | undefined): Element[] {
  const ids = disstid?.split(',').map((id) => ({ disstid: id.trim() })) ?? []
  const categories = categoryIds ?? (disstid === undefined ? [allPlaylists] : [])
  const elements = [...categories.map((categoryId) => ({ categoryId })), ...ids]
  if (elements.length > mostElements) throw new InvalidInput(`categoryIds: must be, together with disstid, at most ${mostElements} elements.`)
  return elements
}

export const batchGetSongLists = endpoint({
  method: 'POST',
  path: '/batchGetSongLists',
  tag: 'playlists',
  summary: 'Playlists of several categories, or several playlists with their songs',
  summaryInChinese: '多个分类的歌单，或多个歌单的详情和歌曲',
  description: 'One element per category as /getSongLists answers it, then one per playlist id as /getSongListDetail answers it (its first 1000 songs). If the upstream refuses an element, it has `code` and `error` instead; the request as a whole fails only if all elements fail. An empty body returns one page of all playlists, an empty list of categories an empty answer.',
  example: { categoryIds: [10000000, 6], limit: 3, disstid: '7700000001' },
  probe: ({ playlists }) => playlists.map((disstid) => ({ disstid, categoryIds: [10000000], limit: 1 })),
  input: BatchGetSongListsBody,
  record: PlaylistBatch,
  envelope: statusData,
  cache: 'lively',

  async run ({ categoryIds, page, limit, sortId, disstid }, context) {
    const elements = askedFor(categoryIds, disstid)
    const slots = pLimit(atOnce)
    const each = <I, R>(run: (input: I) => R | Promise<R>) => async (inputs: readonly I[]) =>
      await Promise.all(inputs.map((input) => settle(slots(async () => await run(input)))))
    const categories = elements.flatMap((element) =>
      'categoryId' in element ? [{ ...element, page, limit, sortId }] : []
    )
    const lists = elements.flatMap((element) => 'disstid' in element ? [{ ...element, offset: 0, limit: 1000 }] : [])
    const answers = await Promise.all([
      context.elements(getSongLists, categories, each((input) => getSongLists.run(input, context))),
      context.elements(getSongListDetail, lists, each((input) => getSongListDetail.run(input, context)))
    ])
    const settled: Settled<Answered>[] = answers.flat()
    return elementsOf(
      settled,
      context,
      ({ code, message: error }, index) => ({ code, error, ...elements[index] as Element })
    )
  }
})
