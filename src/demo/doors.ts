import { classicDoor } from './classic.ts'
import { notFound } from './door.ts'
import type { Asked, Door, Entered } from './door.ts'
import { loginDoors } from './loginDoors.ts'
import { musicuDoor } from './musicu.ts'
import { shareDoor } from './shareDoor.ts'
import { siteDoor } from './siteDoor.ts'

/** One request handler per upstream host. Several hosts answer the same calls. */
const doors: Record<string, Door> = {
  'y.qq.com': siteDoor,
  'u.y.qq.com': musicuDoor,
  'szu.y.qq.com': musicuDoor,
  'shu.y.qq.com': musicuDoor,
  'i.y.qq.com': shareDoor,
  'i2.y.qq.com': shareDoor,
  'c.y.qq.com': classicDoor,
  'c6.y.qq.com': classicDoor,
  ...loginDoors
}

/** Hosts of the upstream. Any other Host gets the demo's own pages, and so does the host of the picture server. */
export const upstreamHosts = /^[\w.-]+\.qq\.com(:\d+)?$/

/** Passes a request to the handler of its host. An unknown host answers 404. */
export function enter (asked: Asked): Entered {
  const door = doors[asked.host]
  return door ? door(asked) : { calls: [asked.path], body: asked.text || undefined, answer: async () => notFound }
}
