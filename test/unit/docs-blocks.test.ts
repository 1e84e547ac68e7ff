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
import { calls } from '../../src/doctor/calls.ts'
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
  for (const page of all) {
    for (const { role, marks, line, lang, code } of blocks(page)) {
      t.not(role, 'unknown', `${page}:${line}: nobody knows how to try a block of "${lang}"; test/docs/blocks.js lists the marks`)
      if (role === 'not run') {
        t.ok((marks['not run'] ?? '').length > 8, `${page}:${line} says why it is not run`)
        t.comment(`not run: ${page}:${line}: ${marks['not run']}`)
      }
      if (role === 'run by') for (const command of code.split(/\n| && /)) t.ok(gate.includes(command), `.ci/run has "${command}" of ${page}:${line}`)
    }
  }
  t.ok(all.length > 10)
})

t.test('no page has npm fetch a package of our name: until it is published, anybody may take that name', async (t) => {
  const { version } = json('package.json') as { version: string }
  const fetches = /\bnpx (?:-(?!-no-install)\S+ )*music-relay|\bnpm (?:i|install|exec) (?:-\S+ )*music-relay/
  for (const page of [...all, 'public/index.html', 'public/login.html']) t.notMatch(read(page), fetches, page)
  for (const command of ['npx music-relay demo', 'npx -y music-relay', 'npm install music-relay', 'npm i -g music-relay']) t.match(command, fetches)
  for (const command of ['npx --no-install music-relay demo', `npm i ./music-relay-${version}.tgz`]) t.notMatch(command, fetches)
  for (const page of ['README.md', 'README.zh-CN.md', 'docs/agents.md', 'docs/guides/player.md', 'docs/guides/testing-a-client.md']) t.match(read(page), `./music-relay-${version}.tgz`, page)
})

t.test('links between pages lead somewhere', async (t) => {
  for (const page of [...all, 'CHANGELOG.md', 'schemas/README.md', 'src/upstream/README.md', 'src/demo/README.md']) {
    const prose = read(page).replaceAll(/```[\s\S]*?```/g, '')
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [file = '', anchor] = target.split('#') as [string, string?]
      const path = file === '' ? page : join(dirname(page), file)
      t.ok(existsSync(resolve(root as string, path)), `${page} links to ${target}`)
      if (anchor !== undefined) t.ok(anchorsOf(read(path)).has(anchor), `${page} links to ${target}`)
    }
  }
})

function anchorsOf (text: string): Set<string> {
  return new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(' ', '-')))
}

t.test('what a page lists is all there is: codes, reasons, routes', async (t) => {
  for (const page of ['docs/guides/when-something-fails.md', 'docs/guides/when-something-fails.zh-CN.md']) {
    const failing = read(page)
    for (const word of [...Object.keys(errorCodes), ...playReasons]) t.ok(failing.includes(`\`${word}\``), `${word} has its next step in ${page}`)
    for (const [, word = ''] of failing.matchAll(/^\| [\d ]+ \| (.*?) \|/gm)) {
      for (const code of word.replaceAll('`', '').split(' ')) t.ok(Object.hasOwn(errorCodes, code), `${code} of ${page} exists`)
    }
  }
  const moving = read('docs/guides/migrating.md')
  const paths = new Set(Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) => [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/:${pathParam}`])]))
  const rows = [...moving.matchAll(/^\| (`(?:GET|POST) .*?) \| (the same.*?) \|/gm)]
  t.ok(rows.length >= 30)
  for (const [, routes = ''] of rows) {
    for (const [, path = ''] of routes.matchAll(/(\/[\w/:]+)`/g)) t.ok(paths.has(path), `${path} of docs/guides/migrating.md exists`)
  }
})

t.test('docs/upstream.md has a row for every endpoint, and names every upstream call and no other', async (t) => {
  const page = read('docs/upstream.md')
  const order = page.slice(page.indexOf('\n## Order of the calls\n'), page.indexOf('\n## What flaps and what is dead\n'))
  const named = [...order.matchAll(/`([a-z]+(?:\.[\w*-]+)+|feed|radios|tickets)`/g)].map(([, name = '']) => name)
  const fits = (name: string, call: string): boolean => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`).test(call)
  for (const call of Object.keys(calls)) t.ok(named.some((name) => fits(name, call)), `docs/upstream.md says when ${call} is sent`)
  for (const name of named) t.ok(Object.keys(calls).some((call) => fits(name, call)), `${name} of docs/upstream.md is a call`)
  for (const { path } of Object.values(endpoints)) t.match(order, new RegExp(`^\\|.*\`${path}\``, 'm'), `${path} has a row`)
  const moods = new Set(moodLines().map(({ name }) => name))
  const tried = [...page.slice(page.indexOf('\n## Try it\n')).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(/[`, ]+/).filter((name) => name !== ''))
  for (const mood of tried) t.ok(moods.has(mood), `${mood} of docs/upstream.md is a mood`)
  t.ok(tried.length > 10)
})

t.test('every package that runs in the process is listed with its licence and a reason', async (t) => {
  const { dependencies, peerDependencies } = json('package.json') as Record<string, Record<string, string>>
  const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, name = '', licence, reason = '']) => {
    t.ok(reason.trim().length > 10, `${name} has a reason`)
    return [name, licence]
  })
  const installed = Object.keys({ ...dependencies, ...peerDependencies }).sort()
  t.same(rows.sort(([a = ''], [b = '']) => a < b ? -1 : 1), installed.map((name) => [name, json(`node_modules/${name}/package.json`).license]))
  t.ok(Object.keys(dependencies ?? {}).length <= 25)
  const { packages } = json('package-lock.json') as { packages: Record<string, { license?: string, dev?: boolean, devOptional?: boolean }> }
  for (const [path, { license, dev = false, devOptional = false }] of Object.entries(packages)) {
    if (path !== '' && !dev && !devOptional) t.match(license, /^(MIT|ISC|BSD-[23]-Clause|BlueOak-1\.0\.0)$/, path)
  }
})

t.test('no package of the lock asks for a Node that ours does not promise: npm ci prints no engine warning', async (t) => {
  const { engines } = json('package.json') as { engines: { node: string } }
  const { packages } = json('package-lock.json') as { packages: Record<string, { engines?: { node?: string } }> }
  t.ok(subset('^20.19.0', engines.node), 'Node 20.19 is promised')
  const limited = Object.entries(packages).filter(([, { engines }]) => engines?.node !== undefined)
  t.ok(limited.length > 100)
  for (const [path, { engines: wanted }] of limited) t.ok(subset(engines.node, wanted?.node ?? '*'), `${path} wants ${wanted?.node}`)
})

t.test('the container files agree with the package', async (t) => {
  const { devDependencies } = json('package.json') as { devDependencies: Record<string, string> }
  const dockerfile = read('Dockerfile')
  for (const name of ['iovalkey', 'prom-client']) t.ok(dockerfile.includes(` ${name}@${devDependencies[name]}`), `${name} in the version of the lock`)
  const [, base] = /^ARG (\w+)=node:\d+-alpine@sha256:[\da-f]{64}$/m.exec(dockerfile) ?? []
  t.same([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image), Array(2).fill(`\${${base}}`), 'one base, named by digest')
  t.match((parse(read('compose.yaml')) as { services: { relay: object } }).services.relay, { build: { args: [base] } })
  const { services } = parse(read('compose.yaml')) as { services: Record<string, { read_only?: boolean, cap_drop?: string[], security_opt?: string[] }> }
  for (const [name, service] of Object.entries(services)) t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name)
})
