/** What definitions of endpoints are made of: the definition itself, envelopes, calls, readers and errors. */
export {
  audio, bare, codeData, codeMsgData, data, redirect, response, responseCodeData, statusBody, statusData
} from '../../schemas/envelopes.ts'
export { endpoint, type Context, type ListedSong } from '../relay/endpoint.ts'
export { InvalidInput, NotPlayable, RelayError, UpstreamError, otherCallMayHelp } from '../common/errors.ts'
export { failure, notFound, upstreamEmpty, type Kind } from '../common/kinds.ts'
export type {
  Alternative, ClassicCall, ClassicRequest, CommKind, CompositeCall, KnownIssue, MusicuCall, MusicuRequest, Settled,
  Upstream, UpstreamCall
} from '../upstream/calls.ts'
export { Answer, maybe, need } from '../upstream/read/read.ts'
export { httpsPicture, pictureNamed, pictureUrl, plainText, unescapeText, webAddress } from '../upstream/read/text.ts'
export { settle, settled, valueOf } from '../upstream/calls.ts'
export { innerRefusal, publicCodes, type CodeTable } from '../upstream/wire/codes.ts'
export {
  addressOf, dayInChina, elementsOf, isEmpty, isUnknown, midnightInChina, nameOf, nameOfKnown, needText, noteMissing,
  optional, pictureOf, proseOf, randomId, someRows, textOf, uniqueBy
} from './shared/rows.ts'
