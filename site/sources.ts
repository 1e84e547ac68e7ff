/** Which files of the project are pages of the site, and their text with links that lead to its pages. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anchorOf } from './text.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** A language of the site. English pages are at its root, Chinese ones in `zh/`. */
export type Language = 'en' | 'zh'

/** A page made of a file of the project. */
export interface Source {
  /** The file: `docs/guides/blog.md`. */
  readonly file: string
  /** The page without its ending: `guides/blog`, `zh/guides/blog`, `index`. */
  readonly page: string
  readonly language: Language
  /** Its first heading. */
  readonly title: string
}

const outside = ['README.md', 'README.zh-CN.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
const chinese = /\.zh-CN\.md$/

/** Returns a page for each Markdown file of `docs`, and for the files beside it that readers look for. */
export function sources (): Source[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)
  return [...outside, ...inDocs.sort()].filter((file) => existsSync(join(root, file))).map((file) => {
    const name = file.replace(/^docs\//, '').replace(chinese, '.md').replace(/\.md$/, '').replace(/(^|\/)README$/, '$1index')
    const plain = /^[A-Z]+$/.test(name) ? name.toLowerCase() : name
    return {
      file,
      page: chinese.test(file) ? `zh/${plain}` : plain,
      language: chinese.test(file) ? 'zh' : 'en',
      title: /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? plain
    }
  })
}

/** Returns the text of the page. Its links to other pages lead to pages of the site, in its own language where there is one. */
export function textOf ({ file, language }: Source, all: readonly Source[]): string {
  const parts = readFileSync(join(root, file), 'utf8').split(/(^\s*(`{3,}).*\n[^]*?^\s*\2\s*$)/m)
  // A split by two groups: prose, block, the fence of the block, prose …
  return parts.map((part, at) => at % 3 === 2 ? '' : at % 3 === 1 ? part : part.replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, text: string, target: string) => {
    if (/^([a-z]+:|#)/.test(target)) return link
    const [path = '', anchor] = target.split('#')
    const wanted = normalize(join(dirname(file), path))
    const found = pageOf(wanted, anchor, language, all)
    if (found !== undefined) return `[${text}](${linkTo(found.page)}${anchor === undefined ? '' : `#${anchor}`})`
    // The container image is built without files that are no pages; test/browser/site.test.ts looks for those.
    if (wanted.endsWith('.md') && !existsSync(join(root, wanted))) throw new Error(`${file} links to ${target}, which does not exist`)
    // A source file: the repository has no public address.
    return text.startsWith('`') ? text : `\`${text}\``
  }).replaceAll('src="docs/pictures/', 'src="/pictures/')).join('')
}

/** Returns the address of a page within the site. */
export const linkTo = (page: string): string => `/${page.replace(/(^|\/)index$/, '$1')}`

/** A Chinese page has other headings: a link to one of the English page stays in English. */
function pageOf (file: string, anchor: string | undefined, language: Language, all: readonly Source[]): Source | undefined {
  const twin = all.find((each) => language === 'zh' && each.file === file.replace(/\.md$/, '.zh-CN.md'))
  const fits = twin !== undefined && (anchor === undefined || readFileSync(join(root, twin.file), 'utf8').split('\n').some((line) => line.startsWith('#') && anchorOf(line.replace(/^#+ /, '')) === anchor))
  return fits ? twin : all.find((each) => each.file === file)
}
