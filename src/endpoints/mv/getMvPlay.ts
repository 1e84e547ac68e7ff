/** Play addresses of an MV. File names lack the definition since 2024: `filetype` has it. 2019, 2024-06 and 2026. */
import { randomBytes } from 'node:crypto'
import {
  endpoint, maybe, needText, noteMissing, pictureOf, proseOf, response, upstreamEmpty, valueOf, webAddress, type Answer,
  type CompositeCall, type MusicuCall, type Settled
} from '../kit.ts'
import { GetMvPlayQuery, MvPlay, type MvFile, type MvInfo, type MvPlayLists } from '../../../schemas/mv.ts'
import { readMvSingers } from './mvs.ts'

/** The playable files, and the codes of all files, which explain why others are not playable. */
export interface Files { readonly usable: MvFile[], readonly codes: number[] }

/** `format` 264 is H.264, which every browser plays. The new domain serves HTTPS. */
const filesOf = (vid: string): MusicuCall<Files> => ({
  name: 'mv.urls',
  request: {
    module: 'music.stream.MvUrlProxy',
    method: 'GetMvUrls',
    param: {
      vids: [vid],
      request_type: 10003,
      guid: randomBytes(16).toString('hex'),
      videoformat: 1,
      format: 264,
      dolby: 1,
      use_new_domain: 1,
      use_ipv6: 1
    }
  },
  read: (answer) => readFiles(answer, vid)
})

/** `request_typet` is the spelling that the older call uses. */
const olderFilesOf = (vid: string): MusicuCall<Files> => ({
  name: 'mv.urls.older',
  request: { module: 'gosrf.Stream.MvUrlProxy', method: 'GetMvUrls', param: { vids: [vid], request_typet: 10001 } },
  read: (answer) => readFiles(answer, vid)
})

const infoOf = (vid: string): MusicuCall<MvInfo> => ({
  name: 'mv.info',
  request: {
    module: 'video.VideoDataServer',
    method: 'get_video_info_batch',
    param: {
      vidlist: [vid],
      required: [
        'vid',
        'type',
        'sid',
        'cover_pic',
        'duration',
        'singers',
        'video_switch',
        'msg',
        'name',
        'desc',
        'playcnt',
        'pubdate',
        'isfav',
        'gmid'
      ]
    }
  },
  read (answer) {
    const info = maybe.entry(answer, vid)
    if (info === undefined) throw upstreamEmpty(answer.call, `information about the MV ${vid}`)
    return {
      vid,
      name: needText(info, 'name'),
      desc: proseOf(info, 'desc'),
      cover_pic: pictureOf(info, 'cover_pic'),
      duration: maybe.int(info, 'duration') ?? 0,
      singers: readMvSingers(info),
      playcnt: maybe.int(info, 'playcnt') ?? 0,
      pubdate: maybe.int(info, 'pubdate') ?? 0
    }
  }
})

/** The calls for files and information in one POST. Failing information does not fail the call. */
const together = (
  files: MusicuCall<Files>,
  info: MusicuCall<MvInfo>
): CompositeCall<MvFiles, readonly [MusicuCall<Files>, MusicuCall<MvInfo>]> => ({
  name: files.name,
  calls: [files, info],
  read: ([found, about]) => ({ files: valueOf(found), info: about })
})

interface MvFiles { readonly files: Files, readonly info: Settled<MvInfo> }

/** Reads one entry per definition. Throws UPSTREAM_EMPTY without any, or without both an address and a reason. */
function readFiles (answer: Answer, vid: string): Files {
  const found = maybe.entry(answer, vid)
  if (found === undefined || Object.keys(found.value as object).length === 0) {
    throw upstreamEmpty(answer.call, `play addresses of the MV ${vid}`)
  }
  const codes: number[] = []
  const listed = (type: MvFile['type']): MvFile[] => maybe.list(found, type, (item) => {
    const code = maybe.int(item, 'code') ?? 0
    codes.push(code)
    return code === 0 ? readFile(item, type) : undefined
  })
  const usable = inPlayOrder(withoutRepeats([...listed('mp4'), ...listed('hls')]))
  if (usable.length === 0 && !codes.some(isReason)) throw upstreamEmpty(answer.call, `play addresses of the MV ${vid}`)
  return { usable, codes }
}

/** URLs are whole in `freeflow_url` or `comm_url`, else made of root, key and name. A bare host is no URL (2026-11). */
function readFile (item: Answer, type: MvFile['type']): MvFile | undefined {
  const name = maybe.text(item, 'cn') ?? ''
  const texts = (path: string): string[] => maybe.list(item, path, (entry) => maybe.text(entry, ''))
  const whole = [texts('freeflow_url'), texts('comm_url')].map((urls) => urls.filter(hasPath)).find((urls) =>
    urls.length > 0
  )
  const key = maybe.text(item, 'vkey') ?? ''
  const url = whole
    ?? (name === '' || key === '' ? [] : texts('url').map((root) =>
      `${root}${key}/${name}?fname=${name}`
    ).filter(hasPath))
  if (url.length === 0) return undefined
  const level = maybe.int(item, 'filetype') ?? 0
  return {
    filetype: level > 0 ? level : newLevel(maybe.int(item, 'newFileType') ?? 0) || levelInName(name || (url[0] ?? '')),
    type,
    format: maybe.int(item, 'format') ?? 0,
    fileSize: maybe.int(item, 'fileSize') ?? 0,
    expire: maybe.int(item, 'expire') ?? 0,
    url
  }
}

/** Returns the definition in `newFileType`: 9824 is 20, as in the file names of 2024. Returns 0 for unknown numbers. */
const newLevel = (type: number): number =>
  /^98\d4$/.test(String(type)) ? (type - 9804) : type > 0 && type <= 100 ? type : 0

/** True if the URL names a file, not only a host. */
const hasPath = (url: string): boolean => webAddress(url) !== '' && new URL(url).pathname !== '/'

/**
 * Returns the definition in a file name: `.f20.` (2019), `.f220.` (its HLS form), `.f9824.` (2024) and `.f120000.`
 * (2026) are all 20. Returns 0 for other names.
 */
function levelInName (name: string): number {
  const digits = /\.f(\d+)\.(?:mp4|m3u8|ts)\b/.exec(name)?.[1] ?? ''
  if (digits.length === 2) return Number(digits)
  if (/^2\d{2}$/.test(digits)) return Number(digits.slice(1))
  if (/^98\d4$/.test(digits)) return Number(digits[2]) * 10
  return /^[12]\d{5}$/.test(digits) ? Number(digits.slice(1, 3)) : 0
}

function withoutRepeats (files: readonly MvFile[]): MvFile[] {
  const seen = new Set<string>()
  return files.flatMap((file) => {
    const url = file.url.filter((address) => !seen.has(address) && seen.add(address))
    return url.length === 0 ? [] : [{ ...file, url }]
  })
}

/** H.265, which few browsers play: some answers have a definition in both formats (2026-09). */
const hevc = 265

const inPlayOrder = (files: readonly MvFile[]): MvFile[] =>
  [...files].sort((a, b) => Number(a.format === hevc) - Number(b.format === hevc))

function groupByLevel (files: readonly MvFile[]): MvPlayLists {
  const at = (...levels: number[]): string[] =>
    files.filter((file) => levels.includes(file.filetype)).flatMap((file) => file.url)
  const others = files.filter((file) => ![10, 20, 30, 40].includes(file.filetype)).flatMap((file) => file.url)
  return { f10: at(10), f20: at(20), f30: at(30), f40: at(40), others }
}

const hints: Readonly<Record<NonNullable<MvPlay['reason']>, string>> = {
  NO_COOKIE: 'The upstream gives no address without a login; pass a cookie.',
  PAID: 'The account may not play this MV: it needs a paid one.',
  NO_SUCH_QUALITY: 'The MV exists in no definition (any more).'
}

/** Codes of a file that are a reason: this caller may not play it; the definition does not exist. */
const notAllowed = 1000
const noFile = 2000
const isReason = (code: number): boolean => code === notAllowed || code === noFile

function reasonOf (codes: readonly number[], loggedIn: boolean): Pick<MvPlay, 'reason' | 'hint'> {
  const reason = codes.includes(notAllowed) ? (loggedIn ? 'PAID' : 'NO_COOKIE') : 'NO_SUCH_QUALITY'
  return { reason, hint: hints[reason] }
}

export const getMvPlay = endpoint({
  method: 'GET',
  path: '/getMvPlay',
  tag: 'mv',
  summary: 'Play addresses of an MV, by definition',
  summaryInChinese: 'MV 各清晰度的播放链接',
  description: 'playLists always has the lists f10, f20, f30 and f40, and everything else in others. Files (mp4) and playlists (hls) are mixed; urls distinguishes them. If the upstream says why there is no address, the groups are empty, and reason and hint say it. Without an address and without a reason, the answer is 502 UPSTREAM_EMPTY; so it is for an unknown vid, because the upstream sends nothing for it.',
  example: { vid: 'demoV000004' },
  probe: ({ mvs }) => mvs.map(({ vid }) => ({ vid })),
  input: GetMvPlayQuery,
  record: MvPlay,
  envelope: response,
  login: 'optional',
  plays: true,
  cache: 'short-lived',

  async run ({ vid }, context) {
    const { upstream } = context
    const info = infoOf(vid)
    const { files: { usable, codes }, info: { value: mvinfo, error } } = await upstream.firstOf([
      together(filesOf(vid), info),
      together(olderFilesOf(vid), info)
    ])
    if (error !== undefined) noteMissing(context, error, 'an MV is answered without its information')
    return {
      vid,
      playLists: groupByLevel(usable),
      urls: usable,
      ...(mvinfo === undefined ? {} : { mvinfo }),
      ...(usable.length > 0 ? {} : reasonOf(codes, upstream.loggedIn))
    }
  }
})
