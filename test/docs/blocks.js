/**
 * The fenced blocks of the pages, and what each is for. A block is run, or checked by the program it is for, or is what
 * a command before it printed. One that can be none of these has a comment right above it:
 *
 * A script whose line above ends in a file's name and a colon is kept there; a diff of that form is applied to the
 * file.
 *
 *   <!-- not run: why -->          left out, and listed
 *   <!-- run by .ci/run -->        one command per line (or between &&), each of which is in that script
 *   <!-- stays -->                 its last command does not end: it goes on in the background
 *   <!-- exits: 1 -->              what its last command ends with, when that is not 0
 *   <!-- alone -->                 in a shell and a folder of its own, with this block as the whole page
 * <!-- suite --> after all other blocks of the page, in their folder, with the real npm; may take minutes
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Generated pages without blocks of their own, and the decisions, which show no commands. */
export function pages () {
  const inDocs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)
  return ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inDocs.sort()].filter((file) => existsSync(`${root}${file}`))
}

export const readPage = (page) => readFileSync(`${root}${page}`, 'utf8')

const shells = new Set(['sh', 'bash'])
const scripts = new Set(['js', 'mjs', 'ts'])
const configurations = new Set(['json', 'yaml', 'nginx', 'caddy', 'haproxy', 'systemd', 'ini', 'dockerfile'])

/** In order: `{ lang, code, line, marks, file, role }`. */
export function blocksOf (text) {
  const lines = text.split('\n')
  const blocks = []
  let lastEnd = -2
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(\s*)(`{3,})(\S*)\s*$/.exec(lines[at])
    if (fence === null) continue
    const [, indent, ticks, lang] = fence
    const end = lines.findIndex((line, index) => index > at && line.trim() === ticks)
    if (end < 0) throw new Error(`line ${at + 1}: a block without end`)
    let above = at - 1
    const marks = {}
    for (let mark; (mark = /^\s*<!-- (not run|run by|stays|exits|alone|suite)(?::? (.*?))? -->$/.exec(lines[above] ?? '')) !== null; above--) marks[mark[1]] = mark[2] ?? ''
    while (above > lastEnd && lines[above]?.trim() === '') above--
    const code = lines.slice(at + 1, end).map((line) => line.startsWith(indent) ? line.slice(indent.length) : line).join('\n')
    const block = { lang, code, line: at + 1, marks, file: /`([\w./-]+\.\w+)`[^`]*[:：]$/.exec(lines[above] ?? '')?.[1], follows: above === lastEnd ? blocks.at(-1) : undefined }
    block.role = roleOf(block)
    blocks.push(block)
    lastEnd = at = end
  }
  return blocks
}

function roleOf ({ lang, code, marks, follows, file }) {
  if ('not run' in marks) return 'not run'
  if ('run by' in marks) return 'run by'
  if (shells.has(lang)) return 'suite' in marks ? 'suite' : 'shell'
  if (lang === 'diff' && file !== undefined) return 'change'
  if (scripts.has(lang)) return file === undefined ? 'script' : 'file'
  const afterRun = follows !== undefined && ['shell', 'script', 'run by'].includes(follows.role)
  if (lang === 'text' || (lang === 'json' && (afterRun || !parses(code)))) return 'output'
  if (configurations.has(lang)) return 'configuration'
  // The picture of docs/architecture.md: test/unit/openapi.test.ts looks whether it is fresh.
  if (lang === 'mermaid') return 'picture'
  return 'unknown'
}

function parses (code) {
  try {
    JSON.parse(code)
    return true
  } catch {
    return false
  }
}

/** Output as a page shows it, as a pattern: `…` stands for anything, and spaces do not count. */
export function patternOf (shown, whole) {
  const pattern = shown.replaceAll(/\s+/g, '')
    .split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*?')
  return new RegExp(whole ? `^${pattern}$` : pattern, 's')
}
