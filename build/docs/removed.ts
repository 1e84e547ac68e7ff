/** The table of the removed settings for docs/guides/upgrading.md. */
import { removedSettings } from '../../src/relay/environment.ts'

/** The titles of the columns, and the reason as the page words it. */
export interface RemovedWords { readonly heads: readonly [string, string], readonly reason: (reason: string) => string }

const code = (key: string): string => `\`${key}\``

const english: RemovedWords = {
  heads: ['Keys', 'Why they can be removed'],
  reason: (reason) => reason.replaceAll(/\b[a-z]+[A-Z]\w*/g, code).replace(/^\w/, (first) => first.toUpperCase())
}

/** The reasons why settings were removed, each once. */
export const removalReasons: readonly string[] = [...new Set(Object.values(removedSettings))]

/** Returns a row for each reason, with its keys. */
export function removedTable ({ heads, reason: inWords }: RemovedWords = english): string {
  return [`| ${heads.join(' | ')} |`, '|---|---|', ...removalReasons.map((reason) =>
    `| ${Object.keys(removedSettings).filter((key) => removedSettings[key] === reason).map(code).join(' ')} | ${inWords(reason)} |`)].join('\n')
}
