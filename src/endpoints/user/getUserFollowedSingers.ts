/** The singers that an account follows. Only one call returns them. Observed by clients 2026-09. */
import { endpoint, maybe, nameOf, need, pictureOf, statusBody, type MusicuCall } from '../kit.ts'
import { FollowedSingers, GetUserFollowedSingersQuery, type FollowedSinger } from '../../../schemas/user.ts'
import { accountDigits, type Credential } from '../../upstream/wire/credentials.ts'
import { readFavourites } from './favourites.ts'
import { collectRows, type SentRows } from '../shared/pages.ts'
import type { RowRange } from '../shared/playlistCalls.ts'

/** `id`: the encrypted id of the account, or its digits. Answers 1000 without a valid cookie. */
const followedBy = (id: string, { begin, num }: RowRange): MusicuCall<SentRows<FollowedSinger>> => ({
  name: 'user.followed.singers',
  request: {
    module: 'music.concern.RelationList',
    method: 'GetFollowSingerList',
    param: { HostUin: id, From: begin, Size: num }
  },
  // `LockFlag`: only 0 was ever seen. Any other number is treated as a list that its owner hides.
  read: (answer) =>
    readFavourites(answer, {
      list: 'List',
      total: need.int(answer, 'Total'),
      begin,
      what: 'The list of followed singers',
      isHidden: (maybe.int(answer, 'LockFlag') ?? 0) !== 0
    }, (row) => ({
      singerName: nameOf(row, 'Name'),
      singerMID: need.text(row, 'MID'),
      singerPic: pictureOf(row, 'AvatarUrl'),
      concernNum: maybe.int(row, 'FanNum') ?? 0
    }))
})

export const getUserFollowedSingers = endpoint({
  method: 'GET',
  path: '/user/getUserFollowedSingers',
  tag: 'user',
  summary: 'Singers that an account follows',
  summaryInChinese: '用户关注的歌手',
  description: 'Singers that the cookie\'s account follows, or another account whose list is public. An expired cookie is reported as COOKIE_REJECTED.',
  example: { limit: 3 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  input: GetUserFollowedSingersQuery,
  record: FollowedSingers,
  envelope: statusBody,
  login: 'required',

  async run ({ uin, offset, limit }, { upstream, credential, cacheAtMost }) {
    const own = credential as Credential // `login: 'required'` guarantees it
    const account = accountDigits(uin ?? '') ?? own.uin
    const id = (account === own.uin ? own.euin : undefined) ?? account
    const { rows, total, skipped } = await collectRows(
      offset,
      limit,
      async (begin, num) => await upstream.send(followedBy(id, { begin, num })),
      cacheAtMost
    )
    return { total, hasMore: offset + limit < total, singers: rows, skipped }
  }
})
