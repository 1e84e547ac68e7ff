import type { CallContext } from '../types.ts'

/** The common block of a phone program. */
export const isPhone = ({ comm }: CallContext): boolean => comm['ct'] === 11 || comm['ct'] === '11'

/** A phone program with a device session. */
export const hasSession = ({ comm }: CallContext): boolean => typeof comm['sid'] === 'string' && comm['sid'] !== ''
