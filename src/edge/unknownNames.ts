/** Names of parameters and body keys that an endpoint does not know: what they were probably meant to be. */
import { distance } from '../common/distance.ts'
import { repeated, type Query } from './paths.ts'

/** Names in other interfaces for the same things, in lower case, with ours in order of preference. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  id: ['songmid', 'albummid', 'singermid', 'disstid', 'topId', 'vid', 'uuid', 'id'],
  mid: ['songmid', 'albummid', 'singermid', 'id'],
  ...Object.fromEntries(['songid', 'songmid', 'albummid', 'topid', 'disstid'].map((name) => [name, ['id']])),
  ids: ['songs', 'categoryIds', 'songmid'],
  mids: ['songs', 'songmid'],
  songmids: ['songs', 'songmid'],
  ...Object.fromEntries(['q', 'w', 'kw', 'word', 'words', 'keyword', 'keywords', 'query', 'name'].map((
    name
  ) => [name, ['key', 'tag']])),
  ...Object.fromEntries(['n', 'num', 'size', 'count', 'pagesize', 'ps', 'page_size'].map((
    name
  ) => [name, ['limit', 'pagesize']])),
  ...Object.fromEntries(['p', 'pn', 'pageno', 'pagenum', 'page_num'].map((name) => [name, ['page', 'pagenum']])),
  ...Object.fromEntries(['tid', 'dissid', 'playlistid', 'listid'].map((name) => [name, ['disstid']])),
  ...Object.fromEntries(['url', 'link'].map((name) => [name, ['text']])),
  br: ['quality'],
  uid: ['uin']
}

/**
 * Returns the known name that was probably meant: another spelling, the name in another interface, or a typing mistake.
 */
export function nearest (name: string, known: readonly string[]): string | undefined {
  // Several clients write a list as `name[]` or `name[0]`.
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_-]|\[\d*\]$/g, '')
  const same = known.find((each) => plain(each) === plain(name))
  const other = Object.hasOwn(otherNames, name.toLowerCase())
    ? otherNames[name.toLowerCase()]?.find((each) => known.includes(each)) : undefined
  if (same !== undefined || other !== undefined) return same ?? other
  const bound = Math.min(3, Math.ceil(name.length / 2))
  const [best] = known.map((each) => ({ each, far: distance(plain(name), plain(each), bound) })).filter(({ far }) =>
    far < bound
  ).sort((a, b) => a.far - b.far)
  return best?.each
}

/** Returns a name that may stand in an answer. Undefined for others: a name may be a piece of a cookie, or no ASCII. */
export const shownName = (name: string): string | undefined =>
  /^[A-Za-z_][\w.-]{0,23}(?:\[\d{0,4}\])?$/.test(name) ? name : undefined

const most = 5

/**
 * Returns a warning that names what is ignored, and the name that was probably meant. Values are never named. Undefined
 * if all names are known and each is given once. `instead`: where the endpoint reads its input.
 */
export function warningOf (
  given: object & Pick<Query, typeof repeated>,
  known: readonly string[],
  instead?: string
): string | undefined {
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  const again = given[repeated]?.find(([name]) => known.includes(name))?.[0]
  if (unknown.length === 0 && again === undefined) return undefined
  const shown = unknown.slice(0, most).flatMap((name) => {
    const word = shownName(name)
    if (word === undefined) return []
    const near = instead === undefined ? nearest(name, known) : undefined
    return [
      `${word} ignored: ${
        near === undefined ? `unknown${instead === undefined ? '' : `, ${instead}`}` : `did you mean ${near}?`
      }`
    ]
  })
  const others = unknown.length - shown.length
  return [
    ...again === undefined ? [] : [`${again} repeated: the first value is used`],
    ...shown,
    ...others > 0 ? [`${others} ${shown.length === 0 ? '' : 'more '}ignored: unknown`] : []
  ].join('; ')
}
