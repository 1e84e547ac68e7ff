/** A song plays whatever a player wishes for, and its record describes the file that is sent. */
import { request } from 'undici'
import t from 'tap'
import { melodyOf } from '../../src/demo/media/melody.ts'
import { fileKinds } from '../../src/demo/media/files.ts'
import { byWish, lowerQualities } from '../../src/endpoints/shared/songFiles.ts'
import type { SongFacts } from '../../src/relay/songFacts.ts'
import { song } from '../support/helper.ts'
import { playerFor, type Parameters, type Player } from '../support/opensubsonicPlayer.ts'
import { whole } from '../support/whole.ts'

/** What a player gets: the kind of the file by its name, its type, and its size if it is a file of the demo. */
async function sent (
  { ask }: Pick<Player, 'ask'>, id: string, wish: Parameters = {}
): Promise<{ http: number, file: string, type: string, size: number, rate: number }> {
  const { http, headers } = await ask('stream', { id, ...wish })
  const location = headers.get('location')
  if (location === null) return { http, file: '', type: '', size: 0, rate: 0 }
  const [, name = '', file = ''] = /\/audio\/(?:backup\/)?((\w{4})[^?]*)/.exec(location) ?? []
  sizes.set(name, sizes.get(name) ?? request(location, { method: 'HEAD' }).then(async ({ headers: own, body }) => {
    await body.dump()
    return Number(own['content-length'])
  }))
  return {
    http, file, type: headers.get('content-type') ?? '', size: await sizes.get(name) ?? 0, rate: rates[file] ?? Infinity
  }
}

/** Sizes of files by name: the same for all accounts. */
const sizes = new Map<string, Promise<number>>()

const rates: Readonly<Record<string, number>> =
  { M500: 128, M800: 320, C100: 24, C200: 48, C400: 96, C600: 192, O400: 96, O600: 192, O800: 320, O801: 640 }
const numbers = Array.from({ length: whole ? 400 : 14 }, (_, at) => at + 1).concat(68)
const wishes: readonly Parameters[] = [1, 30, 64, 96, 127, 128, 191, 192, 256, 319, 320, 321, 500, 1000]
  .flatMap((maxBitRate) => ['mp3', 'aac', 'ogg', 'flac', 'raw', 'opus'].map((format) => ({ maxBitRate, format })))

for (const account of ['member', 'ordinary', 'nobody'] as const) {
  t.test(`every song that plays without a wish plays with any, within the bit rate, and as its record says (${account})`, { timeout: whole ? 3_600_000 : 120_000 }, async (t) => {
    const player = await playerFor(t, { account })
    let played = 0
    for (const [at, number] of numbers.entries()) {
      const id = `so-${song(number)}`
      const usual = await sent(player, id)
      if (usual.http !== 302 || usual.file === 'RS02') continue
      played++
      const { song: { size, suffix, contentType, bitRate, duration } } = (await player.ask('getSong', { id })).body
      t.same({ type: usual.type, size: usual.size }, { type: contentType, size }, `${id} ${suffix}`)
      t.ok(Math.abs(bitRate - usual.size * 8 / duration / 1000) <= 1, `${id} ${bitRate}`)
      t.match(await sent(player, id, { format: 'raw', maxBitRate: 0 }), usual)
      for (const wish of wishes.filter((_, place) => whole || (place + at) % 11 === 0)) {
        const got = await sent(player, id, wish)
        t.equal(got.http, 302, `${id} ${JSON.stringify(wish)}`)
        const most = Number(wish['maxBitRate'])
        if (most >= 48) t.ok(
          (Number.isFinite(got.rate) ? got.rate : got.size * 8 / duration / 1000) <= most,
          `${id} ${JSON.stringify(wish)} ${got.file}`
        )
      }
      for (const [format, type] of [['mp3', 'audio/mpeg'], ['aac', 'audio/mp4'], ['ogg', 'audio/ogg']]) {
        t.equal((await sent(player, id, { format })).type, type, `${id} ${format}`)
      }
    }
    t.ok(played > 2, `${played} songs`)
  })
}

t.test('a wish puts files in order and leaves none out', async (t) => {
  const all = ['master', 'hires', 'flac', 'ape', 'ogg640', '320', 'ogg320', 'aac192', 'ogg192', '128', 'm4a', 'ogg96', 'aac48', 'aac24', 'trial'] as const
  const track = { seconds: 200, sizes: new Map([
    ['flac', 22_000_000], ['hires', 45_000_000], ['master', 130_000_000], ['ape', 21_000_000]
  ]) } as unknown as SongFacts
  const files = all.map((quality) => ({ quality }))
  const first = (most?: number, extension?: string): string[] =>
    byWish(files, { most, extension }, track).slice(0, 3).map(({ quality }) => quality)
  for (const extension of [undefined, 'mp3', 'm4a', 'ogg', 'flac']) {
    for (let most = 1; most <= 1000; most += 37) {
      const ordered = byWish(files, { most, extension }, track)
      t.same([ordered.length, new Set(ordered).size, ordered.at(-1)?.quality], [files.length, files.length, 'trial'])
    }
  }
  t.same([first(), first(320), first(321), first(200), first(1), first(1000)], [
    ['flac', '320', '128'], ['320', 'aac192', '128'], ['320', 'aac192', '128'], ['aac192', '128', 'm4a'],
    ['aac24', 'aac48', 'm4a'], ['flac', '320', 'aac192']
  ])
  t.same([
    first(undefined, 'mp3'), first(undefined, 'm4a')[0], first(undefined, 'ogg')[0], first(160, 'ogg')[0],
    first(192, 'ogg')[0], first(320, 'ogg')[0]
  ], [['320', '128', 'flac'], 'aac192', 'ogg640', 'ogg96', 'ogg192', 'ogg320'])
  t.same(first(10_000), ['master', 'hires', 'flac'], 'a large file for a player that wishes for one')
  const unknown = (most: number): string | undefined => byWish(files, { most }, undefined)[0]?.quality
  const has = { sizes: new Map([['flac', 3], ['320', 2], ['128', 1], ['m4a', 1]]) } as unknown as SongFacts
  t.same([lowerQualities(has, 'flac'), lowerQualities(has, '128'), lowerQualities(has, 'm4a')],
    [['320', '128'], ['m4a'], []], 'what replaces a missing file is lower, and two are enough')
  t.same([unknown(1400), unknown(1500)], ['320', 'master'], 'a lossless file of unknown length is like a compact disc')
})

t.test('files of the demo are real: frames of MP3 one after the other, and parts like the whole', async (t) => {
  for (const { prefix, kbit } of fileKinds.filter((each) => each.kbit !== undefined)) {
    const kind = fileKinds.find((each) => each.prefix === prefix) as typeof fileKinds[number]
    const sound = melodyOf('00DemoSong0001', kind, 12)
    const bytes = Buffer.concat([...sound.read(0, sound.length)])
    const length = Number(kbit) * 3
    t.equal(bytes.length % length, 0)
    for (let at = 0; at < bytes.length; at += length) {
      if (bytes.readUInt16BE(at) !== 0xfffb) t.fail(`${prefix} at ${at}`)
    }
  }
  for (const kind of fileKinds) {
    const sound = melodyOf('00DemoSong0002', kind, 7)
    const bytes = Buffer.concat([...sound.read(0, sound.length)])
    t.equal(bytes.length, sound.length, kind.prefix)
    for (const [from, to] of [[0, 50], [41, 43], [1000, 20_001], [sound.length - 10, sound.length]] as const) {
      t.ok(Buffer.concat([...sound.read(from, to)]).equals(bytes.subarray(from, to)), `${kind.prefix} ${from}`)
    }
  }
})
