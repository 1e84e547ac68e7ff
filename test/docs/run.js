/**
 * Runs what the pages tell a reader to type, against the demo: node test/docs/run.js [--at <address>] [page …]
 * A page is read from top to bottom in one shell, in a folder that looks like a checkout. `--at` names a relay that
 * runs already; else one is started for each page that starts none itself. Needs `npm run build`. Nothing here reaches
 * the real upstream.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { blocksOf, pages, patternOf, readPage, root } from './blocks.js'
import { checkConfiguration, checkUnit } from './configurations.js'
import { change, createPorts, endSession, layCheckout } from './ground.js'

const { values: { at }, positionals } = parseArgs({ allowPositionals: true, options: { at: { type: 'string' } } })
const cli = `${root}dist/cli.js`
if (!existsSync(cli)) throw new Error('npm run build comes first')

if (at !== undefined) await untilUp(at)
const scratch = mkdtempSync(join(tmpdir(), 'music-relay-docs-'))
const shims = join(scratch, 'bin')
writeShims()
const demo = await listening(['demo-upstream', '--port', '0'], process.env)
const counts = { passed: 0, failed: 0 }
const notRun = []
try {
  // A page waits for much of its time; one relay that runs already serves one page after the other.
  const some = pLimit(at === undefined ? 2 : 1)
  await Promise.all((positionals.length > 0 ? positionals : english())
    .map((page) => some(async () => { await tryPage(page, blocksOf(readPage(page))) })))
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

/** A Chinese page has the blocks of its English twin: test/unit/chinese.test.ts. */
function english () {
  const all = pages()
  return all.filter((page) => !all.includes(page.replace('.zh-CN.md', '.md')) || !page.endsWith('.zh-CN.md'))
}

async function tryPage (page, blocks) {
  const alone = blocks.filter(({ marks }) => 'alone' in marks)
  const together = blocks.filter(({ marks }) => !('alone' in marks))
  for (const block of alone) await trySession(page, [block])
  if (together.length > 0) await trySession(page, together)
}

async function trySession (page, blocks) {
  const folder = mkdtempSync(join(scratch, 'page-'))
  const ports = createPorts(at === undefined ? {} : { 3200: new URL(at).port })
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
  const env = {
    ...process.env, PATH: `${shims}:${process.env.PATH}`, HOME: folder, PORT: String(port),
    UPSTREAM_ORIGIN: demo.origin, IMAGE_ORIGIN: demo.origin, TMPDIR: folder
  }
  const bed = starts || at !== undefined ? undefined : await listening(['demo'], env)
  try {
    layCheckout(folder, steps.some(({ role }) => role === 'change'))
    await runSteps(steps, folder, env, at ?? `http://localhost:${port}`, ports, say)
  } finally {
    bed?.child.kill()
  }
  for (const block of blocks.filter(({ role }) => role === 'suite')) say(block, await runSuite(block, folder))
}

/** Without the settings that the other blocks run with: the suite has servers of its own. Undefined when it is green, else how it ended. */
async function runSuite ({ code }, folder) {
  const begun = performance.now()
  const child = spawn('bash', ['-ec', code], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => { text += part })
  const slow = setTimeout(() => { endSession(child.pid) }, 2_400_000)
  const [status] = await once(child, 'close')
  clearTimeout(slow)
  endSession(child.pid)
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`${code.replaceAll('\n', ' && ')}: ${text.trimEnd().split('\n').at(-1)} (${seconds} s)`)
  return status === 0 ? undefined : `ended with ${status} after ${seconds} s\n${text}`
}

/** One shell for all of them; each prints to files of its own, so that output can be told apart. */
async function runSteps (steps, folder, env, address, ports, say) {
  // A line that fails is noticed wherever it stands, as with `set -e`; the shell goes on, for the blocks after it.
  const script = ['set -m; shopt -s expand_aliases; trap \'failed="$failed $?"\' ERR',
    'up () { for try in $(seq 1200); do (exec 3<>/dev/tcp/127.0.0.1/$1 || exec 3<>/dev/tcp/::1/$1) 2>/dev/null && return; sleep 0.05; done; echo "nothing listens on port $1" >&2; }']
  const ran = []
  for (const [number, block] of steps.entries()) {
    if (block.role === 'output' || block.role === 'run by') continue
    const code = await ports.replace(block.code.replaceAll('http://localhost:3200', address)
      .replaceAll('createRelay()', `createRelay({ upstreamOrigin: '${demo.origin}', imageOrigin: '${demo.origin}' })`))
    if (block.role === 'file') {
      writeFileSync(join(folder, block.file), `${code}\n`)
      if (!block.file.startsWith('src/') && !steps.slice(number + 1).some(
        (later) => later.role === 'shell' && later.code.includes(block.file)
      )) say(block, `nothing runs ${block.file}`)
      else say(block)
      continue
    }
    if (block.role === 'change') {
      say(block, change(join(folder, block.file), code))
      continue
    }
    ran.push(number)
    script.push(`exec >'${folder}/.out-${number}' 2>'${folder}/.err-${number}'; failed=`)
    if (block.role === 'script') {
      const file = `block-${number}.${block.lang === 'js' ? 'mjs' : block.lang}`
      writeFileSync(join(folder, file), code)
      script.push(`node ${block.lang === 'ts' ? `--import '${pathToFileURL(`${root}node_modules/tsx/dist/loader.mjs`).href}' ` : ''}${file}`)
    } else {
      const waiting = []
      const lines = code.split('\n')
        .map((line, index, all) => 'stays' in block.marks && index === all.length - 1 ? `${line} &` : line)
      for (const line of lines) {
        waiting.push(line)
        if (line.endsWith(' &')) waiting.push(`up ${/(?:--port |\bPORT=)(\d+)/.exec(line)?.[1] ?? '$PORT'}`)
      }
      script.push(...waiting)
    }
    script.push(`echo $? $failed >'${folder}/.code-${number}'`)
  }
  const child =
    spawn('bash', ['-c', script.join('\n')], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text) => { complaint += text })
  const end = () => { endSession(child.pid) }
  const slow = setTimeout(end, 600_000)
  await once(child, 'exit')
  clearTimeout(slow)
  end()
  const read = (name) => existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''
  for (const number of ran) {
    const { marks, lang } = steps[number]
    const [codes, wanted] = [read(`.code-${number}`).trim(), marks.exits ?? '0']
    // Its last command, and each that failed.
    const well = codes === wanted || (wanted !== '0' && codes === `${wanted} ${wanted}`)
    say(
      steps[number], well ? undefined : `the ${lang} block ended with ${codes === '' ? 'nothing: it did not end, or the shell did' : codes}\n${read(`.out-${number}`).slice(-800)}${read(`.err-${number}`).slice(-1500)}${complaint.slice(-300)}`
    )
  }
  const all = ran.map((number) => `${read(`.out-${number}`)}\n${read(`.err-${number}`)}`).join('\n')
  for (const [number, block] of steps.entries()) {
    if (block.role !== 'output') continue
    const before = steps.indexOf(block.follows)
    const own = before >= 0 && ran.includes(before)
    const shown = await ports.replace(block.code.replaceAll('http://localhost:3200', address))
    const printed = own ? read(`.out-${before}`) : all
    say(steps[number], patternOf(shown, own && block.lang === 'json').test(
      printed.replaceAll(/\s+/g, '')
    ) ? undefined : `not what is printed${own ? `:\n${printed.slice(0, 1500)}` : ' by any command before it'}`)
  }
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

/** `music-relay` as if installed; `npm` for the project's own scripts, without building again, and for packages that are here. */
function writeShims () {
  mkdirSync(shims)
  const { scripts, devDependencies, optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const cases = Object.entries(scripts).filter(([, script]) => /(dist|src)\/cli\.[jt]s \w+$/.test(script)
    && !script.includes('watch')).map(([name, script]) =>
    `"run ${name}"${name === 'start' || name === 'test' ? `|${name}` : ''}) exec ${script.replace(/(npm run build|node build\/page.js) && /, '').replace('tsx src/cli.ts', 'node dist/cli.js').replace('dist/cli.js', `'${cli}'`)} ;;`)
  const here = ['./music-relay-*.tgz', ...Object.keys({ ...devDependencies, ...optionalDependencies })].join('|')
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
}
