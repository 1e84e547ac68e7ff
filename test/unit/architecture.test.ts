/** The layers of the project: which folder may import which, what may know the provider, and what an import may do. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { importsOf, roomOf, sourceText, sources } from '../../docs/rooms.ts'
import { registry } from '../../src/endpoints/index.ts'
import { tags } from '../../src/openapi/operations.ts'
import { version } from '../../src/common/version.ts'
import { endpoints } from '../support/helper.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/**
 * Each room and the rooms it may import from, besides itself. The four entries, files directly in `src`, are rooms,
 * too.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'schemas': [],
  'config': ['schemas', 'src/common'],
  'src/demo': [],
  'src/common': ['schemas'],
  'src/upstream': ['schemas', 'src/common'],
  'src/cache': ['src/common', 'src/upstream'],
  'src/core': ['schemas', 'src/common', 'src/upstream', 'src/cache'],
  'src/accounts': ['schemas', 'config', 'src/common', 'src/upstream', 'src/cache', 'src/core'],
  'src/endpoints': ['schemas', 'src/common', 'src/upstream', 'src/core'],
  'src/library': ['schemas', 'src/common', 'src/core', 'src/endpoints'],
  'src/openapi': ['schemas', 'src/core'],
  'src/mcp.ts': ['src/common', 'src/core', 'src/endpoints', 'src/library', 'src/openapi'],
  'src/doctor': ['src/common', 'src/upstream', 'src/core', 'src/endpoints', 'src/library'],
  'src/plugins': ['schemas', 'src/common', 'src/upstream', 'src/cache', 'src/core', 'src/openapi'],
  'src/players': ['schemas', 'src/common', 'src/core', 'src/endpoints', 'src/library', 'src/plugins'],
  'src/app.ts': ['src/cache', 'src/core', 'src/endpoints', 'src/library', 'src/plugins', 'src/players'],
  'src/index.ts': ['src/common', 'src/core', 'src/library', 'src/app.ts'],
  'src/cli': ['schemas', 'config', 'src/common', 'src/upstream', 'src/cache', 'src/core', 'src/accounts', 'src/endpoints', 'src/library', 'src/mcp.ts', 'src/doctor', 'src/plugins', 'src/players', 'src/app.ts', 'src/demo'],
  'src/cli.ts': ['src/common', 'src/cli']
}

const files = sources()

t.test('each room imports only from the rooms it may know', async (t) => {
  for (const file of files) {
    const room = roomOf(file)
    t.ok(Object.hasOwn(allowed, room), `${file} belongs to a known room`)
    for (const target of importsOf(file)) {
      t.ok(existsSync(join(root, target)), `${file} imports ${target}, which exists`)
      t.ok(roomOf(target) === room || allowed[room]?.includes(roomOf(target)), `${file} may import ${target}; the table above lists what ${room} knows: ${allowed[room]?.join(', ')}`)
    }
  }
  t.ok(files.length > 30)
})

t.test('no import leads back to where it came from', async (t) => {
  const done = new Set<string>()
  function walk (file: string, way: readonly string[]): void {
    if (way.includes(file)) t.fail([...way.slice(way.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) for (const target of importsOf(file)) walk(target, [...way, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  t.equal(done.size, files.length)
})

t.test('docs/architecture.md outlines every room of src, and no other', async (t) => {
  const [outline = ''] = /```text\n(.*?)```/s.exec(sourceText('docs/architecture.md'))?.slice(1) ?? []
  const inSource = outline.slice(outline.indexOf('\nsrc/\n') + 6, outline.indexOf('\ndocs/'))
  const named = [...inSource.matchAll(/^ {2}([\w.]+\/?) /gm)].map(([, name = '']) => `src/${name.replace('/', '')}`)
  t.same(named.sort(), [...new Set(files.filter((file) => file.startsWith('src/')).map(roomOf))].sort())
})

t.test('endpoints see of the provider what they may: calls, readers, constants, never a connection', async (t) => {
  const forbidden = /upstream\/(client|http\/.*)\.ts$/
  for (const file of files.filter((file) => file.startsWith('src/endpoints/'))) {
    for (const target of importsOf(file)) t.notMatch(target, forbidden, `${file} and ${target}`)
  }
})

t.test('only the provider, the demo, and the players that name it know who the upstream is', async (t) => {
  const identity = /\bqq\b|qqmusic|qq\.com|tencent|weixin|wechat|ptlogin|gtimg|qm_keyst|wxuin/i
  const inNames = /\b[qQ][qQ](?=[A-Z])|[a-z](?:QQ|Qq)(?![a-z])/
  for (const file of [...files, 'config/service-config.json', 'config/user-info.example.json']) {
    if (file.startsWith('src/upstream/') || file.startsWith('src/demo/') || file.startsWith('src/players/')) continue
    const telling = sourceText(file).split('\n').filter((line) => identity.test(line) || inNames.test(line))
    t.same(telling, [], `${file} does not say who the upstream is: what does belongs to src/upstream`)
  }
})

t.test('every endpoint file is in the registry, src/endpoints/index.ts, under its own name', async (t) => {
  const own = files.filter((file) => file.startsWith('src/endpoints/') && !file.includes('/shared/') && !file.endsWith('endpoints/index.ts'))
  t.same(own.map((file) => file.replace(/^.*\/|\.ts$/g, '')).sort(), Object.keys(registry).sort())
})

t.test('paths, aliases and path forms are unique, and nothing personal may be cached', async (t) => {
  const paths = Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) => [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/:${pathParam}`])])
  t.equal(new Set(paths).size, paths.length)
  for (const [name, { login, cache, tag }] of Object.entries(endpoints)) {
    t.notOk(login === 'required' && cache !== undefined, `${name} does not cache what needs a login`)
    t.ok(tags.some((known) => known.name === tag), `${name} has a documented tag`)
  }
})

t.test('the demo upstream imports nothing of the relay', async (t) => {
  for (const file of files.filter((file) => file.startsWith('src/demo/'))) {
    for (const target of importsOf(file)) t.match(target, /^src\/demo\//, file)
  }
})

t.test('importing the library prints nothing, opens nothing and lets the process end', async (t) => {
  const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', "await import('./src/index.ts')"], { cwd: root, encoding: 'utf8', timeout: 30_000 })
  t.equal(run.status, 0, run.stderr)
  t.equal(run.stdout, '')
})

t.test('the version is that of the package', async (t) => {
  t.equal(version, (JSON.parse(sourceText('package.json')) as { version: string }).version)
})

t.test('no source file is longer than 250 lines without its reason', async (t) => {
  for (const file of files) {
    const lines = sourceText(file).split('\n')
    t.ok(lines.length <= 251 || /long because/i.test(lines.slice(0, 12).join(' ')), `${file} has ${lines.length} lines`)
  }
})

t.test('no line of code is longer than 160 characters, except for a text or a pattern in one piece', async (t) => {
  const literal = /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[=(]\s|^\s*)\/(?:[^/\\\n]|\\.)+\//g
  const generated = new Set(['src/common/types.ts', 'src/openapi/examples.ts', 'src/doctor/calls.ts'])
  for (const file of files.filter((file) => !generated.has(file))) {
    const long = sourceText(file).split('\n').flatMap((line, at) => line.length > 160 && line.replaceAll(literal, '').length > 110 ? [at + 1] : [])
    t.same(long, [], `${file}: break these lines`)
  }
})
