/**
 * Songs that the upstream recommends to an account, as an endless list: about five at once, different ones each time
 * (2026-09).
 */
import { codeMsgData, endpoint } from '../kit.ts'
import { GetPersonalRadioQuery, RadioSongs } from '../../../schemas/radio.ts'
import { nextSongs } from './endless.ts'
import { personalRadio } from '../shared/recommended.ts'
import { listedSong } from '../shared/song.ts'

export const getPersonalRadio = endpoint({
  method: 'GET',
  path: '/getPersonalRadio',
  tag: 'radio',
  summary: 'The personal station of an account: songs that it may like, a few at each call',
  summaryInChinese: '账户的私人电台：猜你喜欢的歌曲，每次几首',
  description: 'Pass nextCursor of an answer as cursor to get more: no song repeats within one session. The list ends, too: without nextCursor the upstream has only repetitions; begin again without a cursor. The upstream sends about five songs at once, so ten cost two requests. An expired cookie is COOKIE_REJECTED.',
  example: { limit: 5 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  songs: ({ songs }) => songs.map(listedSong),
  input: GetPersonalRadioQuery,
  record: RadioSongs,
  envelope: codeMsgData,
  login: 'required',

  async run (page, context) {
    return await nextSongs(page, {
      name: 'personal',
      fetch: async () => await context.upstream.firstOf(personalRadio((found) => found))
    }, context)
  }
})
