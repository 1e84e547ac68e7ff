/**
 * The package as a user gets it: packed, installed into an empty folder without development tools and scripts, and used
 * there, on every Node that is promised, on Deno and on Bun. Usage: node test/gate/packed.js [--here]. With --here only
 * on the Node that runs this. One line for each promise; exits with 1 when one is broken. Needs the registry.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isHere, nodes } from '../runtimes/binaries.js'
import { librarySameEverywhere } from '../runtimes/library.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const hereOnly = process.argv.includes('--here')
const scratch = mkdtempSync(join(tmpdir(), 'music-relay-packed-'))
chmodSync(scratch, 0o755)
const folder = join(scratch, 'user')
const cli = join(folder, 'node_modules/music-relay/dist/cli.js')
/** TypeScript 7, which made the declarations, and 5, which many users have. */
const compilers = ['typescript', 'typescript-api'].map((name) => join(root, 'node_modules', name, 'bin/tsc'))
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
/** Nothing of this machine's settings, but for npm, which has to reach its registry. */
const env = { PATH: process.env.PATH, HOME: process.env.HOME }
const npm =
  { env: { ...process.env, npm_config_loglevel: 'error', npm_config_audit: 'false', npm_config_fund: 'false' } }

/** Fulfilled with what was written and the exit code; never rejected. */
const run = async (command, args, options = {}) => await promisify(execFile)(
  command, args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 600_000, ...options }
)
  .then(({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }), (
    { code, stdout = '', stderr = '', message }
  ) => ({ code: code ?? message, out: stdout, err: stderr }))

function demand (holds, what) { if (!holds) throw new Error(what) }

async function did (command, args, options) {
  const ended = await run(command, args, options)
  demand(ended.code === 0, `${command} ${args.join(' ')} ended with ${ended.code}: ${ended.out.slice(-2000)}${ended.err.slice(-2000)}`)
  return ended
}

/** Starts a demo, asks it for a lyric and a login code, and stops it. Nothing may be said but the banner and the log. */
async function demoAnswers (command, args, options = {}, ...more) {
  const child = spawn(command, [...args, 'demo', '--json'], {
    cwd: folder, detached: true, ...options, env: { ...env, PORT: '0', ...options.env }
  })
  let said = ''
  const ended = once(child, 'close')
  child.stderr.setEncoding('utf8').on('data', (text) => { said += text })
  try {
    const [first] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
    demand(typeof first === 'string', `it ended with ${first} before it listened: ${said}`)
    const { address } = JSON.parse(first)
    for (const [page, text] of [['/getLyric/00DemoSong0001', 'First Light'], ['/getMainLoginQr', 'qrsig'], ['/', 'data-facts'], ['/sw.js', 'page/app-'], ...more]) {
      const answer = await patiently(`${address}${page}`)
      demand(answer.includes(text), `${page} is ${answer}`)
    }
  } finally {
    // npx has children.
    try { process.kill(-child.pid, 'SIGTERM') } catch { /* it has ended */ }
    await ended
  }
  demand(said === '', `it said ${said}`)
}

/** Logs in with a phone that is a page of the demo, as a person would, and looks at what was stored. */
async function loginIsStored (channel, account, digits) {
  const upstream = spawn(process.execPath, [cli, 'demo-upstream', '--port', '0', '--json'], { env })
  const stored = join(scratch, `login-${channel}`)
  try {
    const [first] = await once(upstream.stdout.setEncoding('utf8'), 'data')
    const child = spawn(process.execPath, [cli, 'login', channel, '--json'], {
      env: { ...env, CONFIG_DIR: stored, UPSTREAM_ORIGIN: JSON.parse(first).address }
    })
    let [said, out, confirmed] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => { out += text })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
      const page = /Simulate the scan: (\S+)\n/.exec(said)?.[1]
      if (page !== undefined) confirmed ??= fetch(page, { method: 'POST', body: new URLSearchParams({ account }) })
        .catch(() => { child.kill() })
    })
    const [code] = await once(child, 'close')
    demand(code === 0 && JSON.parse(out).ok === true, `it ended with ${code}: ${out}${said}`)
    const file = join(stored, 'user-info.json')
    demand(
      JSON.parse(readFileSync(file, 'utf8')).loginUin === `o${digits}` && (statSync(file).mode & 0o777) === 0o600,
      'the file has another account, or others may read it'
    )
  } finally {
    upstream.kill()
  }
}

/** A busy machine may have the relay refuse its first requests for a moment. */
async function patiently (address) {
  for (let tries = 0; ; tries++) {
    const { out: answer } = await run('curl', ['--silent', '--show-error', address])
    if (tries === 20 || !/^\{.*"OVERLOADED"/.test(answer)) return answer // pages explain this word
    await new Promise((resolve) => { setTimeout(resolve, 500) })
  }
}

/** Imports the library, opens nothing, and must end by itself. */
const library = `import { RelayError, createClient, createRelay } from 'music-relay'
import { RelayError as same } from 'music-relay/client'
const both = [createRelay(), createClient('http://localhost:3200')]
if (RelayError !== same || typeof both[0].getLyric !== typeof both[1].getLyric) throw new Error('two classes, or two kinds of relays')
`
const page = `import { createClient } from 'music-relay/client'
const { lyric } = await createClient(location.origin).getLyric({ songmid: 'a' })
export const text: string = lyric
// @ts-expect-error a text
export const number: number = lyric
`
const ofClient = "import { RelayError, createClient } from 'music-relay/client'; await createClient('http://127.0.0.1:1').getLyric({}).catch((error) => console.log(error instanceof RelayError, error.message))"

/** Both compilers take this file. */
async function typeChecks (name, text, compilerOptions, where = folder) {
  writeFileSync(join(where, `${name}.ts`), text)
  writeFileSync(join(where, `${name}.json`), JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, target: 'es2023', ...compilerOptions }, files: [`${name}.ts`]
  }))
  for (const tsc of compilers) await did(process.execPath, [tsc, '-p', `${name}.json`], { cwd: where })
}

async function libraryEnds (node) {
  const { out, err } = await did(node, ['library.js'], { timeout: 120_000 })
  demand(out === '' && err === '', `it said ${out}${err}`)
}

let broken = 0
/** `work` may give back why it could not be tried. */
async function promise (what, work) {
  const begun = performance.now()
  try {
    const skipped = await work()
    console.log(`${skipped === undefined ? 'ok' : `skipped, ${skipped}`}: ${what} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
  } catch (error) {
    broken++
    console.log(`BROKEN: ${what}\n  ${error.message}`)
  }
}

try {
  mkdirSync(folder)
  const { out } = await did('npm', ['run', '--silent', 'release'], { cwd: root, ...npm, timeout: 900_000 })
  const [tarball, bill] = ['.tgz', '.cdx.json']
    .map((end) => join(root, out.split('\n').find((line) => line.endsWith(end))))
  const bin = (name) => join(root, 'node_modules/.bin', name)
  if (!hereOnly && !isHere()) {
    await did('npm', ['ci', '--prefix', 'test/runtimes', '--ignore-scripts'], { cwd: root, ...npm, timeout: 900_000 })
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "version": "1.0.0", "type": "module", "private": true }')
  await did('npm', ['install', '--omit=dev', '--ignore-scripts', tarball], npm)

  await promise('nothing it brings runs at installation', async () => {
    const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
    demand(Object.keys(packages).length > 50, 'the list of what is installed is too short to be true')
    const running = Object.keys(packages).filter((name) => packages[name].hasInstallScript)
    demand(running.length === 0, running.join(', '))
  })
  await promise('the release has a bill of materials with all that it brings, what is inside the command marked, and checksums', async () => {
    await did('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(root, 'release') })
    const { components, dependencies, metadata } = JSON.parse(readFileSync(bill, 'utf8'))
    const direct = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies)
      .map(([name, version]) => `${name}@${version}`)
    const missing = direct.filter((name) => !components.some((one) => one['bom-ref'] === name))
    demand(missing.length === 0, `it lacks ${missing.join(', ')}`)
    demand(metadata.component.name === 'music-relay' && direct.every((name) => dependencies.find(
      ({ ref }) => ref.startsWith('music-relay@')
    ).dependsOn.includes(name)), 'it does not say what needs what')
    demand(!components.some(({ name }) => name === 'typescript' || name === 'tap'), 'it names what only developers use')
    const bundled = components.filter(({ properties }) =>
      properties?.some(({ name }) => name === 'music-relay:bundled')).map(({ name }) => name)
    for (const name of ['fastify', 'undici', 'prom-client', 'iovalkey']) demand(bundled.includes(name), `bundled: ${bundled.join(', ')}`)
  })
  await promise('the bill of materials of an installation can be written', async () => {
    const { components } = JSON.parse((await did('npm', ['sbom', '--sbom-format', 'cyclonedx'], npm)).out)
    demand(
      components.some(({ name }) => name === 'music-relay') && components.some(({ name }) => name === 'fastify'),
      'it lacks what is installed'
    )
  })
  await promise('no grave flaw is known of what it brings', async () => {
    const { out } = await run('npm', ['audit', '--json'], { ...npm, env: { ...npm.env, npm_config_audit: 'true' } })
    const { high, critical } = JSON.parse(out || '{}').metadata?.vulnerabilities ?? {}
    if (high === undefined) return 'the registry does not tell'
    demand(high + critical === 0, `${high} high, ${critical} critical: npm audit --omit=dev names them`)
  })
  await promise('the packaging is right (publint)', async () => { await did(bin('publint'), [tarball, '--strict'], { cwd: root }) })
  await promise('types resolve for ESM (attw)', async () => {
    await did(bin('attw'), [tarball, '--profile', 'esm-only', '--exclude-entrypoints', './openapi.yaml'], { cwd: root })
  })
  await promise('the pages that the README and the help name are in it', async () => {
    const own = join(folder, 'node_modules/music-relay')
    const named = [...readFileSync(join(own, 'README.md'), 'utf8')
      .matchAll(/\]\((docs\/[^)#]+|CHANGELOG\.md|SECURITY\.md)[)#]/g)].map(([, page]) => page)
    const missing = named.filter((page) => !existsSync(join(own, page)))
    demand(named.length > 10 && missing.length === 0, `missing: ${missing.join(', ')}`)
  })
  await promise('npx music-relay demo answers curl', async () => {
    await demoAnswers('npx', ['--no-install', 'music-relay'], { env: { npm_config_loglevel: 'error' } })
  })
  await promise('music-relay login stores the login of either channel', async () => {
    await loginIsStored('alt', 'member', '1152921504600000203')
    await loginIsStored('main', 'ordinary', '1000000101')
  })
  await promise('npx music-relay openapi prints the document', async () => {
    demand((await did('npx', ['--no-install', 'music-relay', 'openapi'])).out === readFileSync(join(root, 'openapi.yaml'), 'utf8'), 'it is another document')
  })
  await promise('the library type-checks under strict', async () => {
    await typeChecks('types', readFileSync(join(root, 'test/gate/types.ts'), 'utf8'), {
      module: 'nodenext', types: ['node'], typeRoots: [join(root, 'node_modules/@types')]
    })
  })
  await promise('the declarations equal the schemas', async () => {
    await did(process.execPath, [compilers[0], '--singleThreaded', '-p', 'test/gate'], { cwd: root })
  })
  await promise('an editor shows the documentation of all names', async () => { await did(
    process.execPath, ['test/run.js', 'test/nightly/hover.test.ts'], { cwd: root, env: { ...env, PACKAGE: folder } }
  ) })
  writeFileSync(join(folder, 'library.js'), library)
  await promise('importing the library opens nothing, and the process ends', async () => { await libraryEnds(process.execPath) })
  if (!hereOnly) await promise('the library does the same on every Node, on Deno, on Bun and as a bundle', async () =>
    await librarySameEverywhere({ folder, cli, esbuild: bin('esbuild'), scratch, env, did })
  )
  await promise('who wants the client installs one package; the command works there too, but for the page of the documentation', async () => {
    const alone = join(scratch, 'alone')
    mkdirSync(alone)
    writeFileSync(join(alone, 'package.json'), '{ "type": "module", "private": true }')
    await did('npm', ['install', '--omit=optional', '--ignore-scripts', tarball], { ...npm, cwd: alone })
    const installed = readdirSync(join(alone, 'node_modules')).filter((name) => !name.startsWith('.'))
    demand(installed.join() === 'music-relay', `installed: ${installed.join(', ')}`)
    const { out } = await did(process.execPath, ['--input-type=module', '--eval', ofClient], { cwd: alone })
    demand(out === 'true songmid: is required.\n', out)
    await typeChecks(
      'page', page, { lib: ['es2023', 'dom'], module: 'esnext', moduleResolution: 'bundler', types: [] }, alone
    )
    await demoAnswers('npx', ['--no-install', 'music-relay'], {
      cwd: alone, env: { METRICS: 'true', npm_config_loglevel: 'error' }
    }, ['/metrics', 'music_relay_info'], ['/docs', '--omit=optional'])
  })
  await promise('the package has few files, and says where it comes from', async () => {
    const [{ entryCount }] =
      JSON.parse((await did('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { ...npm, cwd: root })).out)
    demand(entryCount < 400, `${entryCount} files`)
    const { repository, homepage, author } =
      JSON.parse(readFileSync(join(folder, 'node_modules/music-relay/package.json'), 'utf8'))
    demand(
      repository.url.startsWith('git+https:') && homepage.startsWith('https:') && author !== undefined,
      'package.json lacks them'
    )
  })
  await did('chmod', ['-R', 'a-w', folder])
  await promise(`it runs from a read-only folder${'uid' in nobody ? ', as nobody' : ''}`, async () => {
    await demoAnswers(process.execPath, [cli], { ...nobody, env: { HOME: '/nonexistent' } })
  })
  for (const [major, node] of hereOnly ? [] : nodes) {
    await promise(`it runs on Node ${major}, silently`, async () => {
      if (!existsSync(node)) return 'no package of it for this platform'
      demand((await did(node, ['--version'])).out.startsWith(`v${major}.`), 'this is another Node')
      await demoAnswers(node, [cli])
      await libraryEnds(node)
    })
  }
} catch (error) {
  broken++
  console.log(`BROKEN: ${error.message}`)
} finally {
  await run('chmod', ['-R', 'u+w', scratch], { cwd: root })
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = broken === 0 ? 0 : 1
