/** What may know the provider, what an import may do, and what the registry holds. `npm run lint` has the layers: which folder may import which. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { roomOf, sourceText, sources } from '../../build/docs/rooms.ts'
import { registry } from '../../src/endpoints/index.ts'
import { tags } from '../../build/openapi/operations.ts'
import { version } from '../../src/common/version.ts'
import { endpoints } from '../support/helper.ts'
import { programLine } from '../support/program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = sources()

t.test('docs/architecture.md outlines every room of src, and no other', async (t) => {
  const [outline = ''] = /```text\n(.*?)```/s.exec(sourceText('docs/architecture.md'))?.slice(1) ?? []
  const inSource = outline.slice(outline.indexOf('\nsrc/\n') + 6, outline.indexOf('\ndocs/'))
  const named = [...inSource.matchAll(/^ {2}([\w.]+\/?) /gm)].map(([, name = '']) => `src/${name.replace('/', '')}`)
  t.same(named.sort(), [...new Set(files.filter((file) => file.startsWith('src/')).map(roomOf))].sort())
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

t.test('every endpoint of a family is in the registry, src/endpoints/index.ts, under its own name', async (t) => {
  const defined = files.filter((file) => file.startsWith('src/endpoints/'))
    .flatMap((file) => [...sourceText(file).matchAll(/^export const (\w+) = endpoint\(/gm)].map(([, name]) => name))
  t.same(defined.sort(), Object.keys(registry).sort())
})

t.test('paths, aliases and path forms are unique, and nothing personal may be cached', async (t) => {
  const paths = Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) =>
    [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/:${pathParam}`])])
  t.equal(new Set(paths).size, paths.length)
  for (const [name, { login, cache, tag }] of Object.entries(endpoints)) {
    t.notOk(login === 'required' && cache !== undefined, `${name} does not cache what needs a login`)
    t.ok(tags.some((known) => known.name === tag), `${name} has a documented tag`)
  }
})

t.test('importing the library prints nothing, opens nothing and lets the process end', async (t) => {
  const run = spawnSync(process.execPath, programLine('src/index.ts'), { cwd: root, encoding: 'utf8', timeout: 30_000 })
  t.equal(run.status, 0, run.stderr)
  t.equal(run.stdout, '')
})

t.test('the version is that of the package', async (t) => {
  t.equal(version, (JSON.parse(sourceText('package.json')) as { version: string }).version)
})
