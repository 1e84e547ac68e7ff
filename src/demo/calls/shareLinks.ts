import { notFound } from '../hostHandler.ts'
import type { HttpFault } from '../faults.ts'
import type { CallContext, ClassicTable, Query } from '../types.ts'

const redirect = (location: string): HttpFault => ({
  status: 302,
  headers: { 'content-type': 'text/html', location },
  body: ''
})

/**
 * Returns the page of a token. The demo's tokens are a letter and the item's MID or number; those of the upstream are
 * opaque. A song leads to the phone page of 2026-09, a playlist and an album to those of 2026-08, `u` to the profile of
 * a user. `h` and the MID of a song is a page, as in 2018.
 */
function pageOf (token: string, { catalogue }: CallContext): string | undefined {
  const kind = token[0]
  const id = token.slice(1)
  if (kind === 's' && catalogue.songByMid.has(id)) return `https://i.y.qq.com/v8/playsong.html?ADTAG=cbshare&_wv=1&songmid=${id}&type=0#webchat_redirect`
  if (kind === 'n' && catalogue.songById.has(Number(id))) return `https://i.y.qq.com/v8/playsong.html?songid=${id}&songtype=0`
  if (kind === 'a' && catalogue.albumByMid.has(id)) return `https://i.y.qq.com/n2/m/share/details/album.html?albummid=${id}&ADTAG=cbshare`
  if (kind === 'p' && catalogue.playlistById.has(id)) {
    return `https://i2.y.qq.com/n3/other/pages/details/playlist.html?platform=11&appshare=android_qq&appversion=20040503&hosteuin=demoListener00**&id=${id}&ADTAG=qfshare`
  }
  if (kind === 'g' && catalogue.singerByMid.has(id)) return `https://i2.y.qq.com/n3/other/pages/details/singer.html?singermid=${id}`
  return kind === 'u' ? 'https://i2.y.qq.com/n2/m/share/profile_v2/index.html?userid=demoListener00**' : undefined
}

/** The page of 2018: two clients searched it for `mid&#61;` and `&#38;no_redirect`. The rest of it is assumed. */
const oldPage = (mid: string): HttpFault => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html><head><title>QQ音乐</title></head><body><a href="//y.qq.com/n/yqq/singer/00DemoSing0002.html">…</a><script>var url = "https://i.y.qq.com/v8/playsong.html?ADTAG&#61;cbshare&#38;songmid&#61;${mid}&#38;no_redirect&#61;1"</script></body></html>`
})

function shortLink (query: Query, context: CallContext): HttpFault {
  const [, mid = ''] = /^h(\w+)$/.exec(query['__'] ?? '') ?? []
  if (context.catalogue.songByMid.has(mid)) return oldPage(mid)
  const page = pageOf(query['__'] ?? '', context)
  return page === undefined ? notFound : redirect(page)
}

export const shareLinkPaths: ClassicTable = {
  '/base/fcgi-bin/u': { answer: shortLink, page: true }
}
