import { randomFrom, seedOf, type Random } from './random.ts'
import type { Catalogue } from './types.ts'
import { chineseLines, lines, nicks } from './words.ts'

/** Types of items that have comments. */
export type Topic = 'song' | 'album' | 'playlist' | 'mv'

export interface Reply { number: number, uin: number, nick: string, text: string, time: number, praises: number }

/** `number` counts from 1 within one topic, oldest first. */
export interface Comment extends Reply { replies: Reply[], /** The upstream's recommendation score. */ score: number }

export interface Thread { topic: Topic, id: string, comments: Comment[] }

const newest = 1_790_000_000

/** Emoji codes, escapes and entities are written as upstream. Every seventeenth comment is a picture without text. */
function textOf (number: number, pick: <T>(list: readonly T[]) => T): string {
  if (number % 17 === 0) return ''
  if (number % 7 === 0) return `${pick(lines)}\\n${pick(chineseLines)}`
  if (number % 5 === 0) return `${pick(lines)} &amp; "more" &#39;of it&#39; [em]e400846[/em]`
  return number % 2 ? pick(lines) : `${pick(chineseLines)} 🎧`
}

/** Number of comments by the last digit of the id: 0 has none, 1 has more than two pages of the largest size. */
function countFor (digit: number, random: Random): number {
  if (digit === 0) return 0
  return digit === 1 ? random.int(110, 160) : random.int(20, 130)
}

function commentsOn (topic: Topic, id: string): Comment[] {
  const random = randomFrom(seedOf(`comments ${topic} ${id}`))
  const count = countFor(Number(id.replace(/\D/g, '')) % 10, random)
  return Array.from({ length: count }, (_, at): Comment => {
    const number = at + 1
    const time = newest - (count - number) * 3600
    const replies = Array.from({ length: [0, 2, 0, 1, 0, 3][number % 6] ?? 0 }, (_unused, i): Reply => ({
      number: number * 10 + i,
      uin: 1000003000 + number + i,
      nick: `${random.pick(nicks)}${number + i}`,
      text: random.pick(lines),
      time: time + 60 * (i + 1),
      praises: random.int(0, 9)
    }))
    return {
      number,
      uin: 1000002000 + number,
      nick: `${random.pick(nicks)}${number}`,
      text: textOf(number, random.pick),
      time,
      praises: random.int(0, 5000),
      replies,
      score: random.next()
    }
  })
}

function exists (topic: Topic, id: string, catalogue: Catalogue): boolean {
  switch (topic) {
    case 'song': return catalogue.songById.has(Number(id))
    case 'album': return catalogue.albumById.has(Number(id))
    case 'playlist': return catalogue.playlistById.has(id)
    case 'mv': return catalogue.mvs.some((mv) => mv.vid === id || String(mv.id) === id)
  }
}

/** Returns the comments on one item. Unknown items have none. An MV is found by its vid and by its number. */
export function threadOf (topic: Topic, id: string, catalogue: Catalogue): Thread {
  if (!exists(topic, id, catalogue)) return { topic, id, comments: [] }
  const key = topic === 'mv' ? catalogue.mvByVid.get(id)?.id ?? id : id
  return { topic, id, comments: commentsOn(topic, String(key)) }
}

export type ThreadOrder = 'recommended' | 'newest' | 'liked'

export function ordered (comments: readonly Comment[], order: ThreadOrder): Comment[] {
  const scoreOf: Record<ThreadOrder, (comment: Comment) => number> = {
    recommended: ({ score }) => score,
    newest: ({ number }) => number,
    // The number breaks ties, so that the order does not depend on the sort.
    liked: ({ praises, number }) => praises + number / 1000
  }
  return [...comments].sort((a, b) => scoreOf[order](b) - scoreOf[order](a))
}
