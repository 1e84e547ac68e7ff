/**
 * Chinese one-line texts for the generated tables of the Chinese pages. Each list has exactly one line for each name:
 * the compiler and `npm run openapi` refuse a missing or leftover one.
 */
import type { PlayReason } from '../../schemas/common.ts'
import type { ErrorCode } from '../../schemas/errors.ts'

/** What each error code says, and the next step where there is one. */
export const codes: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT: '参数或请求体字段不合法；`error` 会指出是哪一个、允许什么值',
  INVALID_JSON: '请求体不是合法的 JSON',
  LOGIN_REQUIRED: '该接口需要登录：请求里要有包含账号和密钥的 cookie',
  TOKEN_REQUIRED: '需要访问令牌（`ACCESS_TOKEN`），或密钥不存在、已作废；用 `Authorization: Bearer …` 发送',
  LINK_INVALID: '链接不是本服务签名的，或被改过；请重新获取歌曲列表',
  KEY_LIMITED: '该账户的这把密钥无权调用此接口',
  CROSS_SITE: '来自其他网站页面的请求，不能使用浏览器自带的 cookie 或全局 cookie，也不能登录',
  HOST_NOT_ALLOWED: 'Host 头里的域名不在 `ALLOWED_HOSTS` 中',
  ROUTE_NOT_FOUND: '没有这个路由；路径末尾不带斜杠',
  NOT_FOUND: '上游没有这项内容，或未公开；不必重试',
  NOT_PLAYABLE: '这首歌没有可用的播放链接；`reason` 和 `hint` 说明原因',
  METHOD_NOT_ALLOWED: '该路径不支持这个方法，见响应头 `Allow`',
  BODY_TOO_LARGE: '请求体过大',
  URL_TOO_LONG: '地址或其中一段路径过长',
  UNSUPPORTED_TYPE: '请求体必须是 `application/json`',
  RANGE_NOT_SATISFIABLE: '`Range` 超出了文件长度',
  EXPECTATION_FAILED: '不支持 `Expect` 头要求的行为',
  RATE_LIMITED: '该客户端请求过多，或引起的上游请求过多；按 `Retry-After` 等待',
  HEADERS_TOO_LARGE: '请求头过大',
  INTERNAL: '中转服务自身的 bug，请反馈',
  UPSTREAM_UNREACHABLE: '连不上上游，或连接中断',
  UPSTREAM_UNREADABLE: '上游返回的数据无法解析；请运行 `music-relay doctor`',
  UPSTREAM_REFUSED: '上游拒绝了请求，并给出了自己的错误码；登录或降低请求频率往往有用',
  UPSTREAM_EMPTY: '上游返回成功，但没有数据；可以登录后再试，或稍后重试',
  COOKIE_REJECTED: '上游不接受这个 cookie：已过期或无效，请重新登录。必须登录的接口，如果是请求自带的 cookie，则为 401',
  QR_UNAVAILABLE: '获取不到登录二维码；可以换一个渠道',
  LOGIN_SIGN_URL: '登录失败：拿不到 checkSigUrl',
  LOGIN_P_SKEY: '登录失败：拿不到 p_skey',
  LOGIN_NO_REDIRECT: '登录失败：授权响应里没有跳转地址',
  LOGIN_NO_CODE: '登录失败：授权跳转里没有 code',
  LOGIN_REFUSED: '登录失败：上游拒绝，或没有返回可用的密钥',
  OVERLOADED: '中转服务已满载；按 `Retry-After` 等待',
  UPSTREAM_PAUSED: '上游要求等待，或失败过多而暂停请求；按 `Retry-After` 等待',
  STOPPING: '中转服务正在停止；按 `Retry-After` 等待',
  UPSTREAM_TIMEOUT: '上游响应超时',
  LOGIN_TIMEOUT: '登录失败：上游响应超时'
}

/** Why a song has no play address, and what to do. */
export const reasons: Readonly<Record<PlayReason, string>> = {
  NO_COOKIE: '需要登录',
  COOKIE_EXPIRED: '登录已过期，请重新登录',
  PAID: '需要会员或单独购买；可以换低一些的 `quality`，`quality=trial` 是试听片段（如果有）',
  NO_SUCH_QUALITY: '没有这种音质，从 `availableQualities` 里选一个',
  NOT_FOUND: '歌曲不存在，或已下架',
  REGION: '中转服务所在的地区不能播放',
  RISK_CONTROL: '上游怀疑是机器人：请带上 cookie，或稍后再试',
  UNKNOWN: '其他原因，可以重试'
}

/** Why settings were removed. The keys are the reasons of src/relay/removedSettings.ts. */
export const removals: Readonly<Record<string, string>> = {
  'deadlineMs limits the upstream calls of a request': '一个请求引起的上游请求，总时间由 `deadlineMs` 限制',
  'one host gets half of upstreamLimit': '单个主机的上限是 `upstreamLimit` 的一半',
  'a burst is four seconds of upstreamRatePerHost': '突发量固定为四秒的 `upstreamRatePerHost`',
  'the value is fixed now': '现在是固定值',
  'it is a tenth of maxConnections': '固定为 `maxConnections` 的十分之一',
  'it is 3, and without limit when rateLimitLoginStarts is 0': '固定为 3；`rateLimitLoginStarts` 为 0 时不限',
  'it is three times rateLimitLoginStarts': '固定为 `rateLimitLoginStarts` 的三倍',
  'shedDelayMs detects overload': '是否过载由 `shedDelayMs` 判断',
  'cacheBytes limits the cache': '缓存大小由 `cacheBytes` 限制',
  'it follows upstreamLimit': '由 `upstreamLimit` 决定'
}

/** What players were tried with, and the result. `#` stands for a number. */
export const trials: Readonly<Record<string, string>> = {
  'sync of # songs': '同步 # 首歌',
  'play': '播放',
  'play, by redirect and through the relay': '播放（跳转和转发）',
  'cover': '封面',
  'covers': '封面',
  'singers': '歌手',
  'albums': '专辑',
  'download': '下载',
  'search': '搜索',
  'folders': '浏览文件夹',
  'scrobble': '上报播放记录',
  'a song by its address': '按地址播放歌曲',
  'a radio station': '播放电台',
  'songs by their addresses': '按地址播放歌曲',
  'lists of songs': '歌曲列表',
  '# s of a radio station without a gap': '电台连续播放 # 秒无间断',
  'its # recorded requests': '录制的 # 个请求',
  'by hand: singers, albums, search, covers, play': '手工测试：歌手、专辑、搜索、封面、播放',
  'all # methods, by query and by form': '全部 # 个方法（查询参数和表单）',
  'errors': '错误',
  'works': '正常',
  'fails': '失败'
}
