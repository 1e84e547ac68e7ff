/**
 * Returns a random number as a string. It identifies one search: the gateway's search calls require a new one each time. It is
 * not a secret, so the slower secure random source is not needed.
 */
export const randomId = (): string => String(Math.floor(1e13 + Math.random() * 9e13))
