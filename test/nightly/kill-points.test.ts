/** A kill at each step of a renewal: the first hundreds of file system calls, and the moments around the answer. */
import t from 'tap'
import { killAt, type KillPoint } from '../support/killPoints.ts'

/** `KILL_POINTS=500` is the long run. */
const count = Number(process.env['KILL_POINTS'] ?? 25)
const named: readonly KillPoint[] = ['unanswered', 'cut', 'answered', 'rename']
/** Every fifth kill is at a named point. */
const points = Array.from(
  { length: count }, (_, round) => round % 5 === 4 ? named[(round - 4) / 5 % named.length] as KillPoint : 4 + round
)

t.test(`a kill at any of ${count} points of renewals leaves a key that works, unless its answer never arrived`, async (t) => {
  const lost = await killAt(t, points)
  t.comment(`${lost} of ${count} answers were lost; the keys of all other rounds worked`)
  t.ok(lost < count)
})
