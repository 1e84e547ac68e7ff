import { randomInt } from 'node:crypto'

/** A number that names one search, as text: the gateway's search calls want a new one each time. */
export const randomId = (): string => String(randomInt(10 ** 13, 10 ** 14))
