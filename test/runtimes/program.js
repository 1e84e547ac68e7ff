/** A program of a user, the same on every runtime. What it prints is compared. UPSTREAM and RELAY are addresses. */
import process from 'node:process'
import { RelayError, createClient, createRelay } from 'music-relay'

const songmid = '00DemoSong0001'
const codeOf = async (work) =>
  await work.then(() => 'none', (error) => error instanceof RelayError ? error.code : String(error))

async function sizeOf ({ status, body }) {
  let bytes = 0
  for await (const part of body) bytes += part.length
  return [status, bytes]
}

async function tried (relay) {
  const { songinfo } = await relay.getSongInfo({ songmid })
  const { song } = await relay.getSearchByKey({ key: '纸', limit: 3 }, { signal: new AbortController().signal })
  const { img } = await relay.getMainLoginQr()
  return {
    lyric: (await relay.getLyric(
      { songmid, isFormat: 1 }, { signal: AbortSignal.timeout(60_000) }
    )).parsed.lines.length,
    song: songinfo.data.track_info.name,
    found: song.list.map(({ name }) => name),
    part: await sizeOf(
      await relay.stream({ songmid }, { range: 'bytes=0-99999', signal: AbortSignal.timeout(60_000) })
    ),
    login: img.slice(0, 22),
    invalid: await codeOf(relay.getLyric({})),
    unknown: await codeOf(relay.getSongInfo({ songmid: 'nosuchsong' })),
    aborted: await codeOf(relay.getLyric({ songmid }, { signal: AbortSignal.abort() }))
  }
}

async function main () {
  const relays =
    [createRelay({ upstreamOrigin: process.env.UPSTREAM, deadlineMs: 60_000 }), createClient(process.env.RELAY)]
  for (const relay of relays) {
    console.log(JSON.stringify(await tried(relay)))
    await relay.close()
  }
  console.log(await codeOf(createClient('http://127.0.0.1:9').getLyric({ songmid })))
}

void main()
