import { Type } from '@sinclair/typebox'
import { Refused, failureCodes } from '../failures.ts'
import { method } from '../method.ts'

export const getUser = method({
  summary: 'Permissions of the user: play, download and see covers. Everything else is off, because the relay changes nothing.',
  input: Type.Object({ username: Type.Optional(Type.String({ description: 'The user that asks; no other.' })) }),

  run ({ username }, { user: { name } }) {
    if (username !== undefined && username !== name) throw new Refused(failureCodes.notAllowed, 'username: users see themselves only.')
    return {
      user: {
        username: name,
        scrobblingEnabled: false,
        adminRole: false,
        settingsRole: false,
        downloadRole: true,
        uploadRole: false,
        playlistRole: false,
        coverArtRole: false,
        commentRole: false,
        podcastRole: false,
        streamRole: true,
        jukeboxRole: false,
        shareRole: false,
        videoConversionRole: false,
        folder: [1]
      }
    }
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-users opensubsonic-methods
