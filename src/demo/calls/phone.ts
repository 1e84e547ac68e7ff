import type { CallContext } from '../types.ts'

/** Whether the request has the `comm` block of a phone program. */
export const isPhone = ({ comm }: CallContext): boolean => comm['ct'] === 11 || comm['ct'] === '11'

/** Whether it is a phone program with a device session. */
export const hasSession = ({ comm }: CallContext): boolean => typeof comm['sid'] === 'string' && comm['sid'] !== ''
