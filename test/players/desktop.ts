/**
 * Players with windows, unmodified: each on a screen without a monitor, in a home folder of its own, with a sound card
 * that is a file. Neither the settings nor the running players of a developer are touched.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, readdirSync, rmSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { programOf } from '../support/instances.ts'

/** Why tests with this player are skipped; false if they run. */
export function without (player: string): string | false {
  const missing = [player, 'Xvfb', 'xdotool', 'sqlite3'].filter((program) => programOf(program) === undefined)
  if (!libraries().some((folder) => existsSync(join(folder, 'gstreamer-1.0/libgstalsa.so')))) missing.push('the ALSA plugin of GStreamer')
  return missing.length === 0 ? false : `not installed: ${missing.join(', ')}`
}

const libraries = (): string[] => existsSync('/usr/lib') ? [
  '/usr/lib', '/usr/lib64', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name))
] : []

/** Returns the version that a player says it has. */
export const versionOf = (player: string): string => spawnSync(
  player, ['--version'], { env: { ...process.env, QT_QPA_PLATFORM: 'offscreen' } }
).stdout.toString().trim().replace(/^\D+/, '')

/**
 * Seconds of a song that must be heard. No song of the demo has less than nine times as many; not all are heard on a
 * busy machine, because the sound card takes them as fast as they come and a player leaves out what is late.
 */
export const enoughSeconds = 10

/** Longest wait, in milliseconds. Whatever is waited for takes seconds; beyond this it does not come. */
const patience = 120_000

/** Opens a screen. `files`: those of the home folder, by path. */
export async function desktopFor (t: Test, files: Readonly<Record<string, string>>) {
  // Not below the project: a socket has a path of at most 107 characters.
  const home = mkdtempSync(join(tmpdir(), 'player-'))
  const sound = join(home, 'heard.wav')
  for (const name of ['run', 'tmp']) mkdirSync(join(home, name), { mode: 0o700 })
  for (const [path, text] of Object.entries({ '.asoundrc': `pcm.!default { type file slave.pcm "null" file "${sound}" format "wav" }\nctl.!default { type null }\n`, ...files })) {
    mkdirSync(join(home, dirname(path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const memory = await ownMemory()
  const inMemory = (program: string, args: readonly string[]): [string, string[]] => memory === undefined
    ? [program, [...args]]
    : ['nsenter', ['--ipc', '--target', String(memory.pid), program, ...args]]
  const screen = spawn(...inMemory('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp']), { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const programs: ChildProcess[] = []
  let said = ''
  t.teardown(async () => {
    for (const program of [...programs, screen, ...memory === undefined ? [] : [memory]]) {
      await ended(program)
      // What a player has left behind, which is often nothing.
      if (programs.includes(program)) {
        try { process.kill(-(program.pid as number), 'SIGKILL') } catch { /* it is gone */ }
      }
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const [display] = await once(screen.stdio[3] as NodeJS.ReadableStream, 'data') as [Buffer]
  const env = {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: home,
    TMPDIR: join(home, 'tmp'), // the socket by which a player finds one that runs already
    XDG_RUNTIME_DIR: join(home, 'run'),
    DISPLAY: `:${display.toString().trim()}`,
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    // Qt 5 asks which networks the machine has, and on some it then sends nothing at all, not even to the machine
    // itself.
    QT_EXCLUDE_GENERIC_BEARER: '1'
  }
  return {
    home,
    /** Starts a program on this screen, which ends with the test. */
    start (program: string, args: readonly string[] = []): void {
      // A group of its own: what a player forks ends with it, and does not hold its output open.
      const child = spawn(...inMemory(program, args), { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
      programs.unshift(child)
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8')
        .on('data', (text: string) => { said += text })
    },
    /** Uses mouse and keyboard, as xdotool says it. */
    hands (...args: readonly string[]): void { spawnSync('xdotool', args, { env }) },
    /** Resolves once `happened` returns true. Throws, with the last words of the program, if it does not for long. `again`: done first, and every few seconds. */
    async wait (what: string, happened: () => boolean, again?: () => void): Promise<void> {
      for (let waited = 0; !happened(); waited += 100) {
        if (waited > patience) throw new Error(`${what}: it did not happen. ${said.slice(-2000)}`)
        if (waited % 5000 === 0) again?.()
        await sleep(100)
      }
    },
    /** Rows of a database below the home folder. */
    rows (database: string, query: string): Record<string, string>[] {
      const { stdout } = spawnSync('sqlite3', ['-readonly', '-json', join(home, database), query])
      return stdout.length === 0 ? [] : JSON.parse(stdout.toString()) as Record<string, string>[]
    },
    /** Seconds of sound that the file has which is the sound card, and its loudest sample (0 to 1). */
    heard: () => existsSync(sound) ? soundOf(readFileSync(sound)) : { seconds: 0, loudest: 0 },
    /** Output of the programs so far. */
    said: () => said
  }
}

/**
 * Starts a process whose System V memory is not that of the machine, where the rights allow that: players write there
 * that they run, and one that was ended leaves it for the next one, which then believes it.
 */
async function ownMemory (): Promise<ChildProcess | undefined> {
  if (spawnSync('unshare', ['--ipc', 'true']).status !== 0) return undefined
  const child = spawn('unshare', ['--ipc', 'sleep', 'infinity'], { stdio: 'ignore' })
  while (readlinkSync(`/proc/${child.pid}/ns/ipc`) === readlinkSync('/proc/self/ns/ipc')) await sleep(10)
  return child
}

async function ended (program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const gone = once(program, 'exit')
  program.kill()
  const stubborn = setTimeout(() => { program.kill('SIGKILL') }, 5000)
  await gone
  clearTimeout(stubborn)
}

/** Reads a file of 16 or 32 bit samples, whose header may still lack the length. */
function soundOf (file: Buffer): { seconds: number, loudest: number } {
  if (file.length <= 44) return { seconds: 0, loudest: 0 }
  const bytes = file.readUInt16LE(34) / 8
  let loudest = 0
  for (let at = 44; at + bytes <= file.length; at += bytes * 97) loudest =
    Math.max(loudest, Math.abs(file.readIntLE(at, bytes)) / 2 ** (bytes * 8 - 1))
  return { seconds: (file.length - 44) / file.readUInt32LE(28), loudest }
}
