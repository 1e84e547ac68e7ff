import { classicDoor } from './classic.ts'
import { notFound } from './door.ts'
import type { Asked, Door, Entered } from './door.ts'
import { loginDoors } from './loginDoors.ts'
import { musicuDoor } from './musicu.ts'

/** One door per upstream host. The real one answers classic paths on both c and c6. */
const doors: Record<string, Door> = {
  'u.y.qq.com': musicuDoor,
  'c.y.qq.com': classicDoor,
  'c6.y.qq.com': classicDoor,
  ...loginDoors
}

/** Any other Host gets the demo's own pages; the picture server's host does, too. */
export const upstreamHosts = /^[\w.-]+\.qq\.com(:\d+)?$/

export function enter (asked: Asked): Entered {
  const door = doors[asked.host]
  return door ? door(asked) : { calls: [asked.path], body: asked.text || undefined, answer: async () => notFound }
}
