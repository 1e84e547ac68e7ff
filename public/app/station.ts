/** Radio stations. */
import { ask } from './relay.ts'
import { trackOf, type Track } from './track.ts'

/** The person's own station. */
export const ownStation = '99'

/** Returns what answers the next songs of a station. One that has only repetitions left begins again. */
export function tuned (id: string): () => Promise<readonly Track[]> {
  let cursor: string | undefined
  return async function next (): Promise<readonly Track[]> {
    const begins = cursor === undefined
    const page = { limit: 20, ...cursor === undefined ? {} : { cursor } }
    const { songs, nextCursor } = id === ownStation
      ? await ask('getPersonalRadio', page)
      : await ask('getRadioSongs', { radioId: Number(id), ...page })
    cursor = nextCursor
    return songs.length > 0 || begins ? songs.map(trackOf) : await next()
  }
}
