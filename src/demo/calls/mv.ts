import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Mv, MvFiles } from '../catalogue/types.ts'
import { filmLength, mvFileName, type FilmKind } from '../media/film.ts'
import { issueVkey } from '../media/vkey.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf } from './params.ts'

const areas: ReadonlyArray<readonly [number, string]> = [[15, '全部'], [16, '内地'], [17, '港台'], [18, '欧美'], [
  19,
  '韩国'
], [20, '日本']]
const versions: ReadonlyArray<readonly [number, string]> = [
  [7, '全部'],
  [8, 'MV'],
  [9, '现场'],
  [10, '翻唱'],
  [11, '舞蹈'],
  [12, '影视'],
  [13, '综艺'],
  [14, '儿歌']
]

const named = ([id, name]: readonly [number, string]): { id: number, name: string } => ({ id, name })

/** Publication time in Unix seconds: midnight in China. */
export function publishedAt (mv: Mv): number {
  return Date.parse(`${mv.published}T00:00:00+08:00`) / 1000
}

export function mvPicture (catalogue: Catalogue, mv: Mv): string {
  return pictureUrl(catalogue, 'T015', 300, mv.vid)
}

function singersOf (catalogue: Catalogue, mv: Mv): unknown[] {
  return mv.singers.map(({ id, mid, name }) => ({ id, mid, name, picurl: pictureUrl(catalogue, 'T001', 150, mid) }))
}

export function rowOf (catalogue: Catalogue, mv: Mv): Record<string, unknown> {
  return {
    comment_cnt: 0,
    diff: 0,
    duration: mv.seconds,
    has_fav: 0,
    has_star: 0,
    mv_switch: 2047,
    mvid: mv.id,
    picurl: mvPicture(catalogue, mv),
    playcnt: mv.plays,
    pubdate: publishedAt(mv),
    score: 0,
    singers: singersOf(catalogue, mv),
    star_cnt: 0,
    subtitle: mv.subtitle,
    title: mv.title,
    uploader: { enc_uin: '', headurl: '', nick: '' },
    vid: mv.vid
  }
}

const byPlays = (a: Mv, b: Mv): number => b.plays - a.plays
const byDate = (a: Mv, b: Mv): number => b.published.localeCompare(a.published)

/**
 * `order`: 0 newest, 1 hottest. Area 15 and version 7 are "all". An unknown id has no rows. Ten rows without `size`.
 * Clients of 2026-07 write `area` and `version`, older ones `area_id` and `version_id`.
 */
function getAllocMvInfo (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    start: 'number',
    size: 'number',
    version: 'number',
    version_id: 'number',
    area: 'number',
    area_id: 'number',
    order: 'number'
  })
  if (wrong) return wrong
  const area = numberOf(param, 'area', numberOf(param, 'area_id', 15))
  const version = numberOf(param, 'version', numberOf(param, 'version_id', 7))
  const start = numberOf(param, 'start', 0)
  // A negative offset fails, as in a C program with a signed index.
  if (start < 0) return { code: 10000 }
  const found = catalogue.mvs
    .filter((mv) => (area === 15 || mv.area === area) && (version === 7 || mv.version === version))
    .sort(numberOf(param, 'order', 0) === 1 ? byPlays : byDate)
  const rows = found.slice(start, start + numberOf(param, 'size', 10))
  return {
    code: 0,
    data: { list: rows.length > 0 ? rows.map((mv) => rowOf(catalogue, mv)) : null, total: Math.min(1000, found.length) }
  }
}

interface WantedFilm { mv: Mv, kind: FilmKind, level: number, format: number }

/** 0: usable. 1000: not for this caller. 2000: no such definition. Level 0 is in every list, but has no file. */
function itemCode ({ mv, kind, level }: WantedFilm, { identity }: CallContext): number {
  const { files } = mv
  if (level === 0 || files === 'gone' || (files === 'hls' && kind === 'mp4')) return 2000
  if (files === 'all') return 0
  if (level > 40 || (kind === 'hls' && files !== 'hls' && level > 20) || (files === 'three' && level > 30)) return 2000
  if (identity.state !== 'member' && (files === 'members' || level === 40)) return 1000
  return 0
}

/** An address without a path: a placeholder, which serves no file (2026). */
const placeholder = 'http://mv6.music.tc.qq.com/'

/**
 * Returns the complete addresses of a file. `parts` has none, `bare` only a placeholder, `mixed` a placeholder before
 * them.
 */
function wholeUrls (files: MvFiles, urls: string[]): string[] {
  if (files === 'parts') return []
  if (files === 'bare') return [placeholder]
  return files === 'mixed' ? [placeholder, ...urls] : urls
}

/** The key is a part of the path. Every usable file has two mirrors. */
function itemOf (wanted: WantedFilm, context: CallContext): Record<string, unknown> {
  const { mv, kind, level, format } = wanted
  const code = itemCode(wanted, context)
  const rest = {
    m3u8: '',
    newFileType: code === 0 && level <= 40 ? 9804 + level : level,
    format,
    testCdn: 0,
    urlPath: '',
    videoType: 0,
    hlsFileFormat: ''
  }
  if (code !== 0) {
    return {
      url: [],
      freeflow_url: [],
      comm_url: [],
      cn: '',
      vkey: '',
      expire: 86400,
      code,
      filetype: level,
      ...rest,
      fileSize: 0
    }
  }
  const cn = mvFileName(mv.vid, kind, level)
  const vkey = issueVkey(context.secret, { filename: cn, guid: '', uin: '' }, context.now + 86_400_000)
  const url = [`${context.catalogue.origin}/film/`, `${context.catalogue.origin}/film/backup/`]
  const freeflow = wholeUrls(mv.files, url.map((root) => `${root}${vkey}/${cn}?fname=${cn}`))
  return {
    url,
    freeflow_url: freeflow,
    comm_url: [],
    cn,
    vkey,
    expire: 86400,
    code,
    filetype: level,
    ...rest,
    fileSize: filmLength(level)
  }
}

function urlsOf (param: Param, context: CallContext, format: number): CallAnswer {
  const levels = [0, 10, 20, 30, 40]
  const vids = param['vids'] as string[]
  const data = vids.flatMap((vid) => {
    const mv = context.catalogue.mvByVid.get(vid)
    if (!mv) return []
    const list = (kind: FilmKind): unknown[] =>
      [...levels, ...mv.files === 'all' ? [60] : []].map((level) => itemOf({ mv, kind, level, format }, context))
    return [[vid, { mp4: list('mp4'), hls: list('hls'), svp_flag: 0, duration: mv.seconds }] as const]
  })
  // An unknown vid is absent. If it was the only one, `data` is {}.
  return { code: 0, data: Object.fromEntries(data) }
}

function getMvUrls (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    vids: 'strings',
    request_type: 'number',
    guid: 'string',
    videoformat: 'number',
    format: 'number',
    dolby: 'flag',
    use_new_domain: 'flag',
    use_ipv6: 'flag'
  })
  if (wrong) return wrong
  if (
    !Array.isArray(param['vids']) || param['request_type'] === undefined
    || !/^(\d{10,}|[0-9a-f]{32})$/i.test(String(param['guid']))
  ) { return { code: 10000 } }
  return urlsOf(param, context, numberOf(param, 'format', 264))
}

/** One parameter of the older call is misspelt. */
function getOlderMvUrls (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, { vids: 'strings', request_typet: 'number' })
  if (wrong) return wrong
  return Array.isArray(param['vids']) && param['request_typet'] !== undefined ? urlsOf(param, context, 0)
    : { code: 10000 }
}

/** Only the fields named in `required`. */
function infoOf (catalogue: Catalogue, mv: Mv, required: readonly string[]): Record<string, unknown> {
  const info: Record<string, unknown> = {
    vid: mv.vid,
    type: 0,
    sid: mv.id,
    cover_pic: mvPicture(catalogue, mv),
    duration: mv.seconds,
    singers: singersOf(catalogue, mv),
    video_switch: 2047,
    msg: '',
    name: mv.title,
    desc: mv.subtitle,
    playcnt: mv.plays,
    pubdate: publishedAt(mv),
    isfav: 0,
    gmid: '',
    uploader_uin: '1000000007'
  }
  return Object.fromEntries(Object.entries(info).filter(([name]) => required.includes(name)))
}

/** Unknown vids are absent. */
function getVideoInfo (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { vidlist: 'strings', required: 'strings' })
  if (wrong) return wrong
  const required = (param['required'] ?? []) as string[]
  const found = ((param['vidlist'] ?? []) as string[]).map((vid) => catalogue.mvByVid.get(vid)).filter((mv) =>
    mv !== undefined
  )
  return { code: 0, data: Object.fromEntries(found.map((mv) => [mv.vid, infoOf(catalogue, mv, required)])) }
}

/** Other MVs of the same area, as rows with the required fields. */
function getRelated (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { vid: 'string', required: 'strings', support: 'number' })
  if (wrong) return wrong
  const mv = catalogue.mvByVid.get(String(param['vid']))
  const list = catalogue.mvs.filter((other) => mv && other !== mv && other.area === mv.area).slice(0, 10)
  return {
    code: 0,
    data: { list: list.map((other) => infoOf(catalogue, other, (param['required'] ?? []) as string[])) }
  }
}

export const mvCalls: MusicuTable = {
  'MvService.MvInfoProServer/GetAllocTag': () => ({
    code: 0,
    data: { area: areas.map(named), version: versions.map(named) }
  }),
  'MvService.MvInfoProServer/GetAllocMvInfo': getAllocMvInfo,
  'music.stream.MvUrlProxy/GetMvUrls': getMvUrls,
  'gosrf.Stream.MvUrlProxy/GetMvUrls': getOlderMvUrls,
  'video.VideoDataServer/get_video_info_batch': getVideoInfo,
  'video.VideoLogicServer/rec_video_byvid': getRelated
}

/** Areas by the `lan` of the classic list. The upstream spells `janpan` like this. */
const lans: Record<string, number | undefined> = { all: 15, neidi: 16, gangtai: 17, oumei: 18, korea: 19, janpan: 20 }

/** One list of the newest fifty, without pages. */
function getMvByTag (query: Query, { catalogue }: CallContext): unknown {
  const lan = query['lan'] ?? 'all'
  const area = lans[lan]
  const found = area === undefined ? []
    : catalogue.mvs.filter((mv) => area === 15 || mv.area === area).sort(byDate).slice(0, 50)
  const mvlist = found.map((mv) => {
    const [first] = mv.singers
    return {
      listennum: mv.plays,
      mv_id: mv.id,
      mvdesc: escapeHtml(mv.subtitle),
      mvscore: 0,
      mvtitle: escapeHtml(mv.title),
      picurl: mvPicture(catalogue, mv),
      pub_date: mv.published,
      publictime: mv.published.replaceAll('-0', '-'),
      singer_id: first?.id ?? 0,
      singer_mid: first?.mid ?? '',
      singer_name: escapeHtml(first?.name ?? ''),
      singerid: first?.id ?? 0,
      singermid: first?.mid ?? '',
      singername: escapeHtml(first?.name ?? ''),
      singers: mv.singers.map(({ id, mid, name }) => ({ id, mid, name: escapeHtml(name) })),
      vid: mv.vid
    }
  })
  return { code: 0, subcode: 0, message: '', default: 0, data: { lan, mvlist } }
}

export const mvPaths: ClassicTable = {
  '/mv/fcgi-bin/getmv_by_tag': { answer: getMvByTag, gbk: true }
}
