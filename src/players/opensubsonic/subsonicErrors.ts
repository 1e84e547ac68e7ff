/** Failures with the interface's own numbers. The message is the relay's. */
import type { BaseLogger } from 'pino'
import type { ErrorCode } from '../../../schemas/errors.ts'
import { InvalidInput, NotPlayable, RelayError } from '../../common/errors.ts'
import type { PlayReason } from '../../common/schemaTypes.ts'
import { loginCommand } from '../../relay/accountBook.ts'
import type { Body } from './formats.ts'

export const failureCodes = {
  generic: 0,
  missing: 10,
  wrongPassword: 40,
  twoMechanisms: 43,
  wrongKey: 44,
  notAllowed: 50,
  notFound: 70
} as const

/** Codes that are not `generic`. An ended login is no `wrongPassword`: clients would ask users for the right one. */
const numbers: Partial<Record<ErrorCode, number>> = {
  LOGIN_REQUIRED: failureCodes.notAllowed,
  COOKIE_REJECTED: failureCodes.notAllowed,
  KEY_LIMITED: failureCodes.notAllowed,
  CROSS_SITE: failureCodes.notAllowed,
  HOST_NOT_ALLOWED: failureCodes.notAllowed,
  METHOD_NOT_ALLOWED: failureCodes.notAllowed,
  TOKEN_REQUIRED: failureCodes.wrongPassword,
  NOT_FOUND: failureCodes.notFound,
  NOT_PLAYABLE: failureCodes.notFound
}

/** Statuses that make clients wait. All other failures are 200, as the interface requires. */
const busy: ReadonlySet<number> = new Set([429, 503])

/** Error codes for the log, where a refusal of this interface also has one of the relay's codes. */
const ownCodes: Readonly<Record<number, ErrorCode>> = {
  [failureCodes.wrongPassword]: 'TOKEN_REQUIRED',
  [failureCodes.wrongKey]: 'TOKEN_REQUIRED',
  [failureCodes.notAllowed]: 'METHOD_NOT_ALLOWED'
}

/** A refusal that only this interface has. */
export class Refused extends RelayError {
  readonly number: number

  constructor (number: number, message: string) {
    super(ownCodes[number] ?? 'INVALID_INPUT', message)
    this.number = number
  }
}

export const failureOf = (error: RelayError, account: string): Body => ({
  error: { code: numberOf(error), message: sentenceFor(error, account) }
})

/** Returns the text after the HTTP status: the English part of the sentence. Undefined if there is none. */
export const reasonPhraseOf = (error: RelayError, account: string): string | undefined =>
  /^[ -~]{1,200}/.exec(sentenceFor(error, account))?.[0].trimEnd()

/** Returns the sentence for listeners, who cannot send a cookie. */
function sentenceFor (error: RelayError, account: string): string {
  const reason = error instanceof NotPlayable ? error.reason : undefined
  const noLogin = `There is no login behind this user: the operator of the relay logs in (${loginCommand(account)}). 尚未登录，请管理员登录账户。`
  if (error.code === 'LOGIN_REQUIRED') return noLogin
  if (reason === 'NO_COOKIE') return `This song needs a login. ${noLogin}`
  if (reason === 'COOKIE_EXPIRED' || error.code === 'COOKIE_REJECTED') {
    return `The login behind this user has ended: the operator of the relay logs in again (${loginCommand(account)}). 登录已失效，请管理员重新登录。`
  }
  return reason === undefined ? error.message : notPlayable[reason]
}

/** Reasons why a song does not play and a login does not help. */
const notPlayable: Readonly<Record<Exclude<PlayReason, 'NO_COOKIE' | 'COOKIE_EXPIRED'>, string>> = {
  PAID: 'This song needs a subscription or a purchase, which the account behind this user does not have. 该歌曲需要会员或购买，当前账户无权播放。',
  NO_SUCH_QUALITY: 'The provider has no file of this song any more, or none in this quality. 没有可播放的音频文件。',
  NOT_FOUND: 'The provider does not have this song. 没有找到该歌曲。',
  REGION: 'The provider does not offer this song where the relay runs. 该歌曲在当前地区不可播放。',
  RISK_CONTROL: 'The provider takes the relay for a robot at the moment: try again later. 请求过于频繁，请稍后再试。',
  UNKNOWN: 'The provider gave no address for this song and no reason: try again later. 暂时无法播放，请稍后再试。'
}

function numberOf (error: RelayError): number {
  if (error instanceof Refused) return error.number
  if (
    error instanceof NotPlayable && (error.reason === 'COOKIE_EXPIRED' || error.reason === 'NO_COOKIE')
  ) { return failureCodes.notAllowed }
  if (error instanceof InvalidInput && error.kind === 'missing') return failureCodes.missing
  return numbers[error.code] ?? failureCodes.generic
}

/** Returns the HTTP status of a failure. `isMedia`: the method returns bytes, whose readers check only the status. */
export function httpStatusOf (error: RelayError, isMedia: boolean): number {
  const { code, statusCode } = error
  // The relay's code has status 405, which is about HTTP methods.
  if (isMedia && error instanceof Refused && error.number === failureCodes.notAllowed) return 403
  return isMedia || busy.has(statusCode) || code === 'ROUTE_NOT_FOUND' ? statusCode : 200
}

/** Whether an answer can omit what failed with this error. An ended login must be visible, and so must a bug. */
export const isTolerable = (error: unknown): boolean => error instanceof RelayError && error.code !== 'COOKIE_REJECTED'

/** Logs the failure of a part that the answer omits. Throws the error if the part must not be omitted. */
export function noteMissing (err: unknown, log: Pick<BaseLogger, 'warn'>, message: string): void {
  if (!isTolerable(err)) throw err
  log.warn({ err }, message)
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
