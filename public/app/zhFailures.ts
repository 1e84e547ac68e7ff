/** The Chinese sentences for what goes wrong. */
import type { ErrorBody } from '../../schemas/errors.ts'
import type { PlayReason } from '../../schemas/music.ts'

/** Codes of the relay, and of the page: it got no answer. */
export type FailureCode = ErrorBody['code'] | 'RELAY_GONE'

export const failures: Readonly<Record<FailureCode, string>> = {
  INVALID_INPUT: '请求的参数有误。',
  INVALID_JSON: '请求的格式有误。',
  LOGIN_REQUIRED: '请先登录。',
  TOKEN_REQUIRED: '需要这台服务器的访问令牌。',
  LINK_INVALID: '链接无效。',
  KEY_LIMITED: '这个密钥不能用于此操作。',
  CROSS_SITE: '不允许从其他网站发起此操作。',
  HOST_NOT_ALLOWED: '服务器不接受这个域名。',
  ROUTE_NOT_FOUND: '没有这个地址。',
  NOT_FOUND: '找不到，可能已下架或未公开。',
  NOT_PLAYABLE: '这首歌暂时无法播放。',
  METHOD_NOT_ALLOWED: '不支持这种请求方式。',
  BODY_TOO_LARGE: '请求内容过大。',
  URL_TOO_LONG: '请求地址过长。',
  UNSUPPORTED_TYPE: '不支持这种请求格式。',
  RANGE_NOT_SATISFIABLE: '请求的位置超出了文件长度。',
  EXPECTATION_FAILED: '不支持请求头 Expect 的要求。',
  RATE_LIMITED: '操作太频繁，请稍后再试。',
  HEADERS_TOO_LARGE: '请求头过大。',
  INTERNAL: '服务器内部出错，请稍后再试。',
  UPSTREAM_UNREACHABLE: '连不上音乐平台，请稍后再试。',
  UPSTREAM_UNREADABLE: '无法识别音乐平台返回的数据。',
  UPSTREAM_REFUSED: '音乐平台拒绝了请求，请稍后再试。',
  UPSTREAM_EMPTY: '音乐平台没有返回数据，请稍后再试。',
  COOKIE_REJECTED: '登录已失效，请重新登录。',
  QR_UNAVAILABLE: '无法获取二维码，请重试。在中国大陆以外，QQ 登录经常被拒绝，微信登录都可以用。',
  LOGIN_SIGN_URL: '登录没有完成，请重试。',
  LOGIN_P_SKEY: '登录没有完成，请重试。',
  LOGIN_NO_REDIRECT: '登录没有完成，请重试。',
  LOGIN_NO_CODE: '登录没有完成，请重试。',
  LOGIN_REFUSED: '音乐平台拒绝了登录，请稍后再试。',
  OVERLOADED: '服务器繁忙，请稍后再试。',
  UPSTREAM_PAUSED: '音乐平台暂时不可用，请稍后再试。',
  STOPPING: '服务器正在停止，请稍后再试。',
  UPSTREAM_TIMEOUT: '音乐平台响应超时，请稍后再试。',
  LOGIN_TIMEOUT: '登录超时，请重试。',
  RELAY_GONE: '连不上服务器，请检查网络，并确认服务已启动。'
}

/** Why a song does not play, and what to do. */
export const reasons: Readonly<Record<PlayReason, { readonly title: string, readonly hint: string }>> = {
  NO_COOKIE: { title: '登录后才能播放这首歌。', hint: '用手机扫码登录即可。' },
  COOKIE_EXPIRED: { title: '登录已过期。', hint: '请重新登录。' },
  PAID: {
    title: '这首歌需要会员或单独购买。',
    hint: '当前账号没有权限。请在音乐平台为该账号开通会员，或单独购买这首歌。'
  },
  NO_SUCH_QUALITY: { title: '这首歌没有可以播放的文件。', hint: '可以试试其他版本。' },
  NOT_FOUND: { title: '找不到这首歌的文件。', hint: '可能已下架，可以试试其他版本。' },
  REGION: { title: '所在地区暂无版权。', hint: '可以试试其他版本。' },
  RISK_CONTROL: { title: '请求过多，被音乐平台限制。', hint: '请稍后再试，或者登录后再试。' },
  UNKNOWN: { title: '这首歌暂时无法播放。', hint: '请稍后再试。' }
}
