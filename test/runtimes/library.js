/** The library in a program of a user, on each runtime and as a bundle for Node: it must do the same everywhere. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bun, deno, isHere, nodes } from './binaries.js'

const source = fileURLToPath(new URL('program.js', import.meta.url))

/**
 * `folder` has the package installed, and `did(command, args, options)` runs a program or throws. Returns why it was
 * not tried, if it was not.
 */
export async function librarySameEverywhere ({ folder, cli, esbuild, scratch, env, did }) {
  if (!isHere()) return 'no packages of the runtimes for this platform'
  const program = join(folder, 'program.js')
  copyFileSync(source, program)
  // Alone in a folder: whatever the bundle does not hold is missing.
  const apart = join(scratch, 'bundled')
  mkdirSync(apart)
  const bundled = join(apart, 'bundle.cjs')
  const { err } = await did(esbuild, [program, '--platform=node', '--bundle', `--outfile=${bundled}`, '--log-level=warning'])
  if (err !== '') throw new Error(`the bundler said ${err}`)

  const servers = []
  const start = async (command) => {
    const child = spawn(process.execPath, [cli, command, '--json', ...command === 'demo' ? [] : ['--port', '0']], {
      env: { ...env, PORT: '0' }
    })
    servers.push(child)
    const [first] = await once(child.stdout.setEncoding('utf8'), 'data')
    child.stdout.resume()
    return JSON.parse(first.split('\n', 1)[0]).address
  }
  try {
    const addresses = { ...env, UPSTREAM: await start('demo-upstream'), RELAY: await start('demo') }
    const printed = async (command, args, cwd = folder) => (await did(command, args, { cwd, env: addresses })).out
    const wanted = await printed(process.execPath, [program])
    if (!wanted.includes('"song":"First Light"') || wanted.split('\n').length !== 4) throw new Error(`Node printed ${wanted}`)
    const runs = {
      'a bundle': [process.execPath, [bundled], apart],
      Deno: [deno, ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual', program]],
      Bun: [bun, [program]],
      ...Object.fromEntries(nodes.map(([major, node]) => [`Node ${major}`, [node, [program]]]))
    }
    for (const [name, run] of Object.entries(runs)) {
      const found = await printed(...run)
      if (found !== wanted) throw new Error(`${name} printed ${found} and not ${wanted}`)
    }
  } finally {
    for (const server of servers) server.kill()
  }
}
