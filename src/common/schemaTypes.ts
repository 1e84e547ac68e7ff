/**
 * Types of the schemas that the library's users see. build/types.ts replaces the declarations of this file and of
 * library/types.ts in `dist` by documented ones, in which all inputs and records have names.
 */
export type { LoginRenewal, ServiceConfig } from '../../schemas/config.ts'
export type { ErrorBody, ErrorCode } from '../../schemas/errors.ts'
export type { LoginSession } from '../../schemas/login.ts'
export type { AudioAddress, PlayReason } from '../../schemas/music.ts'
