/** The audio of a song under a permanent address, because the upstream's own addresses expire. */
import { NotPlayable, audio, endpoint } from '../kit.ts'
import { AudioAddress, StreamQuery, streamEnding } from '../../../schemas/music.ts'
import { playables, type Playable } from './play.ts'
import { addressesOf } from '../../upstream/protocol/hosts.ts'
import { contentTypeOf } from '../shared/song.ts'

export const stream = endpoint({
  method: 'GET',
  path: '/stream',
  pathParam: 'songmid',
  tag: 'music',
  summary: 'The audio of a song, for players',
  description: 'A permanent address for audio elements, mpv, VLC, speakers and lists. The path may end in .mp3, .m4a, .flac or .ogg, for devices that judge an address by its ending. Answers with a redirect to the file, or, if the setting stream is relay, with the file itself, with ranges. If the song cannot be played, the answer is 404, and reason and hint say why. A caller that accepts only application/json gets the address as JSON.',
  example: { songmid: '00DemoSong0001' },
  probe: 'none',
  input: StreamQuery,
  record: AudioAddress,
  envelope: audio,
  login: 'optional',

  async run ({ songmid: given, quality }, context) {
    const songmid = given.replace(streamEnding, '')
    const [found] = await playables([{ songmid }], quality, context, true)
    const { play: { reason, hint }, files, roots } = found as Playable
    const [first, ...others] = files.flatMap(({ filename, path, quality: real, size }) =>
      addressesOf(roots, path, context.playerAddress).map((url) => ({ url, type: contentTypeOf(filename), size, quality: real })))
    if (first === undefined) throw new NotPlayable(reason ?? 'UNKNOWN', hint ?? 'The upstream gave an address that no player can open: try again later.')
    return { ...first, others }
  }
})

// @mutate streams: stream
