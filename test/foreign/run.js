/**
 * Proves the demo upstream with clients of others: published packages, unmodified, whose requests are redirected to the
 * demo. What they send must be accepted, and what they read must be there. One line for each function and each route;
 * the last line counts them.
 *
 *   npm ci --prefix test/foreign && node test/foreign/run.js
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../support/freePort.js'
import { functions, routes } from './rows.js'
import { watch } from './watch.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const server = `${here}node_modules/@sansenjian/qq-music-api/dist`
const run = promisify(execFile)
const running = new Set()
const counts = { passed: 0, failed: 0 }

function start (args, options = {}) {
  const child = spawn(process.execPath, args, { cwd: here, stdio: ['pipe', 'pipe', 'inherit'], ...options })
    .once('close', () => running.delete(child))
  running.add(child)
  return child
}

/** The first line that fits. The rest is read and forgotten. */
async function lineOf (child, pattern) {
  for await (const line of createInterface({ input: child.stdout })) {
    if (!pattern.test(line)) continue
    child.stdout.resume()
    return line
  }
  throw new Error(`${child.spawnargs.at(-1)} ended before it was ready`)
}

/** Ends a child, and waits until it is gone. */
async function end (child) {
  child.stdin.end()
  child.kill()
  if (running.has(child)) await once(child, 'close')
}

/** Judges one row: `act` sends it, and resolves with the parsed answer of the client. */
async function judge (name, row, watched, act) {
  const { refusals = [], want, reason } = row
  watched.take()
  try {
    const answer = await act()
    const seen = watched.take()
    assert.deepEqual(seen.refusals, refusals, 'refused by the demo')
    assert.equal(seen.asked.length > 0, row.asks !== false, row.asks === false ? 'it asks nobody' : 'it asks the demo')
    if (refusals.length === 0) assert.deepEqual(await row.read(answer), want, 'read by the client')
    counts.passed++
    console.log(`ok    ${name}${reason === undefined ? '' : `: fails, because ${reason}`}`)
  } catch (error) {
    counts.failed++
    console.log(`FAIL  ${name}: ${error.message}`)
  }
}

async function library (watched, env) {
  for (const [name, row] of Object.entries(functions)) {
    const args = ['--import', './redirect.js', 'meting.js', name, JSON.stringify(row.args)]
    await judge(name, row, watched, async () => JSON.parse(
      (await run(process.execPath, args, { cwd: here, env, timeout: 120_000 })).stdout
    ))
  }
}

async function everyRoute (watched, env, ground) {
  // Its own file of settings: the account of those who name none.
  writeFileSync(`${server}/config/user-info.json`, JSON.stringify({ loginUin: '1000000101', cookie: ground.cookie }))
  const { stdout } = await run(process.execPath, ['routes.js'], { cwd: here, env })
  const port = await freePort()
  const child = start(['--import', './redirect.js', `${server}/app.js`], { env: { ...env, PORT: String(port) } })
  await lineOf(child, /server running/)
  const ask = async (path, init = {}) =>
    await (await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(120_000) })).json()

  const known = JSON.parse(stdout)
  const forgotten = [
    ...known.filter((route) => routes[route] === undefined),
    ...Object.keys(routes).filter((route) => !known.includes(route))
  ]
  if (forgotten.length > 0) throw new Error(`its routes and the rows of this test differ: ${forgotten.join(', ')}`)
  for (const [route, row] of Object.entries(routes)) {
    await judge(route, row, watched, async () => {
      const [method, path] = route.split(' ')
      const [rest = '', body] = await Promise.all([row.path, row.body]
        .map((each) => typeof each === 'function' ? each({ ...ground, ask }) : each))
      return await ask(path.replace(/\/:.*/, '') + rest, {
        method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      })
    })
  }
  await end(child)
}

const demo = start(['--import', 'tsx', 'demo.js'])
try {
  const ground = JSON.parse(await lineOf(demo, /^\{/))
  const watched = await watch(ground.origin)
  const env = { ...process.env, UPSTREAM: watched.origin, NO_COLOR: '1', NO_PROXY: '*', no_proxy: '*' }
  await library(watched, env)
  await everyRoute(watched, env, ground)
  watched.close()
} catch (error) {
  counts.failed++
  console.log(`FAIL  ${error.stack}`)
} finally {
  await Promise.all([...running].map(end))
}
console.log(`${counts.passed} passed, ${counts.failed} failed, 0 skipped`)
process.exitCode = counts.failed > 0 ? 1 : 0
