/** supysonic, a server of local files from Debian: started with the songs that the relay has in its library. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startProgram } from './children.ts'
import type { Server } from './children.ts'

/** A song, as far as a file says it. */
export interface TaggedSong { readonly title: string, readonly album?: string, readonly artist: string, readonly year?: number, readonly path: string }

const run = (folder: string, args: readonly string[]): boolean => spawnSync('supysonic-cli', args, { cwd: folder, stdio: 'ignore' }).status === 0

/** Whether the server and what it needs are there. */
export const hasSupysonic = (): boolean => spawnSync('sh', ['-c', 'command -v supysonic-server && /usr/bin/python3 -c "import waitress"'], { stdio: 'ignore' }).status === 0

/** Starts it with these songs, for the user demo with the password demo. */
export async function startSupysonic (songs: readonly TaggedSong[]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-supysonic-'))
  const music = join(folder, 'music')
  for (const song of songs) {
    const file = join(music, song.path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, fileOf(song))
  }
  writeFileSync(join(folder, 'supysonic.conf'), `[base]\ndatabase_uri = sqlite:///${join(folder, 'supysonic.db')}\n[webapp]\ncache_dir = ${join(folder, 'cache')}\nmount_webui = off\n[daemon]\nrun_watcher = off\n`)
  const done = run(folder, ['user', 'add', '-p', 'demo', 'demo']) && run(folder, ['folder', 'add', 'music', music]) && run(folder, ['folder', 'scan', '-f', 'music'])
  if (!done) throw new Error('supysonic could not be filled')
  const { end, ...rest } = await startProgram((port) => ['supysonic-server', '-S', 'waitress', '-h', '127.0.0.1', '-p', String(port)], '/rest/ping', folder)
  return { ...rest, async end () { await end(); rmSync(folder, { recursive: true, force: true }) } }
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
  const frames = Buffer.concat([text('TIT2', title), text('TALB', album), text('TPE1', artist), text('TPE2', artist), ...year === undefined ? [] : [text('TYER', String(year))]])
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...[21, 14, 7, 0].map((bits) => (frames.length >> bits) & 0x7f)])
  const silence = Buffer.alloc(417)
  silence.set([0xff, 0xfb, 0x90, 0x64])
  return Buffer.concat([head, frames, ...Array.from({ length: 10 }, () => silence)])
}
