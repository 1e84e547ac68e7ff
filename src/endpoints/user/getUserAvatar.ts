/** The picture of an account. The URL is built here, without an upstream call. */
import { InvalidInput, endpoint, responseCodeData } from '../kit.ts'
import { GetUserAvatarQuery, UserAvatar } from '../../../schemas/user.ts'
import { avatarByAccount, avatarByKey } from '../../upstream/wire/avatars.ts'
import { accountDigits } from '../../upstream/wire/credentials.ts'

export const getUserAvatar = endpoint({
  method: 'GET',
  path: '/user/getUserAvatar',
  tag: 'user',
  summary: 'Address of an account\'s picture',
  summaryInChinese: '用户头像地址',
  description: 'Built from k or uin without an upstream call, so it needs no login. One of them is required; if both are given, k is used.',
  example: { uin: '1000000101', size: 140 },
  probe: 'none',
  input: GetUserAvatarQuery,
  record: UserAvatar,
  envelope: responseCodeData,

  run ({ k, uin, size }) {
    if (k !== undefined) return { avatarUrl: avatarByKey(k, size), message: 'ok' }
    const digits = accountDigits(uin ?? '')
    if (digits === undefined) throw new InvalidInput('uin: is required when k is not given.', 'missing')
    return { avatarUrl: avatarByAccount(digits, size), message: 'ok' }
  }
})
