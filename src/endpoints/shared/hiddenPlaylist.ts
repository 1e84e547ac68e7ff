/** Playlists that their owner hides. */
import { UpstreamError } from '../../common/errors.ts'

/** The title that the upstream sends instead of a hidden playlist, with code 0 and without songs (2026-08). */
const hiddenTitle = '歌单被主人设为隐私'

/** Whether this title and number of songs mean a hidden playlist. */
export const isHidden = (title: string | undefined, songs: number | undefined): boolean => title === hiddenTitle && (songs ?? 0) === 0

/** Returns the error for a hidden playlist. `what` is the subject of the message. */
export function hiddenByOwner (call: string, what: string): UpstreamError {
  return new UpstreamError('NOT_FOUND', `${what} is hidden by its owner. Only the owner's cookie shows it.`, { fault: 'caller', call, outcome: 'not_found' })
}
