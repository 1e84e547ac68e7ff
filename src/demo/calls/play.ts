import { fileNamed, mayPlay } from '../media/library.ts'
import { issueVkey } from '../media/vkey.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { mistyped, textOf } from './params.ts'

/** Fields of an item that do not depend on the request. All were empty in the recordings of 2026-08. */
const emptyItem = {
  errtype: '',
  p2pfromtag: 0,
  qmdlfromtag: 0,
  common_downfromtag: 0,
  vip_downfromtag: 0,
  pdl: 0,
  premain: 0,
  hisdown: 0,
  hisbuy: 0,
  uiAlert: 0,
  isbuy: 0,
  pneedbuy: 0,
  pneed: 0,
  isonly: 0,
  onecan: 0,
  tips: '',
  opi48kurl: '',
  opi96kurl: '',
  opi192kurl: '',
  opiflackurl: '',
  opi128kurl: '',
  opi192koggurl: '',
  wififromtag: '',
  flowfromtag: '',
  opi30surl: '',
  ekey: '',
  auth_switch: 0,
  subcode: 0,
  opi96koggurl: '',
  auth_switch2: 0
}

interface WantedFile { songmid: string, filename: string, guid: string, seconds: number }

function itemOf ({ songmid, filename, guid, seconds }: WantedFile, context: CallContext): Record<string, unknown> {
  const file = fileNamed(context.catalogue, filename)
  const item = {
    songmid,
    filename,
    purl: '',
    ...emptyItem,
    result: 0,
    wifiurl: '',
    flowurl: '',
    vkey: '',
    xcdnurl: '',
    mid: filename.slice(4).replace(/\.\w+$/, ''),
    df: null
  }
  if (!file || file.song.mid !== songmid) return { ...item, result: 101404 }
  if (!mayPlay(context.identity, file)) return { ...item, result: 104003 }

  const { uin } = context.identity
  const vkey = issueVkey(context.secret, { filename, guid, uin }, context.now + seconds * 1000)
  const purl = `${filename}?guid=${guid}&vkey=${vkey}&uin=${uin}&fromtag=120032`
  return { ...item, purl, wifiurl: purl, flowurl: purl, vkey }
}

/** Without `filename` the upstream chooses C400 of the media MID. */
function filenamesOf (param: Param, songmids: readonly string[], { catalogue }: CallContext): string[] {
  const given = param['filename'] as string[] | undefined
  return given?.length ? given : songmids.map((mid) => `C400${catalogue.songByMid.get(mid)?.mediaMid ?? mid}.m4a`)
}

/**
 * Answers both play calls: one item per file, in the order of the request. A missing permission is code 0 with an empty
 * `purl`.
 */
function playAddresses (param: Param, context: CallContext, sip: string[], seconds: number): CallAnswer {
  const wrong = mistyped(param, {
    guid: 'string',
    uin: 'string',
    platform: 'string',
    songmid: 'strings',
    filename: 'strings',
    songtype: 'numbers',
    loginflag: 'number',
    ctx: 'number'
  })
  if (wrong) return wrong
  const songmids = (param['songmid'] ?? []) as string[]
  const filenames = filenamesOf(param, songmids, context)
  const types = (param['songtype'] ?? []) as number[]
  const guid = textOf(param, 'guid')
  // Every list has one entry per file, at most 100 entries.
  if (guid === '' || songmids.length === 0 || songmids.length > 100) return { code: 10000 }
  if (filenames.length !== songmids.length || types.length !== songmids.length) return { code: 10000 }

  const midurlinfo = songmids.map((songmid, at) =>
    itemOf({ songmid, filename: filenames[at] ?? '', guid, seconds }, context)
  )
  const data = {
    uin: context.identity.uin,
    retcode: 0,
    verify_type: 0,
    login_key: '',
    msg: '192.0.2.1',
    sip,
    thirdip: ['', ''],
    testfile2g: '',
    testfilewifi: '',
    midurlinfo,
    servercheck: '00000000000000000000000000000000',
    expiration: seconds
  }
  return { code: 0, data }
}

/**
 * A refused play call: 104009 as code of the call and in `data`, while every item has code 0 and no address (2026-11).
 */
export function refusedPlay (param: Param, context: CallContext): CallAnswer {
  const answer = playAddresses(param, context, [], 0)
  if (answer.code !== 0) return answer
  const data = answer.data as { midurlinfo: Array<Record<string, unknown>> }
  const midurlinfo = data.midurlinfo.map((item) => ({
    ...item,
    result: 0,
    purl: '',
    wifiurl: '',
    flowurl: '',
    vkey: ''
  }))
  return { code: 104009, data: { ...data, retcode: 104009, msg: '192.0.2.1;invalidq;', midurlinfo } }
}

function rootsOf ({ catalogue }: CallContext): string[] {
  return [`${catalogue.origin}/audio/`, `${catalogue.origin}/audio/backup/`]
}

/** Base addresses of audio files: ten in the observation of 2026-07, valid for a day. */
function cdnDispatch (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, { guid: 'string', uid: 'string', use_new_domain: 'flag', use_ipv6: 'flag' })
  if (wrong) return wrong
  const sip = rootsOf(context)
  return {
    code: 0,
    data: {
      retcode: 0,
      uin: '',
      msg: '192.0.2.1',
      expiration: 86400,
      refreshTime: 3600,
      cacheTime: 86400,
      sip,
      sipinfo: sip.map((cdn) => ({ cdn, quic: 0, ipstack: 0 }))
    }
  }
}

export const playCalls: MusicuTable = {
  'vkey.GetVkeyServer/CgiGetVkey': (param, context) => playAddresses(param, context, rootsOf(context), 80400),
  // In every recording of 2026-08 the newer call answered an empty `sip`, and anonymous keys were valid for two hours.
  'music.vkey.GetVkey/UrlGetVkey': (param, context) =>
    playAddresses(param, context, [], context.identity.state === 'anonymous' ? 7200 : 80400),
  'music.audioCdnDispatch.cdnDispatch/GetCdnDispatch': cdnDispatch
}
