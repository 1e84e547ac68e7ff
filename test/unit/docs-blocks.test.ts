/**
 * The documentation is correct: its lists are complete, its links work, and every code block is run or says why not.
 * `npm run docs` runs them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { subset } from 'semver'
import t from 'tap'
import { parse } from 'yaml'
import { errorCodes } from '../../schemas/errors.ts'
import { playReasons } from '../../schemas/common.ts'
import { moodLines } from '../../src/demo/moodNames.ts'
import { calls } from '../../src/doctor/examine.ts'
// @ts-expect-error plain script, used outside of the suite too
import { blocksOf, pages, readPage, root } from '../docs/blocks.js'
import { endpoints } from '../support/helper.ts'

interface Block { lang: string, code: string, line: number, role: string, marks: Record<string, string> }

const read = (page: string): string => readPage(page) as string
const blocks = (page: string): Block[] => blocksOf(read(page)) as Block[]
const all = pages() as string[]
const json = (file: string): any => JSON.parse(readFileSync(join(root as string, file), 'utf8'))

t.test('every block of every page is run, checked by its program, or marked with the reason why not', async (t) => {
  const gate = read('.ci/run')
  const every = all.flatMap((page) => blocks(page).map((block) => ({ ...block, at: `${page}:${block.line}` })))
  t.same(every.filter(({ role }) => role === 'unknown').map(({ at, lang }) => `${at}: nobody knows how to try a block of "${lang}"; test/docs/blocks.js lists the marks`), [])
  t.same(every.filter(({ role, marks }) => role === 'not run' && (marks['not run'] ?? '').length <= 8).map(
    ({ at }) => `${at} does not say why it is not run`
  ), [])
  t.same(every.filter(
    ({ role, code }) => role === 'run by' && !code.split(/\n| && /).every((command) => gate.includes(command))
  ).map(({ at }) => `${at}: .ci/run does not run it`), [])
  t.ok(all.length > 10)
})

t.test('beside the first line of the READMEs, no page has npm fetch a package of our name', async (t) => {
  const { version } = json('package.json') as { version: string }
  const fetches = /\bnpx (?:-(?!-no-install)\S+ )*music-relay|\bnpm (?:i|install|exec) (?:-\S+ )*music-relay/
  for (const page of [...all, 'public/index.html', 'public/app/zh.ts']) {
    t.notMatch(read(page).replace('```sh\nnpx music-relay demo\n```', ''), fetches, page)
  }
  for (const command of ['npx music-relay demo', 'npx -y music-relay', 'npm install music-relay', 'npm i -g music-relay']) t.match(command, fetches)
  for (const command of ['npx --no-install music-relay demo', `npm i ./music-relay-${version}.tgz`]) t.notMatch(command, fetches)
  for (const page of ['README.md', 'README.zh-CN.md', 'docs/agents.md', 'docs/guides/player.md', 'docs/guides/testing-a-client.md']) t.match(read(page), `music-relay-${version}.tgz`, page)
})

const anchorsOf = (text: string): Set<string> => new Set([...text.matchAll(/^#+ (.*)$/gm)]
  .map(([, title = '']) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(' ', '-')))

t.test('a reader has at most 45 pages and 45,000 words, beside the changelog, the list of tried reports and what is generated', async (t) => {
  const written = all.filter((page) => !/^docs\/(reference|opensubsonic|tried-reports)\./.test(page))
  t.ok(written.length <= 45, `${written.length} pages`)
  const words = written.flatMap((page) => read(page).split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))).length
  t.ok(words <= 45_000, `${words} words`)
})

t.test('links between pages lead somewhere', async (t) => {
  const leads = (page: string, target: string): boolean => {
    const [file = '', anchor] = target.split('#') as [string, string?]
    const path = file === '' ? page : join(dirname(page), file)
    return existsSync(resolve(root as string, path)) && (anchor === undefined || anchorsOf(read(path)).has(anchor))
  }
  const wrong = [...all, 'CHANGELOG.md', 'schemas/README.md', 'src/upstream/README.md', 'src/demo/README.md']
    .flatMap((page) =>
      [...read(page).replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)]
        .filter(([, target = '']) => !leads(page, target)).map(([, target]) => `${page} links to ${target}`))
  t.same(wrong, [])
})

t.test('what a page lists is all there is: codes, reasons, routes', async (t) => {
  for (const page of ['docs/guides/when-something-fails.md', 'docs/guides/when-something-fails.zh-CN.md']) {
    const failing = read(page)
    t.same(
      [...Object.keys(errorCodes), ...playReasons].filter((word) => !failing.includes(`\`${word}\``)), [],
      `each has its next step in ${page}`
    )
    t.same([...failing.matchAll(/^\| [\d ]+ \| (.*?) \|/gm)].flatMap(([, word = '']) => word.replaceAll('`', '').split(' ')).filter((code) => !Object.hasOwn(errorCodes, code)), [], page)
  }
  const paths = new Set(Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) => [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/:${pathParam}`])]))
  const rows = [...read('docs/guides/migrating.md').matchAll(/^\| (`(?:GET|POST) .*?) \| (the same.*?) \|/gm)]
  t.ok(rows.length >= 30)
  t.same(rows.flatMap(([, routes = '']) => [...routes.matchAll(/(\/[\w/:]+)`/g)].map(([, path = '']) => path)).filter((path) => !paths.has(path)), [], 'routes of docs/guides/migrating.md')
})

t.test('docs/upstream.md has a row for every endpoint, and names every upstream call and no other', async (t) => {
  const page = read('docs/upstream.md')
  const order = page.slice(page.indexOf('\n## Order of the calls\n'), page.indexOf('\n## What flaps and what is dead\n'))
  const named = [...order.matchAll(/`([a-z]+(?:\.[\w*-]+)+|feed|radios|tickets)`/g)].map(([, name = '']) => name)
  const fits = (name: string, call: string): boolean => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`).test(call)
  const known = Object.keys(calls)
  t.same(known.filter((call) => !named.some((name) => fits(name, call))), [], 'it says when each is sent')
  t.same(named.filter((name) => !known.some((call) => fits(name, call))), [], 'each is a call')
  t.same(Object.values(endpoints).filter(({ path }) => !new RegExp(`^\\|.*\`${path}\``, 'm').test(order)).map(({ path }) => path), [], 'each has a row')
  const moods = new Set(moodLines().map(({ name }) => name))
  const tried = [...page.slice(page.indexOf('\n## Try it\n')).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(/[`, ]+/).filter((name) => name !== ''))
  t.same(tried.filter((mood) => !moods.has(mood)), [], 'each is a mood')
  t.ok(tried.length > 10)
})

t.test('every package that runs in the process is listed with its licence and a reason; none asks for a Node that ours does not promise', async (t) => {
  const { optionalDependencies: ours, engines } = json('package.json') as { optionalDependencies: Record<string, string>, engines: { node: string } }
  const rows = [...read('docs/architecture.md').matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)]
  t.same(rows.filter(([, , , reason = '']) => reason.trim().length <= 10), [])
  t.same(
    rows.map(([, name = '', licence]) => [name, licence]).sort(([a = ''], [b = '']) => a < b ? -1 : 1),
    Object.keys(ours).sort().map((name) => [name, json(`node_modules/${name}/package.json`).license])
  )
  t.ok(Object.keys(ours).length <= 27)
  const locked = Object.entries((json('package-lock.json') as {
    packages: Record<string, { license?: string, dev?: boolean, engines?: { node?: string } }>
  }).packages)
  t.same(locked.filter(([path, { license = '', dev = false }]) =>
    path !== '' && !dev && !/^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0)$/.test(license)
  ), [])
  t.ok(subset('^20.19.0', engines.node), 'Node 20.19 is promised')
  t.ok(locked.filter(([, { engines }]) => engines?.node !== undefined).length > 100)
  t.same(
    locked.filter(([, { engines: wanted }]) => !subset(engines.node, wanted?.node ?? '*')), [],
    'npm ci prints no engine warning'
  )
})

t.test('only a tag of a person publishes: a package with its provenance, and a signed image for two architectures with its bill of materials', async (t) => {
  const { on, permissions, jobs } = parse(read('.github/workflows/release.yml')) as {
    on: object, permissions: object,
    jobs: Record<string, { needs?: string, steps: { uses?: string, run?: string, with?: object }[] }>
  }
  t.same([on, permissions], [{ push: { tags: ['v*'] } }, { contents: 'read' }])
  t.same([jobs['package']?.needs, jobs['image']?.needs], ['gate', 'gate'])
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run)).join('\n')
  for (const command of ['bash .ci/run', 'npm run release', 'npm publish --provenance', 'cosign sign']) t.match(commands, command)
  t.match(jobs['image']?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action')), {
    with: { platforms: 'linux/amd64,linux/arm64', provenance: 'mode=max', sbom: true }
  })
})

t.test('the container files agree with the package', async (t) => {
  const dockerfile = read('Dockerfile')
  const [, base] = /^ARG (\w+)=node:\d+-alpine@sha256:[\da-f]{64}$/m.exec(dockerfile) ?? []
  t.same(
    [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image), Array(2).fill(`\${${base}}`),
    'one base, named by digest'
  )
  t.match((parse(read('compose.yaml')) as { services: { relay: object } }).services.relay, { build: { args: [base] } })
  const { services } = parse(read('compose.yaml')) as {
    services: Record<string, { read_only?: boolean, cap_drop?: string[], security_opt?: string[] }>
  }
  for (const [name, service] of Object.entries(services)) {
    t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name)
  }
})

t.test('the pictures of the page carry the version of the relay: npm run release makes them', async (t) => {
  const { version } = json('package.json') as { version: string }
  const shown = ['README.md', 'README.zh-CN.md', 'docs/guides/listening.md', 'docs/guides/listening.zh-CN.md'].map(read).join('\n')
  for (const name of ['player', 'lyric', 'phone']) {
    const picture = readFileSync(new URL(`../../docs/pictures/${name}.png`, import.meta.url))
    t.match(picture.subarray(33, 100).toString('latin1'), `music-relay ${version}`, name)
    t.match(shown, `pictures/${name}.png`)
  }
})
