/** The pages of the documentation site, before the generator gets them: links, languages, and requests that do what they show. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCodes } from '../../schemas/errors.ts'
import { demoTime } from '../../build/openapi/observeFailures.ts'
import { pagesOfSite } from '../../site/build.ts'
import { endpointPages } from '../../site/endpoints.ts'
import { documentMenu, endpointMenu, type Item } from '../../site/navigation.ts'
import { root, sources } from '../../site/sources.ts'
import { anchorOf, foundLast, searchable } from '../../site/text.ts'
// @ts-expect-error plain script, used outside of the suite too
import { blocksOf } from '../docs/blocks.js'
import { demoFor, endpoints, serverOnWire } from '../support/helper.ts'

const pages = pagesOfSite()
const prose = (text: string): string => text.replaceAll(/^\s*(`{3,})[^]*?^\s*\1\s*$/gm, '')
const anchorsOf = (text: string): Set<string> => new Set([...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title)))
/** The page of an address within the site. */
const pageAt = (path: string): string | undefined => pages.get(path.endsWith('/') ? `${path.slice(1)}index.md` : `${path.slice(1)}.md`)

t.test('links between pages lead to a page and a heading of it; what else they link to is there', async (t) => {
  const leads = (text: string, target: string): boolean => {
    const [path = '', anchor] = target.split('#')
    const page = path === '' ? text : pageAt(path)
    return page !== undefined && (anchor === undefined || anchorsOf(page).has(anchor))
  }
  const links = [...pages].flatMap(([name, text]) => [...prose(text).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, target = '']) => [name, target, leads(text, target)] as const))
  t.ok(links.length > 1000)
  t.same(links.filter(([, , there]) => !there), [])
  const files = sources().flatMap(({ file }) => [...prose(readFileSync(`${root}${file}`, 'utf8')).matchAll(/\]\(((?![a-z]+:|#)[^)\s#]+)/g)].map(([, target = '']) => [file, target] as const))
  t.same(files.filter(([file, target]) => !existsSync(join(root, dirname(file), target))), [])
})

t.test('a Chinese page beside an English one is its twin; where there is none, the menu has the English one', async (t) => {
  const all = sources()
  for (const { file, page, language } of all) {
    t.equal(language === 'zh', file.endsWith('.zh-CN.md'), file)
    if (language === 'zh') t.ok(pages.has(`${page.replace('zh/', '')}.md`), `${page} has an English twin`)
  }
  t.match(pages.get('zh/index.md'), /\]\(\/zh\/players/, 'Chinese pages link to each other')
  const links = (items: readonly Item[]): string[] => items.flatMap(({ link, items = [] }) => [...link === undefined ? [] : [link], ...links(items)])
  const [english, chinese] = [links(documentMenu(all, 'en')), links(documentMenu(all, 'zh'))]
  t.same(chinese.map((link) => link.replace(/^\/zh\//, '/')), english)
  t.ok(chinese.includes('/zh/players') && english.includes('/players'))
  for (const link of [...english, ...chinese, ...links(endpointMenu(endpointPages(), 'zh'))]) t.ok(pageAt(link) !== undefined, link)
  for (const { page, language } of all) if (language === 'en') t.ok(english.includes(`/${page.replace(/(^|\/)index$/, '$1')}`), `${page} is in the menu`)
})

t.test('every endpoint has a page in both languages, with all its parameters, paths and errors', async (t) => {
  const all = endpointPages()
  t.same(all.map(({ name }) => name).sort(), Object.keys(endpoints).sort())
  const { components } = parse(readFileSync(`${root}openapi.yaml`, 'utf8')) as { components: { responses: Record<string, unknown> } }
  t.ok(Object.keys(components.responses).length > 10)
  for (const { name, paths } of all) {
    const { input, path, aliases = [], login } = endpoints[name] ?? t.fail(name) as never
    t.ok([path, ...aliases].every((each) => paths.includes(each)), name)
    for (const [page, head] of [[`endpoints/${name}.md`, '## Errors'], [`zh/endpoints/${name}.md`, '## 错误']] as const) {
      const text = pages.get(page) ?? ''
      t.same(Object.keys(input.properties).filter((parameter) => !text.includes(`| \`${parameter}\` |`)), [], page)
      const codes = [...text.slice(text.indexOf(head)).matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm)].map(([, status, code = '']) => [Number(status), code] as const)
      t.ok(codes.length > 10, `${page} has errors`)
      t.same(codes.filter(([status, code]) => errorCodes[code as keyof typeof errorCodes].status !== status), login === 'required' ? [[401, 'COOKIE_REJECTED']] : [], page)
      t.equal(codes.some(([, code]) => code === 'LOGIN_REQUIRED'), login === 'required', page)
    }
  }
})

t.test('a Chinese page of an endpoint says in Chinese what it gives, takes and refuses', async (t) => {
  const han = /\p{Script=Han}/u
  for (const { name } of endpointPages()) {
    const text = pages.get(`zh/endpoints/${name}.md`) ?? ''
    t.match(/^\*\*(.*)\*\*$/m.exec(text)?.[1], han, name)
    const rows = [...text.slice(text.indexOf('## 参数'), text.indexOf('## 请求')).matchAll(/^\| `\w+` \| ([^|]*) \| (.*) \|$/gm)]
    for (const [row, type, meaning] of rows) {
      t.match(meaning, han, `${name}: ${row}`)
      t.notMatch(type, /optional|default/, `${name}: ${row}`)
    }
    for (const [row, meaning] of text.slice(text.indexOf('## 错误')).matchAll(/^\| \d{3} \| `[A-Z_]+` \| (.*) \|$/gm)) t.match(meaning, han, `${name}: ${row}`)
  }
  t.match(pages.get('zh/endpoints/index.md'), '| [getLyric](/zh/endpoints/getLyric) | 带时间轴的歌词和翻译')
})

/** Whether this is the answer that a page shows: lists end after two elements, texts have `…` for anything, second names of a field are left out. */
function shows (shown: unknown, real: unknown): boolean {
  if (typeof shown === 'string' && typeof real === 'string') return new RegExp(`^${shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's').test(real)
  if (Array.isArray(shown)) return Array.isArray(real) && shown.length === Math.min(2, real.length) && shown.every((each, at) => shows(each, real[at]))
  if (typeof shown !== 'object' || shown === null) return Object.is(shown, real)
  return typeof real === 'object' && real !== null && Object.entries(shown).every(([key, each]) => shows(each, (real as Record<string, unknown>)[key]))
}

t.test('the request on the page of an endpoint has the answer below it', async (t) => {
  const demo = await demoFor(t, { now: demoTime })
  const server = await serverOnWire(t, demo, { docs: false, tuning: { searchIntervalMs: 0, searchPauseMs: 0 } })
  const at = (text: string): string => text.replaceAll('http://localhost:3200', server.address)
  for (const { name, afterScan, text } of endpointPages()) {
    const [request, answer, ...more] = blocksOf(text('en')) as { lang: string, code: string }[]
    t.same([request?.lang, answer?.lang, more], ['sh', 'json', []], name)
    t.same((blocksOf(text('zh')) as { code: string }[]).map(({ code }) => code), [request?.code, answer?.code], 'in Chinese, too')
    const { stdout } = await promisify(execFile)('bash', ['-ec', at(request?.code ?? '').replaceAll('curl ', 'curl --fail-with-body --silent --show-error ')])
    const shown = JSON.parse((answer?.code ?? '').replaceAll('http://localhost:3200', demo.origin)) as object
    const real = JSON.parse(stdout) as object
    // The page shows what follows a scan; nobody has scanned the code of the request.
    if (afterScan) t.match(real, { isOk: false }, name)
    else t.ok(shows(shown, real), `${name} shows what it answers: ${stdout.slice(0, 600)}`)
  }
})

t.test('Chinese words are found wherever they stand, and titles stay as they are', async (t) => {
  const html = searchable('<h2 id="a">扫码登录 <a href="#a" aria-label="扫码">#</a></h2><p>用 QQ 音乐<b>扫码登录</b></p>')
  t.match(html, /^<h2 id="a">扫码登录 <a href="#a" aria-label="扫码">#<\/a><\/h2>/)
  for (const word of ['扫码登录', '码登录', '登录', '音乐']) t.ok(html.replaceAll(/<[^>]*>/g, ' ').split(/\s+/).includes(word), word)
  t.equal(searchable('<h1>Login</h1><p>A code.</p>'), '<h1>Login</h1><p></p><p>A code.</p>')
})

t.test('the first page has a face in both languages, and pages that mention everything have no titles for the search', async (t) => {
  for (const page of ['index.md', 'zh/index.md']) {
    const [, front = ''] = (pages.get(page) ?? '').split('---\n')
    const { layout, hero: { name, image, actions }, features } = JSON.parse(front)
    t.match([layout, name, actions.length, features.length], ['home', 'music-relay', 3, 5], page)
    t.ok(existsSync(join(root, 'docs', image.src)))
    for (const { link } of [...actions, ...features]) t.ok(pageAt(link) !== undefined, link)
    t.notMatch(pages.get(page), '<img')
  }
  t.equal(foundLast('changelog.md', '<h1>A</h1><h2 id="b">B</h2>'), '<h1>A</h1><p>B</p>')
  t.equal(foundLast('zh/login.md', '<h2>B</h2>'), '<h2>B</h2>')
})
