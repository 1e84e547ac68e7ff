/** The phase of players: OpenSubsonic beside a server of local files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { startRelay } from './children.ts'
import type { Server } from './children.ts'
import type { Contestant } from './compare.ts'
import { rowsOf, standing, wide } from './ground.ts'
import type { Phase } from './ground.ts'
import { hasSupysonic, startSupysonic } from './supysonic.ts'
import type { TaggedSong } from './supysonic.ts'

/** Proof of who asks, for both servers. */
const who = 'u=demo&p=demo&c=bench&v=1.16.1&f=json'

export const players: Phase = {
  name: 'players',
  about: 'OpenSubsonic from memory, beside supysonic with the same songs: a list of albums, and a search without words',
  run: async (bench) => {
    if (!hasSupysonic()) return { columns: ['supysonic or python3-waitress is not installed'], rows: [] }
    const folder = mkdtempSync(join(tmpdir(), 'bench-players-'))
    const member = demoAccounts().find(({ name }) => name === 'member')
    writeFileSync(join(folder, 'user-info.json'), JSON.stringify({ loginUin: member?.uin, cookie: member?.cookie }), { mode: 0o600 })
    try {
      return await standing((origin) => [startRelay(origin, { ...wide, SUBSONIC_PASSWORD: 'demo', CONFIG_DIR: folder, RENEW_LOGINS: 'false' })], async ([ours]) => {
        const all = await (await fetch(`http://127.0.0.1:${ours?.port}/rest/search3?${who}&songCount=500`)).json() as { 'subsonic-response': { searchResult3: { song: TaggedSong[] } } }
        const theirs = await startSupysonic(all['subsonic-response'].searchResult3.song)
        const contestants = (path: string): Contestant[] => [{ name: `relay ${path.split('?')[0]}`, server: ours as Server, paths: [path] }, { name: `supysonic ${path.split('?')[0]}`, server: theirs, paths: [path] }]
        try {
          return await rowsOf(bench, ...[`/rest/getAlbumList2?type=alphabeticalByName&size=50&${who}`, `/rest/search3?query=${encodeURIComponent('')}&songCount=50&${who}`].map((path) =>
            ({ anchor: `supysonic ${path.split('?')[0]}`, connections: 10, contestants: contestants(path) })))
        } finally {
          await theirs.end()
        }
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
