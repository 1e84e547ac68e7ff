/**
 * The items that an account collected: a newer call by its encrypted id, and a classic one by its number. Both send
 * rows from any offset. Neither shape was recorded; clients of 2026 read them.
 */
import type { Filled } from '../../../schemas/common.ts'
import type { GetUserCollectedAlbumsQuery } from '../../../schemas/user.ts'
import { maybe, need, type Answer, type ClassicCall, type Context, type MusicuCall } from '../kit.ts'
import { accountDigits, type Credential } from '../../upstream/wire/credentials.ts'
import { classicFiller, profileReferer } from '../../upstream/wire/requests.ts'
import { euinOf, sessionCheck } from '../shared/accountCalls.ts'
import { hiddenByOwner, type RowRange } from '../shared/playlistCalls.ts'
import { collectRows, readSentRows, unlessBlocked, type CountedRows, type SentRows } from '../shared/pages.ts'

type FavouritesQuery = Filled<typeof GetUserCollectedAlbumsQuery>

/** The two calls for one type. */
export interface FavouriteCalls<T> {
  readonly byEuin: (euin: string, range: RowRange) => MusicuCall<SentRows<T>>
  readonly byNumber: (uin: string, range: RowRange) => ClassicCall<SentRows<T>>
}

/**
 * Returns a page of the items that an account collected, and their total. Throws NOT_FOUND if the owner hides them,
 * COOKIE_REJECTED for an expired cookie.
 */
export async function collectedRows<T> (
  { uin, offset, limit }: FavouritesQuery,
  { byEuin, byNumber }: FavouriteCalls<T>,
  context: Context
): Promise<CountedRows<T> & { readonly total: number }> {
  const credential = context.credential as Credential // `login: 'required'` guarantees it
  const account = accountDigits(uin ?? '') ?? credential.uin
  const euin = await euinOf(account, credential, context)
  return await collectRows(offset, limit, async (begin, num) => {
    const range = { begin, num }
    return await context.upstream.firstOf([
      ...euin === undefined ? [] : [sessionCheck(byEuin(euin, range))],
      byNumber(account, range)
    ])
  }, context.cacheAtMost)
}

/** `kind`: 3 playlists, 2 albums. `what`: subject of messages. */
interface Classic extends RowRange {
  readonly name: string
  readonly uin: string
  readonly kind: 2 | 3
  readonly what: string
}

/** The classic call. Clients disagree whether `ein` is the last row or the one after it, so an extra row is cut off. */
export function classicFavourites<T> (
  { name, uin, kind, what, begin, num }: Classic,
  read: (data: Answer) => SentRows<T>
): ClassicCall<SentRows<T>> {
  return {
    name,
    codes: { 4000: 'ok' },
    request: {
      path: '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg',
      query: {
        ...classicFiller,
        ct: 20,
        cid: 205360956,
        userid: uin,
        reqtype: kind,
        sin: begin,
        ein: begin + num,
        format: 'json'
      },
      referer: profileReferer
    },
    read (answer) {
      if (maybe.int(answer, 'code') === 4000) throw hiddenByOwner(name, what)
      return read(need.at(answer, 'data'))
    }
  }
}

/**
 * `list`: name of the list. `begin`: its first row. `what`: subject of messages. `isHidden`: the owner hides the list,
 * according to the answer.
 */
interface Sent {
  readonly list: string
  readonly total: number
  readonly begin: number
  readonly what: string
  readonly isHidden?: boolean | undefined
}

/** Reads rows. A list without rows is hidden (NOT_FOUND), or looks blocked (UPSTREAM_EMPTY) if its total is not 0. */
export function readFavourites<T> (
  answer: Answer,
  { list, total, begin, what, isHidden }: Sent,
  readRow: (row: Answer) => T | undefined
): SentRows<T> {
  const page = readSentRows(answer, [list], total, readRow)
  if (page.sent === 0 && isHidden === true) throw hiddenByOwner(answer.call, what)
  return unlessBlocked(page, begin, answer.call, 'the list')
}
