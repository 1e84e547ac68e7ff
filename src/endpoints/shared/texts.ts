/** Texts and pictures of a row as answers have them; the modes are the reader's: `need`, or "" where there is none. */
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import { httpsPicture, plainText, unescapeText } from '../../provider/text.ts'

/** A name or a title: entities decoded. Throws UPSTREAM_UNREADABLE where there is none. */
export const needText = (row: Answer, ...paths: string[]): string => unescapeText(need.text(row, ...paths))

/** The same, "" where there is none. */
export const textOf = (row: Answer, ...paths: string[]): string => unescapeText(maybe.text(row, ...paths) ?? '')

/** A description of several lines, "" where there is none. */
export const proseOf = (row: Answer, ...paths: string[]): string => plainText(maybe.text(row, ...paths) ?? '')

/** The address of a picture, "" where there is none. */
export const pictureOf = (row: Answer, ...paths: string[]): string => httpsPicture(maybe.text(row, ...paths) ?? '')
