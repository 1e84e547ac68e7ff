/** The Chinese pages of the documentation do not drift from their English twins. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { chineseFor } from '../../build/docs/zhTexts.ts'
// @ts-expect-error plain script, used outside of the suite too
import { blocksOf, pages, readPage, root } from '../docs/blocks.js'

interface Block { lang: string, code: string, marks: Record<string, string>, file?: string }

const read = (page: string): string => readPage(page) as string
const ending = '.zh-CN.md'
const chinese = (pages() as string[]).filter((page) => page.endsWith(ending))
const englishOf = (page: string): string => page.replace(ending, '.md')
const top = (page: string): string => read(page).split('\n').slice(0, 5).join('\n')

/** Comments, and the texts between the tags of an HTML page, are in the language of the page. */
const untranslated = (lang: string, code: string): string =>
  code.replaceAll(lang === 'html' ? /(?<=>)[^<>\n]+(?=<)/g : /[ \t]*(?<!\S)# .*$/gm, '')

/** What a reader types, copies and reads. The English page is run (test/docs/run.js), so the Chinese one need not be. */
const blocks = (page: string): object[] => (blocksOf(read(page)) as Block[])
  .map(({ lang, code, marks, file }) => ({ lang, marks, file, code: untranslated(lang, code) }))

t.test('a Chinese page and its English twin link each other at the top and have the same code blocks', async (t) => {
  for (const page of chinese) {
    t.match(top(page), `[English](${basename(englishOf(page))})`, page)
    t.match(top(englishOf(page)), `[中文](${basename(page)})`, englishOf(page))
    t.same(blocks(page), blocks(englishOf(page)), page)
  }
  t.ok(chinese.length >= 13)
})

t.test('a link of a Chinese page leads to the Chinese page where there is one, or says that it does not', async (t) => {
  for (const page of chinese) {
    for (const [, text = '', target = ''] of read(page).replace('[English](', '').matchAll(
      /\[([^[\]]*)\]\(([^):#]+)(?<!\.zh-CN)\.md[#)]/g
    )) {
      if (text.includes('英文')) continue
      t.notOk(existsSync(join(root as string, dirname(page), `${target}${ending}`)), `${page} links to ${target}.md`)
    }
  }
})

t.test('the generator refuses a missing Chinese text, and one that is left over', async (t) => {
  t.throws(() => chineseFor(['getNew'], {}, 'docs/zh.ts'), { message: 'docs/zh.ts: no Chinese text for [getNew]; nothing is called []' })
  t.throws(() => chineseFor([], { getOld: '旧' }, 'docs/zh.ts'), { message: 'docs/zh.ts: no Chinese text for []; nothing is called [getOld]' })
  t.equal(chineseFor(['getLyric'], { getLyric: '歌词' }, 'docs/zh.ts')('getLyric'), '歌词')
})
