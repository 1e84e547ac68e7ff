/** Reads texts and pictures of a row. `needText` throws if there is none; the others return "". */
import { maybe, need, type Answer } from '../../upstream/reader/read.ts'
import { httpsPicture, plainText, unescapeText, webAddress } from '../../upstream/reader/text.ts'

/** Returns a name or title with HTML entities decoded. Throws UPSTREAM_UNREADABLE if there is none. */
export const needText = (row: Answer, ...paths: string[]): string => unescapeText(need.text(row, ...paths))

/** Returns a name or title with HTML entities decoded; "" if there is none. */
export const textOf = (row: Answer, ...paths: string[]): string => unescapeText(maybe.text(row, ...paths) ?? '')

/** Returns a description with several lines; "" if there is none. */
export const proseOf = (row: Answer, ...paths: string[]): string => plainText(maybe.text(row, ...paths) ?? '')

/** Returns the URL of a page; "" if there is none. */
export const addressOf = (row: Answer, ...paths: string[]): string => webAddress(maybe.text(row, ...paths) ?? '')

/** Returns the HTTPS URL of a picture; "" if there is none. */
export const pictureOf = (row: Answer, ...paths: string[]): string => httpsPicture(maybe.text(row, ...paths) ?? '')

// @mutate readers: reading
