/** The effect of each mood on the calls, as permanent faults. */
import { notFound } from './hostHandler.ts'
import { refusedPlay } from './calls/play.ts'
import { renewalOnly, type RenewalForm } from './calls/renewals.ts'
import { refusedSearch, searchCalls, type IsFilter } from './calls/searchModules.ts'
import { moodTargets, type How, type MoodTarget, type Whole } from './moodNames.ts'
import { searchPace } from './searchPace.ts'
import type { CallContext, Fault, MusicuCall, Param } from './types.ts'

/** A fault and the name of its calls; see `DemoUpstream.next` for names. */
export type Standing = readonly [name: string, fault: Fault]

const module = 'music.search.SearchCgiService'
const desktop = `${module}/DoSearchForQQMusicDesktop`
const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'
const comments = ['Hot', 'New', 'Rec'].map((kind) => `music.globalComment.CommentRead/Get${kind}CommentList`)

const callsOf: Readonly<Record<MoodTarget, readonly string[]>> = {
  'search': ['/soso/fcgi-bin/client_search_cp'],
  'search-for': ['/soso/fcgi-bin/search_for_qq_cp'],
  'lite': [`${module}/DoSearchForQQMusicLite`],
  'signed': [`signed/${desktop}`],
  'desktop': [desktop],
  'phone': [`${module}/DoSearchForQQMusicMobile`],
  'programs': [`${module}/DoSearchForQQMusicLite`, `signed/${desktop}`, desktop, `${module}/DoSearchForQQMusicMobile`],
  'suggestions': ['/splcloud/fcgi-bin/smartbox_new.fcg'],
  'hotwords': ['/splcloud/fcgi-bin/gethotkey.fcg'],
  'hotwords-desktop': ['tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'],
  'hotwords-phone': ['music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile'],
  'play': ['vkey.GetVkeyServer/CgiGetVkey', 'music.vkey.GetVkey/UrlGetVkey'],
  'lyrics': ['/lyric/fcgi-bin/fcg_query_lyric_new.fcg'],
  'lyrics-program': ['music.musichallSong.PlayLyricInfo/GetPlayLyricInfo'],
  'playlist': [diss],
  'daily': [`${diss}?dirid=202`],
  'feed': ['music.recommend.RecommendFeed/get_recommend_feed', 'recommend.RecommendFeedServer/get_recommend_feed'],
  'song': ['music.pf_song_detail_svr/get_song_detail_yqq'],
  'chart': ['music.musicToplist.Toplist/GetDetail'],
  'album': ['music.musichallAlbum.AlbumInfoServer/GetAlbumDetail', 'music.musichallAlbum.AlbumSongList/GetAlbumSongList'],
  'singer': ['music.musichallSinger.SingerInfoInter/GetSingerDetail'],
  'comments': comments,
  'mv-play': ['music.stream.MvUrlProxy/GetMvUrls', 'gosrf.Stream.MvUrlProxy/GetMvUrls']
}

/** The site's searches: lists without rows and without an error (2022-01, 2026-06). */
function emptySite (answer: any): void {
  for (const section of Object.values<any>(answer.data)) {
    if (Array.isArray(section?.list)) { Object.assign(section, { curnum: 0, list: [], totalnum: 0 }) }
  }
  Object.assign(answer, { message: '', subcode: 0 })
  answer.data.zhida = null
}

/** The programs' searches: success without rows, whose reason is in `is_filter` (2026-05 to 2026-10). */
function filteredProgram (answer: any, is_filter: IsFilter): void {
  const { body, meta } = answer.data
  for (const [name, part] of Object.entries<any>(body)) {
    if (Array.isArray(part)) { body[name] = [] }
    else if (Array.isArray(part.list)) { part.list = [] }
  }
  Object.assign(meta, {
    is_filter,
    estimate_sum: is_filter === -2 ? 18_990 : 0,
    nextpage: -1,
    ...('sum' in meta && { sum: 0 })
  })
  delete answer.data.feedbackURL
  answer.code = 0
}

/** The same without a reason, as in answers from before 2026-05: nobody knows whether the search was refused. */
function emptyProgram (answer: any): void {
  filteredProgram(answer, 0)
  for (const name of ['is_filter', 'ret', 'safetyType', 'safetyUrl']) delete answer.data.meta[name]
}

/** Items with code 0 and no address: no permission and no refusal (2026-09). */
function emptyPlay ({ data }: any): void {
  data.sip = []
  for (const item of data.midurlinfo ?? []) {
    Object.assign(item, { result: 0, purl: '', wifiurl: '', flowurl: '', vkey: '' })
  }
}

/** A list without songs, like that of a playlist without songs. */
function emptyList ({ data }: any): void {
  if (!Array.isArray(data.songlist)) return
  Object.assign(data, { hasmore: 0, songlist: [], songlist_size: 0, total_song_num: 0 })
  if (data.dirinfo) data.dirinfo.songnum = 0
}

const emptyProgramWords = ({ data }: any): void => { data.vec_hotkey = [] }

const emptied: Readonly<Partial<Record<MoodTarget, (answer: any) => void>>> = {
  'search': emptySite,
  'search-for': emptySite,
  'lite': emptyProgram,
  'signed': emptyProgram,
  'desktop': emptyProgram,
  'phone': emptyProgram,
  'programs': emptyProgram,
  'suggestions': ({ data }) => {
    for (const section of Object.values<any>(data)) { Object.assign(section, { count: 0, itemlist: [] }) }
  },
  'hotwords': ({ data }) => { data.hotkey = [] },
  'hotwords-desktop': emptyProgramWords,
  'hotwords-phone': emptyProgramWords,
  'play': emptyPlay,
  'lyrics-program': ({ data }) => { Object.assign(data, { lyric: '', trans: '', lrc_t: 0 }) },
  'playlist': emptyList,
  'daily': emptyList
}

const page: Fault = {
  body: '<!DOCTYPE html><html><head><title>busy</title></head><body></body></html>',
  headers: { 'content-type': 'text/html; charset=utf-8' }
}

/** A refusal has no rows to remove. */
const filtered = (is_filter: IsFilter): Fault => ({
  mutate: (answer) => {
    if (answer?.data) { filteredProgram(answer, is_filter) }
  }
})

function faultOf (subject: MoodTarget, how: How): Fault {
  switch (how) {
    case '500': return { status: 500, body: '' }
    case '404': return notFound
    case 'html': return page
    case '2001': return { instead: refusedSearch }
    case 'filter2': return filtered(-2)
    case 'filter9': return filtered(-9)
    case 'filter12': return filtered(-12)
    case '104009': return { instead: refusedPlay }
    case 'empty': {
      const empty = emptied[subject]
      if (empty === undefined) throw new RangeError(`nobody knows an empty answer of ${subject}`)
      // A refusal has no rows to remove.
      return { mutate: (answer) => { if (answer?.data) empty(answer) } }
    }
  }
}

const faultsOf = (subject: MoodTarget, how: How): Standing[] =>
  callsOf[subject].map((name) => [name, faultOf(subject, how)])

/** The programs' searches, of which those that come too soon are refused. */
function paced (): Standing[] {
  const isServed = searchPace()
  return callsOf.programs.map((name) => {
    const call = name.replace('signed/', '')
    const search = searchCalls[call] as MusicuCall
    const instead = (param: Param, context: CallContext): unknown =>
      isServed(call, context, context.now) ? search(param, context) : refusedSearch(param)
    return [name, { instead }]
  })
}

/** The calls of a renewal: without a code they are not a login. */
const login = 'music.login.LoginServer/Login?code='
const siteLogin = 'QQConnectLogin.LoginServer/QQLogin?code='
const renewals = (fault: Fault): Standing[] => [[login, fault], [siteLogin, fault]]
const only = (
  form: RenewalForm
): Standing[] => [[login, { instead: renewalOnly(form, 'Login') }], [siteLogin, {
  instead: renewalOnly(form, 'QQLogin')
}]]

/** Long enough to notice, and shorter than the time limits of the relay. */
const slowMs = 2000

/** Returns the faults of the moods of the whole upstream. A mood without faults changes keys. */
const wholeFaults = (): Readonly<Record<Whole, Standing[]>> => ({
  'slow': [['*', { delayMs: slowMs }]],
  'down': [['*', { status: 500, body: '' }]],
  'key-expired': [],
  'key-rotated': [],
  'risk-control': [...faultsOf('programs', '2001'), ...faultsOf('play', '104009')],
  'paced-searches': paced(),
  'renewal-refused': renewals({ code: 104401, data: {} }),
  'renewal-mistyped': renewals({ code: 10006 }),
  'renewal-busy': renewals({ code: 104604, data: {} }),
  'renewal-500': renewals({ status: 500, body: '' }),
  'renewal-lost': renewals({ lost: true }),
  'renewal-forgiving': [],
  'renewal-web-only': only('web'),
  'renewal-phone-only': only('phone'),
  'renewal-site-only': only('site')
})

/** Returns the faults of every mood, by its name. */
export function moodFaults (): Map<string, Standing[]> {
  const parts = Object.entries(moodTargets).flatMap(([subject, { hows }]) =>
    hows.map((how: How) => [`${subject}-${how}`, faultsOf(subject as MoodTarget, how)] as const)
  )
  return new Map([...parts, ...Object.entries(wholeFaults())])
}
