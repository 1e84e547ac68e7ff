/**
 * Runs what the pages tell a reader to type, against the demo: node test/docs/run.js [--at <address>] [page …]
 * A page is read from top to bottom in one shell, in a folder that looks like a checkout. `--at` names a relay that
 * runs already; else one is started for each page that starts none itself. Needs `npm run build`. Nothing here reaches
 * the real upstream.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { blocksOf, pages, patternOf, readPage, root } from './blocks.js'
import { checkConfiguration, checkUnit } from './configurations.js'

const { values: { at }, positionals } = parseArgs({ allowPositionals: true, options: { at: { type: 'string' } } })
const cli = `${root}dist/src/cli.js`
if (!existsSync(cli)) throw new Error('npm run build comes first')

if (at !== undefined) await untilUp(at)
const scratch = mkdtempSync(join(tmpdir(), 'music-relay-docs-'))
const shims = join(scratch, 'bin')
writeShims()
const demo = await listening(['demo-upstream', '--port', '0'], process.env)
const counts = { passed: 0, failed: 0 }
const notRun = []
try {
  for (const page of positionals.length > 0 ? positionals : pages()) await tryPage(page, blocksOf(readPage(page)))
  if (positionals.length === 0) {
    const wrong = checkUnit(readPage('docs/systemd/music-relay.service'), (name, text) => {
      writeFileSync(join(scratch, name), text)
      return join(scratch, name)
    })
    if (wrong !== undefined) console.log(`docs/systemd/music-relay.service: ${wrong}`)
    counts[wrong === undefined ? 'passed' : 'failed']++
  }
} finally {
  demo.child.kill()
  rmSync(scratch, { recursive: true, force: true })
}
for (const line of notRun) console.log(`not run: ${line}`)
console.log(`blocks: ${counts.passed} passed, ${counts.failed} failed, ${notRun.length} not run`)
if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1

async function tryPage (page, blocks) {
  const alone = blocks.filter(({ marks }) => 'alone' in marks)
  const together = blocks.filter(({ marks }) => !('alone' in marks))
  for (const block of alone) await trySession(page, [block])
  if (together.length > 0) await trySession(page, together)
}

async function trySession (page, blocks) {
  const folder = mkdtempSync(join(scratch, 'page-'))
  const ports = createPorts()
  const say = ({ line }, problem) => {
    counts[problem === undefined ? 'passed' : 'failed']++
    if (problem !== undefined) console.log(`${page}:${line}: ${problem}`)
  }
  for (const block of blocks) {
    if (block.role === 'not run') notRun.push(`${page}:${block.line}: ${block.marks['not run']}`)
    if (block.role === 'unknown') say(block, `nobody knows how to check a block of "${block.lang}"; test/docs/blocks.js shows the marks`)
    if (block.role === 'configuration') say(block, await checkConfiguration(block, scratch))
  }
  const steps = blocks.filter(({ role }) => ['shell', 'script', 'file', 'change', 'output', 'run by'].includes(role))
  if (!steps.some(({ role }) => role !== 'output' && role !== 'file')) {
    for (const block of steps) say(block, 'no command before it prints or uses it')
    return
  }
  const port = await ports.of('3200')
  const starts = steps.some(({ role, code }) => role === 'shell' && /^(?!.*\bPORT=)(.* )?(music-relay( serve| demo)?|npm (start|run demo)|dist\/src\/cli\.js( serve| demo)?)( --json)?( &)?$/m.test(code))
  const env = { ...process.env, PATH: `${shims}:${process.env.PATH}`, HOME: folder, PORT: String(port), UPSTREAM_ORIGIN: demo.origin, IMAGE_ORIGIN: demo.origin, TMPDIR: folder }
  const bed = starts || at !== undefined ? undefined : await listening(['demo'], env)
  try {
    layCheckout(folder, steps.some(({ role }) => role === 'change'))
    await runSteps(steps, folder, env, at ?? `http://localhost:${port}`, ports, say)
  } finally {
    bed?.child.kill()
  }
}

/** One shell for all of them; each prints to files of its own, so that output can be told apart. */
async function runSteps (steps, folder, env, address, ports, say) {
  const script = ['set -m; shopt -s expand_aliases',
    'up () { for try in $(seq 1200); do (exec 3<>/dev/tcp/127.0.0.1/$1 || exec 3<>/dev/tcp/::1/$1) 2>/dev/null && return; sleep 0.05; done; echo "nothing listens on port $1" >&2; }']
  const ran = []
  for (const [number, block] of steps.entries()) {
    if (block.role === 'output' || block.role === 'run by') continue
    const code = await ports.replace(block.code.replaceAll('http://localhost:3200', address)
      .replaceAll('createRelay()', `createRelay({ upstreamOrigin: '${demo.origin}', imageOrigin: '${demo.origin}' })`))
    if (block.role === 'file') {
      writeFileSync(join(folder, block.file), `${code}\n`)
      if (!block.file.startsWith('src/') && !steps.slice(number + 1).some((later) => later.role === 'shell' && later.code.includes(block.file))) say(block, `nothing runs ${block.file}`)
      else say(block)
      continue
    }
    if (block.role === 'change') {
      say(block, change(join(folder, block.file), code))
      continue
    }
    ran.push(number)
    script.push(`exec >'${folder}/.out-${number}' 2>'${folder}/.err-${number}'`)
    if (block.role === 'script') {
      const file = `block-${number}.${block.lang === 'js' ? 'mjs' : block.lang}`
      writeFileSync(join(folder, file), code)
      script.push(`node ${block.lang === 'ts' ? `--import '${pathToFileURL(`${root}node_modules/tsx/dist/loader.mjs`).href}' ` : ''}${file}`)
    } else {
      const waiting = []
      const lines = code.split('\n').map((line, index, all) => 'stays' in block.marks && index === all.length - 1 ? `${line} &` : line)
      for (const line of lines) {
        waiting.push(line)
        if (line.endsWith(' &')) waiting.push(`up ${/(?:--port |\bPORT=)(\d+)/.exec(line)?.[1] ?? '$PORT'}`)
      }
      script.push(...waiting)
    }
    script.push(`echo $? >'${folder}/.code-${number}'`)
  }
  const child = spawn('bash', ['-c', script.join('\n')], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text) => { complaint += text })
  // Jobs of the shell have process groups of their own, and its session in common.
  const end = () => spawnSync('pkill', ['-KILL', '-s', String(child.pid)])
  const slow = setTimeout(end, 180_000)
  await once(child, 'exit')
  clearTimeout(slow)
  end()
  const read = (name) => existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''
  for (const number of ran) {
    const { marks, lang } = steps[number]
    const [code, wanted] = [read(`.code-${number}`).trim(), marks.exits ?? '0']
    say(steps[number], code === wanted ? undefined : `the ${lang} block ended with ${code === '' ? 'nothing: it did not end, or the shell did' : code}\n${read(`.out-${number}`).slice(-800)}${read(`.err-${number}`).slice(-1500)}${complaint.slice(-300)}`)
  }
  const all = ran.map((number) => `${read(`.out-${number}`)}\n${read(`.err-${number}`)}`).join('\n')
  for (const [number, block] of steps.entries()) {
    if (block.role !== 'output') continue
    const before = steps.indexOf(block.follows)
    const own = before >= 0 && ran.includes(before)
    const shown = await ports.replace(block.code.replaceAll('http://localhost:3200', address))
    const printed = own ? read(`.out-${before}`) : all
    say(steps[number], patternOf(shown, own && block.lang === 'json').test(printed.replaceAll(/\s+/g, '')) ? undefined : `not what is printed${own ? `:\n${printed.slice(0, 1500)}` : ' by any command before it'}`)
  }
}

/** Ports that pages name, as ports that are free here: the same one for the same number. */
function createPorts () {
  const known = new Map()
  const of = async (number) => {
    let port = known.get(number)
    if (port === undefined) known.set(number, port = await freePort())
    return port
  }
  return {
    of,
    async replace (code) {
      const numbers = new Set([...code.matchAll(/(?<=localhost:|127\.0\.0\.1:|PORT=|--port )\d{4}\b/g)].map(([number]) => number))
      for (const number of numbers) {
        const free = await of(number)
        code = code.replaceAll(new RegExp(`(?<=localhost:|127\\.0\\.0\\.1:|PORT=|--port )${number}\\b`, 'g'), String(free))
      }
      return code
    }
  }
}

async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a command that says where it listens. */
async function listening (args, env) {
  const child = spawn(process.execPath, [cli, ...args], { env, cwd: scratch, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const piece of child.stdout) {
    text += piece
    if (/\n\n/.test(text)) break
  }
  child.stdout.resume()
  const origin = /listening\D*(http:\/\/\S+)/.exec(text)?.[1]
  if (origin === undefined) throw new Error(`${args.join(' ')} does not say where it listens: ${text}`)
  return { child, origin }
}

async function untilUp (address) {
  for (let tries = 0; tries < 240; tries++) {
    try {
      await fetch(`${address}/nothing`)
      return
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, 250) })
    }
  }
  throw new Error(`nothing answers at ${address}`)
}

/**
 * Applies a diff without numbers: each line that stays is looked for after the one before it; new ones alone go to the
 * end. What is wrong with it, or undefined.
 */
function change (file, diff) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  let at = -1
  let added = []
  for (const line of diff.split('\n')) {
    if (line.startsWith('+')) added.push(line.slice(1))
    else {
      const next = lines.indexOf(line.slice(1), at + 1)
      if (next < 0) return `no such line in ${file}: ${line.slice(1)}`
      // Right behind the line before; in front of this one when there is none.
      lines.splice(at < 0 ? next : at + 1, 0, ...added)
      at = next + added.length
      added = []
      if (line.startsWith('-')) lines.splice(at--, 1)
    }
  }
  lines.splice(at < 0 ? lines.length : at + 1, 0, ...added)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return undefined
}

/** The project's files, of which those that a command, or the reader, changes are copies. */
function layCheckout (folder, changed) {
  for (const name of readdirSync(root)) {
    if (name === 'config' || name.startsWith('.tap')) continue
    if (changed && ['src', 'schemas', 'test'].includes(name)) cpSync(join(root, name), join(folder, name), { recursive: true, filter: (file) => !file.includes('/test/contract') })
    else symlinkSync(join(root, name), join(folder, name))
  }
  mkdirSync(join(folder, 'config'))
  for (const name of ['service-config.json', 'user-info.example.json', 'user-info.ts']) cpSync(join(root, 'config', name), join(folder, 'config', name))
}

/** `music-relay` as if installed; `npm` for the project's own scripts, without building again, and for packages that are here. */
function writeShims () {
  mkdirSync(shims)
  const { scripts, peerDependencies, devDependencies, dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const cases = Object.entries(scripts).filter(([, script]) => script.includes('dist/src/cli.js')).map(([name, script]) =>
    `"run ${name}"${name === 'start' || name === 'test' ? `|${name}` : ''}) exec ${script.replace('npm run build && ', '').replace('dist/src/cli.js', `'${cli}'`)} ;;`)
  const here = Object.keys({ ...peerDependencies, ...devDependencies, ...dependencies, 'music-relay': '' }).join('|')
  const shim = (name, text) => {
    writeFileSync(join(shims, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(shims, name), 0o755)
  }
  shim('music-relay', `exec '${process.execPath}' '${cli}' "$@"`)
  shim('npx', `PATH="$PATH:${root}node_modules/.bin" exec "$@"`)
  shim('npm', `case "$*" in
${cases.join('\n')}
ci|"run build") exit 0 ;;
install*|i\\ *) shift; for name; do case "$name" in -*|${here}) ;; *) echo "$name is not among the packages of the project" >&2; exit 1 ;; esac; done; exit 0 ;;
esac
echo "npm $*: not known here" >&2
exit 1`)
  if (spawnSync('bash', ['-c', 'true']).status !== 0) throw new Error('bash is needed')
}
