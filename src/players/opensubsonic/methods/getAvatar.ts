import { Type } from '@sinclair/typebox'
import { RelayError } from '../../../common/errors.ts'
import { getUserAvatar } from '../../../endpoints/user/getUserAvatar.ts'
import { Refused, failureCodes } from '../failures.ts'
import { mediaMethod } from '../method.ts'

export const getAvatar = mediaMethod({
  summary: 'A redirect to the picture of the account.',
  input: Type.Object({ username: Type.Optional(Type.String({ description: 'The user that asks; no other.' })) }),

  async send ({ username }, { user, call, reply }) {
    if (username !== undefined && username !== user.name) throw new Refused(failureCodes.notAllowed, 'username: users see themselves only.')
    const uin = user.identity.credential?.uin
    if (uin === undefined) throw new RelayError('NOT_FOUND', 'username: without a login there is no picture.')
    const { avatarUrl } = await call(getUserAvatar, { uin })
    return await reply.code(302).headers({ 'location': avatarUrl, 'cache-control': 'private, max-age=86400' }).send()
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-users opensubsonic-methods
