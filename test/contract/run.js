/**
 * Proves the OpenAPI document in both directions, with tools of others: what it says can be read (linters, generators,
 * compilers, a client without generator), and what the relay answers is what it says (a validating proxy, which is
 * shown a wrong answer as well). One line for each check; the exit code is 1 when one failed.
 *
 *   npm ci --prefix test/contract && node test/contract/run.js
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/freePort.js'
import { clients } from './clients.js'
import { generate, languages, noGenerator } from './languages.js'
import { documentFile, headersOf, operations, requestOf } from './operations.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const own = (name) => `${here}node_modules/.bin/${name}`
const document = fileURLToPath(documentFile)
const all = operations()
/** Those whose generator can run here. */
const made = Object.fromEntries(Object.entries(clients)
  .filter(([, { needs }]) => needs === undefined || noGenerator() === undefined))
const running = new Set()
let failures = 0

/** Runs a check and says how it went; what it returns is said beside its name. */
async function check (name, action) {
  const begin = performance.now()
  try {
    const remark = await action()
    console.log(`ok    ${name}${remark === undefined ? '' : `: ${remark}`} (${((performance.now() - begin) / 1000).toFixed(1)} s)`)
  } catch (error) {
    failures++
    console.log(`FAIL  ${name}: ${error.message}`)
  }
}

function start (command, args, { env = {}, stdin = 'ignore' } = {}) {
  const child = spawn(command, args, { cwd: here, env: {
    ...process.env, SCARF_ANALYTICS: 'false', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NO_COLOR: '1', ...env
  }, stdio: [stdin, 'pipe', 'pipe'] })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

/** What a command printed; throws with its last words when it fails or takes longer than ten minutes. */
async function output (command, args, options) {
  const child = start(command, args, options)
  const timer = setTimeout(() => child.kill('SIGKILL'), 600_000)
  let [out, both] = ['', '']
  child.stdout.on('data', (data) => { out += data; both += data })
  child.stderr.on('data', (data) => { both += data })
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${command.split('/').at(-1)} ended with ${code ?? signal}\n${both.slice(-3000)}`)
  return out
}

const demand = (list, what) => {
  if (list.length > 0) throw new Error(`${what}\n${list.slice(0, 20).map((line) => `        ${line}`).join('\n')}`)
}

/** Every operation must have been called and have answered 200. */
function allAnswered (lines) {
  const answers =
    new Map(lines.trim().split('\n').map((line) => JSON.parse(line)).map(({ id, status }) => [id, status]))
  demand(all.filter(({ id }) => answers.get(id) !== 200).map(({ id }) => `${id}: ${answers.get(id) ?? 'not called'}`), 'not answered with 200:')
  return `${all.length} operations`
}

/** Resolves with the first line of a child that fits, and with what it said before. Throws if it ends without one. */
async function lineOf (child, fits) {
  const said = []
  const timer = setTimeout(() => child.kill('SIGKILL'), 600_000)
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (!fits(line)) continue
    clearTimeout(timer)
    child.stdout.resume()
    return line
  }
  throw new Error(`${child.spawnargs.slice(0, 3).join(' ')} did not start\n${said.join('\n')}`)
}

async function startRelay () {
  const child = start(process.execPath, ['--import', 'tsx', 'relay.js'], { stdin: 'pipe' })
  child.stderr.pipe(process.stderr)
  return JSON.parse(await lineOf(child, () => true))
}

/** A proxy that answers 500 where an answer of `upstream` is not as the document says. Resolves with its address. */
async function prismFor (upstream) {
  const port = await freePort()
  const child = start(own('prism'), ['proxy', document, upstream, '--errors', '--host', '127.0.0.1', '--port', String(port)])
  await lineOf(child, (line) => line.includes('listening'))
  return `http://127.0.0.1:${port}`
}

/** Asks each operation, with this cookie, and demands that no answer is wrong. */
async function askAll (prism, operations, cookie, isWrong, what) {
  const wrong = []
  for (const operation of operations) {
    const [path, init] = requestOf(operation)
    const answer = await fetch(
      `${prism}${path}`, { ...init, headers: { ...init.headers, ...cookie && { 'x-custom-cookie': cookie } } }
    )
    const [status, text] = [answer.status, await answer.text()]
    if (isWrong(status, text.includes('VIOLATIONS'))) wrong.push(`${operation.id}: ${status} ${text.slice(0, 400)}`)
  }
  demand(wrong, what)
  return `${operations.length} operations`
}

async function examplesHold ({ address, cookie }) {
  const prism = await prismFor(address)
  await askAll(
    prism, all.filter(({ login }) => login), undefined, (status, violates) => status !== 401 || violates,
    'not as documented without a cookie:'
  )
  return await askAll(prism, all, cookie, (status) => status !== 200, 'not as documented:')
}

async function plantIsFound () {
  const upstream = createServer((_request, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{"code":"zero","data":{}}')
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  try {
    // With a cookie: prism itself refuses an operation that requires one.
    return await askAll(
      await prismFor(`http://127.0.0.1:${upstream.address().port}`), all, 'uin=o1',
      (status, violates) => status !== 500 || !violates, 'a wrong answer passed:'
    )
  } finally {
    upstream.closeAllConnections()
    upstream.close()
  }
}

/** The language's client, made and compiled, has called the relay. */
async function languageCalls (name, { address, cookie }) {
  const folder = `${here}generated/${name}`
  const [generator, args] = generate(languages[name])
  await output(generator, [...args, '-i', document, '-o', folder])
  const said = []
  for (const [command, rest, env] of languages[name].commands(folder)) {
    said.push(await output(command, rest, { env: { ...env, BASE: address, COOKIE: cookie } }))
  }
  if (said.at(-1).trim() !== 'called') throw new Error(`its program says ${said.at(-1)}`)
}

async function main () {
  rmSync(`${here}generated`, { recursive: true, force: true })
  mkdirSync(`${here}generated`)
  const started = startRelay()
  started.catch(() => {})
  await Promise.all([
    check('spectral has no finding', async () => {
      const text = await output(own('spectral'), ['lint', '-r', '.spectral.yaml', '--fail-severity=hint', '--quiet', '-f', 'json', document])
      demand(JSON.parse(text).map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`), 'findings:')
    }),
    check('redocly has no finding', async () => {
      const text = await output(process.execPath, ['../../node_modules/@redocly/cli/bin/cli.js', 'lint', '--extends=recommended', '--format=json', document])
      const { errors, warnings, ignored } = JSON.parse(text.slice(text.indexOf('{'))).totals
      if (errors + warnings + ignored > 0) throw new Error(`${errors} errors, ${warnings} warnings, ${ignored} ignored`)
    }),
    ...Object.entries(made)
      .map(([name, { command: [tool, ...args], program }]) => check(`${name} makes a client`, async () => {
        await output(own(tool), args)
        writeFileSync(`${here}generated/${name}/calls.ts`, program(all))
      }))
  ])

  const relay = await started
  const perl = spawnSync('perl', ['-MOpenAPI::Client', '-e1'], { stdio: 'ignore' }).status === 0
  if (!perl) console.log('skip  the Perl client: OpenAPI::Client is not installed (apt-get install libopenapi-client-perl)')
  await Promise.all([
    check('the clients compile under strict', async () => { await output(own('tsc'), ['-p', 'tsconfig.json']) }),
    check('prism finds the answers as documented', async () => await examplesHold(relay)),
    ...perl ? [check('the Perl client calls', async () => {
      const file = `${here}generated/operations.json`
      writeFileSync(file, JSON.stringify(all))
      return allAnswered(
        await output('perl', ['client.pl', document, relay.address, file], { env: { COOKIE: relay.cookie } })
      )
    })] : []
  ])
  for (const [name, { missing }] of Object.entries(languages)) {
    const wanted = noGenerator() ?? missing()
    if (wanted === undefined) await check(
      `openapi-generator makes a client of ${name}, which compiles and calls`,
      async () => await languageCalls(name, relay)
    )
    else console.log(`skip  openapi-generator's client of ${name}: apt-get install ${wanted}`)
  }
  await Promise.all([
    check('prism finds a wrong answer that is planted', plantIsFound),
    ...Object.keys(made).map((name) => check(`the client of ${name} calls a relay with an access token, as an account`, async () => {
      const { cookie: COOKIE, token: TOKEN, guarded: BASE } = relay
      const HEADERS = JSON.stringify(headersOf({ account: TOKEN, cookieHeader: COOKIE }))
      return allAnswered(await output(
        process.execPath, ['--import', 'tsx', `generated/${name}/calls.ts`], { env: { BASE, COOKIE, TOKEN, HEADERS } }
      ))
    }))
  ])
}

try {
  await main()
} catch (error) {
  failures++
  console.log(`FAIL  ${error.stack}`)
} finally {
  for (const child of running) child.kill()
}
process.exitCode = failures > 0 ? 1 : 0
