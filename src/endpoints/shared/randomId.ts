import { randomInt } from 'node:crypto'

/**
 * Returns a random number as a string. It identifies one search: the gateway's search calls require a new one each
 * time.
 */
export const randomId = (): string => String(randomInt(10 ** 13, 10 ** 14))
