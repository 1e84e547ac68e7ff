/**
 * `npm run site`: writes the pages of the site into `site/pages`, and builds `dist/guide` of them. They are files, not
 * rewrites of `docs` and dynamic routes, because the generator's search does not index those, or in the wrong language.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { endpointIndex, endpointPages } from './endpoints.ts'
import { faced } from './face.ts'
import { root, sources, textOf } from './sources.ts'

/** Returns all pages by their paths: `guides/blog.md`, `zh/endpoints/getLyric.md`. */
export function pagesOfSite (): Map<string, string> {
  const all = sources()
  const endpoints = endpointPages()
  const chinese = new Set(all.filter(({ language }) => language === 'zh').map(({ page }) => page))
  /** Chinese pages that exist, instead of English ones. */
  const inChinese = (text: string): string => text.replaceAll(/\]\(\/([\w/-]+)(?=\))/g, (link, page: string) => chinese.has(`zh/${page}`) ? `](/zh/${page}` : link)
  return new Map([
    ...all.map((source): [string, string] => {
      const text = textOf(source, all)
      return [`${source.page}.md`, /^(zh\/)?index$/.test(source.page) ? faced(source.language, text) : text]
    }),
    ['endpoints/index.md', endpointIndex(endpoints, 'en')],
    ['zh/endpoints/index.md', inChinese(endpointIndex(endpoints, 'zh'))],
    ...endpoints.flatMap(({ name, text }): [string, string][] => [[`endpoints/${name}.md`, text('en')], [`zh/endpoints/${name}.md`, inChinese(text('zh'))]])
  ])
}

/** Compresses the files in place: the pages repeat each other's menus, and would make the package five times as large. */
function compress (folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (!statSync(file).isFile()) continue
    if (/\.(html|js|css|txt|png)$/.test(name)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
    rmSync(file)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [pages, built] = [join(root, 'site/pages'), join(root, 'dist/guide')]
  for (const folder of [pages, built]) rmSync(folder, { recursive: true, force: true })
  for (const [page, text] of pagesOfSite()) {
    mkdirSync(dirname(join(pages, page)), { recursive: true })
    writeFileSync(join(pages, page), text)
  }
  cpSync(join(root, 'docs/pictures'), join(pages, 'public/pictures'), { recursive: true })
  const { status } = spawnSync(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', '.'], { cwd: join(root, 'site'), stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  compress(built)
}
