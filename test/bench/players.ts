/** The phase of players: OpenSubsonic beside supysonic, a server of local files from Debian, with the songs that the relay has in its library. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { startProgram, startRelay, type Server } from './children.ts'
import { compare, joined, standing, wide, type Phase, type Table } from './ground.ts'

/** Proof of who asks, for both servers. */
const who = 'u=demo&p=demo&c=bench&v=1.16.1&f=json'

/** A song, as far as a file says it. */
interface TaggedSong {
  readonly title: string
  readonly album?: string
  readonly artist: string
  readonly year?: number
  readonly path: string
}

/** Whether the server and what it needs are there. */
const hasSupysonic = (): boolean => spawnSync('sh', ['-c', 'command -v supysonic-server && /usr/bin/python3 -c "import waitress"'], { stdio: 'ignore' }).status === 0

/** Starts it with these songs, for the user demo with the password demo. */
async function startSupysonic (folder: string, songs: readonly TaggedSong[]): Promise<Server> {
  const music = join(folder, 'music')
  for (const song of songs) {
    const file = join(music, song.path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, fileOf(song))
  }
  writeFileSync(join(folder, 'supysonic.conf'), `[base]\ndatabase_uri = sqlite:///${join(folder, 'supysonic.db')}\n[webapp]\ncache_dir = ${join(folder, 'cache')}\nmount_webui = off\n[daemon]\nrun_watcher = off\n`)
  for (const args of [['user', 'add', '-p', 'demo', 'demo'], ['folder', 'add', 'music', music], ['folder', 'scan', '-f', 'music']]) {
    if (spawnSync('supysonic-cli', args, { cwd: folder, stdio: 'ignore' }).status !== 0) {
      throw new Error('supysonic could not be filled')
    }
  }
  return await startProgram((port) => ['supysonic-server', '-S', 'waitress', '-h', '127.0.0.1', '-p', String(port)], '/rest/ping', { folder })
}

/** A tag of version 2.3 with texts in UTF-16, then a tenth of a second of MP3 frames without sound. */
function fileOf ({ title, album = '', artist, year }: TaggedSong): Buffer {
  const text = (id: string, value: string): Buffer => {
    const body = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(value, 'utf16le')])
    const head = Buffer.alloc(10)
    head.write(id, 'latin1')
    head.writeUInt32BE(body.length, 4)
    return Buffer.concat([head, body])
  }
  const frames = Buffer.concat([
    text('TIT2', title), text('TALB', album), text('TPE1', artist), text('TPE2', artist),
    ...year === undefined ? [] : [text('TYER', String(year))]
  ])
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...[21, 14, 7, 0].map((bits) => (frames.length >> bits) & 0x7f)])
  const silence = Buffer.alloc(417)
  silence.set([0xff, 0xfb, 0x90, 0x64])
  return Buffer.concat([head, frames, ...Array.from({ length: 10 }, () => silence)])
}

export const players: Phase = {
  name: 'players',
  about: 'OpenSubsonic from memory, beside supysonic with the same songs: a list of albums, and a search without words',
  run: async (bench) => {
    if (!hasSupysonic()) return { columns: ['supysonic or python3-waitress is not installed'], rows: [] }
    const folder = mkdtempSync(join(tmpdir(), 'bench-players-'))
    const member = demoAccounts().find(({ name }) => name === 'member')
    writeFileSync(
      join(folder, 'user-info.json'), JSON.stringify({ loginUin: member?.uin, cookie: member?.cookie }), { mode: 0o600 }
    )
    let theirs: Server | undefined
    try {
      return await standing((origin) => [
        startRelay(origin, { ...wide, SUBSONIC_PASSWORD: 'demo', CONFIG_DIR: folder, RENEW_LOGINS: 'false' })
      ], async ([relay]) => {
        const ours = relay as Server
        const all = await (await fetch(`http://127.0.0.1:${ours.port}/rest/search3?${who}&songCount=500`))
          .json() as { 'subsonic-response': { searchResult3: { song: TaggedSong[] } } }
        const other = theirs = await startSupysonic(folder, all['subsonic-response'].searchResult3.song)
        const tables: Table[] = []
        for (const [path, query] of [['/rest/getAlbumList2', 'type=alphabeticalByName&size=50'], ['/rest/search3', `query=${encodeURIComponent('')}&songCount=50`]]) {
          const full = `${path}?${query}&${who}`
          tables.push(await compare(
            bench, 10, `supysonic ${path}`, [[`relay ${path}`, ours, full], [`supysonic ${path}`, other, full]]
          ))
        }
        return joined(...tables)
      })
    } finally {
      await theirs?.end()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
