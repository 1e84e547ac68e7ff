/** Playlists of more songs than one question to the upstream brings, as players of OpenSubsonic get them. */
import t from 'tap'
import { demoFor, serverFor, timesAsked } from '../support/helper.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { play } from '../support/opensubsonicHelper.ts'

const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'

/** Makes the demo's list as long as `total`. A question gets what it asks for, a thousand songs at most. */
function lengthen (demo: DemoUpstream, total: number): void {
  const answered = { questions: 0 }
  demo.next(diss, {
    mutate (answer: any) {
      const begin = demo.calls(diss)[answered.questions++]?.body as any
      const { song_begin: from, song_num: num } = begin.req_0.param
      const songlist = Array.from({ length: Math.max(0, Math.min(num, 1000, total - from)) }, (_, at) => ({
        id: from + at + 1, mid: `s${from + at + 1}`, title: 'Demo', singer: [], interval: 100
      }))
      Object.assign(answer.data, { songlist, total_song_num: total, hasmore: from + songlist.length < total ? 1 : 0 })
    }
  }, Infinity)
}

t.test('a playlist of more than a thousand songs is whole and in order, up to five thousand', async (t) => {
  for (const [total, given, questions] of [[1000, 1000, 1], [1001, 1001, 2], [2345, 2345, 3], [5200, 5000, 5]] as const) {
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { subsonicPassword: 'p' } as Parameters<typeof serverFor>[2])
    lengthen(demo, total)
    const { status, body } = await play(server, 'getPlaylist', { u: 'me', p: 'p', id: 'pl-7700000001' })
    t.equal(status, 'ok')
    const { songCount, duration, entry } = body.playlist
    t.same([songCount, duration, entry.length], [given, 100 * given, given], `${total} songs`)
    t.same(entry.map(({ id }: { id: string }) => id), Array.from({ length: given }, (_, at) => `so-s${at + 1}`))
    t.equal(timesAsked(demo, diss), questions, `${total} songs`)
  }
})
