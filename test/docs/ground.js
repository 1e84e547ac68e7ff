/** The ground that a page's commands stand on: a folder like a checkout, free ports, and an end for all that they start. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/freePort.js'
import { root } from './blocks.js'

/** Nothing that a checkout does not have, and no second copy of packages. */
const leftOut = /(^|\/)(node_modules|dist|coverage|\.git|\.tap|config\/user-info\.json|test\/contract\/generated|site\/pages)$/

/**
 * The project's files. Where the page changes files (`changed`) all of them are copies, because commands such as
 * `npm run openapi` write into the folder; else they are links.
 */
export function layCheckout (folder, changed) {
  if (changed) {
    for (const name of readdirSync(root)) {
      cpSync(join(root, name), join(folder, name), { recursive: true, filter: (file) => !leftOut.test(file) })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return
  }
  for (const name of readdirSync(root)) {
    if (name !== 'config' && !name.startsWith('.tap')) symlinkSync(join(root, name), join(folder, name))
  }
  mkdirSync(join(folder, 'config'))
  for (const name of ['service-config.json', 'user-info.example.json', 'user-info.ts']) cpSync(join(root, 'config', name), join(folder, 'config', name))
}

/**
 * Applies a diff without numbers: each line that stays is looked for after the one before it; new ones alone go to the
 * end. What is wrong with it, or undefined.
 */
export function change (file, diff) {
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

/** Ports that pages name, as ports that are free here: the same one for the same number. */
export function createPorts (taken = {}) {
  const known = new Map(Object.entries(taken))
  const of = async (number) => {
    let port = known.get(number)
    if (port === undefined) known.set(number, port = await freePort())
    return port
  }
  return {
    of,
    async replace (code) {
      const numbers =
        new Set([...code.matchAll(/(?<=localhost:|127\.0\.0\.1:|PORT=|--port )\d{4}\b/g)].map(([number]) => number))
      for (const number of numbers) {
        const free = await of(number)
        code = code.replaceAll(new RegExp(`(?<=localhost:|127\\.0\\.0\\.1:|PORT=|--port )${number}\\b`, 'g'), String(free))
      }
      return code
    }
  }
}

/** Jobs of a shell have process groups of their own, and its session in common. */
export function endSession (leader) {
  for (const pid of existsSync('/proc/self/stat') ? readdirSync('/proc').filter((name) =>
    /^\d+$/.test(name)
  ) : [`-${leader}`]) {
    try {
      // The name may hold spaces and parentheses; behind it come state, parent, group and session.
      if (
        pid.startsWith('-')
          || readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[3] === String(leader)
      ) process.kill(Number(pid), 'SIGKILL')
    } catch { /* it has ended by itself */ }
  }
}
