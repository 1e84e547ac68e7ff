/** How recorded players are written down. */
import type { Manner, Parameters } from '../support/opensubsonicPlayer.ts'

/**
 * One request of a player. `at`: what its user does. `with`: its own parameters; `{word}` stands for what an earlier
 * answer said. `common`: what differs from the player's usual ones. `reads`: paths of what the player reads, without
 * which it shows nothing or breaks; at each step of a path everything must have it. `keeps`: words for later, and paths
 * of their first value. `fails`: code of the failure, which the player shows or swallows, and goes on.
 * `leads`: the answer is or leads to bytes of this kind; `elsewhere`: to another site, which nobody asks here.
 */
export interface Step {
  readonly at: string
  readonly ask: string
  readonly with?: Parameters
  readonly manner?: Manner
  readonly common?: Parameters
  readonly reads?: readonly string[]
  readonly keeps?: Readonly<Record<string, string>>
  readonly fails?: number
  readonly leads?: 'audio' | 'image' | 'elsewhere'
}

/** How a player proves who asks: a token with a salt, the password, its digits, or a key. */
export type Proof = 'token' | 'plain' | 'hidden' | 'key'

/**
 * A player. `source`: where its requests were read, as repositories and files, or threads with recorded requests.
 * `common`: parameters of all its requests, besides the proof.
 */
export interface Client {
  readonly name: string
  readonly source: readonly string[]
  readonly manner: Manner
  readonly common: Parameters
  readonly proofs: readonly Proof[]
  readonly steps: readonly Step[]
}

/** A way to send some requests of a player that is not its usual one. */
type Otherwise = Pick<Step, 'manner' | 'common'>

/**
 * Reads recorded requests. A line begins with what the user does, or goes on with it; `; ` ends a request. After its
 * method and query come the paths that the player reads, `path(a,b)` for some below one; `word=path` keeps a value,
 * `!50` is the code of a failure, `>audio` what the answer leads to, and `[word]` before the method one of `ways`.
 */
export function recorded (text: string, ways: Readonly<Record<string, Otherwise>> = {}): readonly Step[] {
  let at = ''
  return text.trim().split('\n').flatMap((line) => {
    const [, heading, requests = ''] = /^ *(?:([a-z ]+): )?(.*)$/.exec(line) ?? []
    at = heading ?? at
    return requests.split(/; ?/).filter((request) => request !== '').map((request): Step => {
      const [asked = '', ...words] = request.split(' ')
      const [, way = '', ask = '', query = ''] = /^(?:\[(\w+)\])?(\w+)\??(.*)$/.exec(asked) ?? []
      const given = new URLSearchParams(query)
      const own = Object.fromEntries([...given.keys()]
        .map((key) => [key, given.getAll(key).length > 1 ? given.getAll(key) : given.get(key) as string]))
      const reads = words.filter((word) => /^\w[^=]*$/.test(word)).flatMap((word) => {
        const [, path = '', fields] = /^([\w.]+)(?:\((.*)\))?$/.exec(word) ?? []
        return fields === undefined ? [path] : fields.split(',').map((field) => `${path}.${field}`)
      })
      const keeps = Object.fromEntries(words.filter((word) => word.includes('='))
        .map((word) => word.split('=') as [string, string]))
      const [fails] = words.filter((word) => word.startsWith('!')).map((word) => Number(word.slice(1)))
      const [leads] = words.filter((word) => word.startsWith('>')).map((word) => word.slice(1) as 'audio')
      return {
        at, ask, ...Object.keys(own).length > 0 ? { with: own } : {}, ...ways[way], reads, keeps,
        ...fails === undefined ? {} : { fails }, ...leads === undefined ? {} : { leads }
      }
    })
  })
}
