import { getRadioLists } from '../../../endpoints/discover/getRadioLists.ts'
import { personalStation } from '../../../endpoints/shared/personalRadio.ts'
import { uniqueBy } from '../../../endpoints/shared/uniqueBy.ts'
import { getRadioSongs } from '../../../endpoints/radio/getRadioSongs.ts'
import { noteMissing } from '../failures.ts'
import { method, noInput } from '../method.ts'

/** Maximum number of songs that the endpoint returns at once. */
const songsOfStation = 30

export const getInternetRadioStations = method({
  summary: 'The radio stations of the provider. The address of a station is an M3U list of songs, with other songs each time.',
  missing: 'A player without M3U support cannot play them. The lists are open to anybody with the address, and play without the login of the user. Empty while `ACCESS_TOKEN` is set, because players cannot send it. The personal station is the playlist `li-radar`.',
  input: noInput,

  async run (_input, { call, openOrigin, log }) {
    if (openOrigin === undefined) return { internetRadioStations: { internetRadioStation: [] } }
    const { groups } = await call(getRadioLists, {}).catch((error: unknown) => {
      // Players request the stations at the start and treat an error as a broken server.
      noteMissing(error, log, 'the radio stations are missing')
      return { groups: [] }
    })
    const stations = uniqueBy(groups.flatMap(({ radios }) => radios), ({ radioId }) => radioId).filter(({ radioId }) => radioId !== personalStation)
    return {
      internetRadioStations: {
        internetRadioStation: stations.map(({ radioId, radioName: name }) => ({
          id: `ra-${radioId}`,
          name,
          streamUrl: `${openOrigin}${getRadioSongs.path}?radioId=${radioId}&limit=${songsOfStation}&format=m3u`
        }))
      }
    }
  }
})

// @mutate OpenSubsonic: opensubsonic-account
