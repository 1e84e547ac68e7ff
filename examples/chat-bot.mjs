// Slash commands of a chat (Slack, Mattermost, Rocket.Chat): /song first light · /lyric first light · /chart 62
import { createServer } from 'node:http'
import { createClient, RelayError } from 'music-relay/client'

const relayUrl = process.env.RELAY ?? 'http://localhost:3200'
const relay = createClient(relayUrl, { accessToken: process.env.ACCESS_TOKEN ?? '' })

const line = ({ name, singer, mid }) => `${singer.map((one) => one.name).join(', ')} – ${name} · ${relayUrl}/stream/${mid}`

async function found (key) {
  const { songs } = await relay.search({ type: 'song', key, limit: 3 })
  return songs
}

const commands = {
  async '/song' (words) {
    const songs = await found(words)
    return songs.length === 0 ? 'Nothing found.' : songs.map(line).join('\n')
  },
  async '/lyric' (words) {
    const [song] = await found(words)
    if (song === undefined) return 'Nothing found.'
    const { parsed } = await relay.getLyric({ songmid: song.mid, isFormat: 1 })
    return [line(song), ...parsed.lines.slice(0, 8).map(({ text }) => text)].join('\n')
  },
  async '/chart' (id) {
    const { topList, songInfoList } = await relay.getRanks({ topId: Number(id), limit: 5 })
    return [topList.name, ...songInfoList.map(({ rank, songName, singerName }) => `${rank}. ${singerName} – ${songName}`)].join('\n')
  }
}

async function answerTo (form) {
  const command = commands[form.get('command')]
  if (command === undefined) return `I know ${Object.keys(commands).join(', ')}.`
  try {
    return await command(form.get('text') ?? '')
  } catch (error) {
    // The sentence of the relay is for people; other errors are bugs of this bot.
    if (error instanceof RelayError) return error.message
    throw error
  }
}

const server = createServer(async (request, response) => {
  let body = ''
  try {
    for await (const part of request) if ((body += part).length > 10_000) return response.writeHead(413).end()
  } catch {
    return // the sender is gone
  }
  const text = await answerTo(new URLSearchParams(body))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ response_type: 'in_channel', text }))
})
server.listen(Number(process.env.PORT ?? 8065), '127.0.0.1', () => console.log(`listening http://127.0.0.1:${server.address().port}`))
