// Writes a page of a static site: the songs of a playlist with covers, players and lyrics. node blog.mjs 7700000001 > public/music.html
import { createClient } from 'music-relay/client'

const relayUrl = process.env.RELAY ?? 'http://localhost:3200'
const relay = createClient(relayUrl)
const [disstid = ''] = process.argv.slice(2)

/** Names and lyrics are written by strangers. */
const text = (value) => String(value).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

async function articleOf ({ songmid, songname, singer, albummid }) {
  // A song without a lyric is no reason for a page without the song.
  const { parsed } = await relay.getLyric({ songmid, isFormat: 1 }).catch(() => ({ parsed: { lines: [] } }))
  const { url, hint } = playUrl[songmid]
  const lines = parsed.lines.slice(0, 4).map((line) => text(line.text)).join('<br>')
  return `<article>
  <img src="${relayUrl}/cover/${encodeURIComponent(albummid)}?size=300x300" width="150" height="150" alt="" loading="lazy">
  <h2>${text(songname)}</h2>
  <p>${text(singer)}</p>
  ${url === '' ? `<p>${text(hint)}</p>` : `<audio controls preload="none" src="${relayUrl}/stream/${encodeURIComponent(songmid)}"></audio>`}
  <blockquote>${lines}</blockquote>
</article>`
}

const playlist = await relay.getSongListDetail({ disstid, limit: 10 })
// A deleted song has only its number.
const songs = playlist.songlist.filter(({ songmid }) => songmid !== '')
// Addresses end after hours, so the page has those of the relay. This only says which songs play at all.
const { playUrl } = await relay.getMusicPlay({ songmid: songs.map(({ songmid }) => songmid).join(',') })
const articles = await Promise.all(songs.map(articleOf))
console.log(`<!doctype html>
<html lang="zh">
<meta charset="utf-8">
<title>${text(playlist.dissname)}</title>
<h1>${text(playlist.dissname)}</h1>
<p>${text(playlist.desc)}</p>
${articles.join('\n')}
</html>`)
await relay.close()
