/** Playlists of more songs than one question to the upstream brings, as players of OpenSubsonic get them. */
import { paramOf, timesAsked } from '../support/helper.ts'
import { idsOf, playerTest } from '../support/opensubsonicPlayer.ts'

const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'

playerTest('a playlist of more than a thousand songs is whole and in order, up to five thousand', { cache: false }, async ({ t, demo, read }) => {
  // The library of the account is read once, with the same call.
  await read('getStarred2')
  for (const [total, given, questions] of [
    [1000, 1000, 1], [1001, 1001, 2], [2345, 2345, 3], [5200, 5000, 5]
  ] as const) {
    demo.reset()
    let answered = 0
    // The demo's list is as long as `total`. A question gets what it asks for, a thousand songs at most.
    demo.next(diss, {
      mutate (answer: any) {
        const { song_begin: from, song_num: num } = paramOf(demo.calls(diss)[answered++])
        const songlist = Array.from({ length: Math.max(0, Math.min(num, 1000, total - from)) }, (_, at) => ({
          id: from + at + 1, mid: `s${from + at + 1}`, title: 'Demo', singer: [], interval: 100
        }))
        Object.assign(answer.data, { songlist, total_song_num: total, hasmore: from + songlist.length < total ? 1 : 0 })
      }
    }, Infinity)
    const { songCount, duration, entry } = await read('getPlaylist', { id: 'pl-7700000001' })
    t.same([
      songCount, duration, entry.length, timesAsked(demo, diss)
    ], [given, 100 * given, given, questions], `${total} songs`)
    t.equal(idsOf(entry).join(), Array.from({ length: given }, (_, at) => `so-s${at + 1}`).join())
  }
})
