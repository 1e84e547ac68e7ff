/**
 * Carries out the Dockerfile without a container engine, so that it cannot rot: its COPY and RUN steps in empty folders
 * (with `/app` and `/config` there), then its CMD as another user over files that nobody may write, its HEALTHCHECK
 * against it, and its STOPSIGNAL. Its RUN steps reach only the folders of the image. Usage: node
 * test/gate/container.js. Needs the registry, or npm's cache.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/freePort.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'music-relay-container-'))
const settings = ['USER', 'EXPOSE', 'VOLUME', 'STOPSIGNAL', 'HEALTHCHECK', 'CMD']
/** Package managers of the base image. The last stage must not have them. */
const packageManagers = ['usr/local/lib/node_modules/npm', 'usr/local/lib/node_modules/corepack', 'opt/yarn-v1', ...['npm', 'npx', 'corepack', 'yarn', 'yarnpkg'].map((name) => `usr/local/bin/${name}`)]
/** Who `node` of the image is here. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

function demand (holds, what) {
  if (!holds) throw new Error(what)
}

/** Words and what follows them, continuation lines joined, comments left out. */
const instructions = (text) => text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ')
  .split('\n').filter((line) => line.trim() !== '').map((line) => /^(\S+)\s+(.*)$/.exec(line).slice(1))

// What `.dockerignore` lets through: it leaves out everything but the names after `!`.
const [all, ...ignored] = readFileSync(`${root}.dockerignore`, 'utf8')
  .split('\n').filter((line) => line !== '' && !line.startsWith('#'))
const names = new Set(ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1)))
const hidden = new Set(ignored.filter((line) => !line.startsWith('!')))
const stages = new Map()
const args = {}
let image
const steps = {
  ARG (rest) {
    const [, name, value] = /^(\w+)=(\S+)$/.exec(rest)
    args[name] = value
  },
  FROM (rest) {
    const [, base, name] = /^(\S+)(?: AS (\S+))?$/.exec(rest.replaceAll(/\$\{(\w+)\}/g, (_all, arg) => args[arg]))
    image = { base, folder: join(scratch, `stage-${stages.size}`), workdir: '/', env: {}, settings: {} }
    for (const brought of packageManagers) mkdirSync(join(image.folder, brought), { recursive: true })
    stages.set(name ?? 'last', image)
  },
  WORKDIR (rest) {
    image.workdir = rest
    mkdirSync(inside(rest), { recursive: true })
  },
  ENV (rest) { for (const pair of rest.split(' ')) image.env[pair.split('=')[0]] = pair.slice(pair.indexOf('=') + 1) },
  COPY (rest) {
    const words = rest.split(/\s+/)
    const from = words[0].startsWith('--from=') ? stages.get(words.shift().slice('--from='.length)) : undefined
    const target = words.pop()
    for (const source of words) copy(source, from, inside(target))
  },
  RUN (rest) {
    const began = performance.now()
    const { status, stderr, stdout } = spawnSync('sh', ['-c', onThisMachine(rest)], {
      cwd: inside(image.workdir), env: { npm_config_prefer_offline: 'true', ...process.env, ...image.env },
      encoding: 'utf8'
    })
    demand(status === 0, `RUN ${rest}\n${stdout}${stderr}`)
    console.log(`ok: RUN ${rest} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  },
  ...Object.fromEntries(settings.map((word) => [word, (rest) => { image.settings[word] = rest }]))
}

try {
  demand(all === '*', '.dockerignore has to begin by leaving out everything')
  demand(hidden.has('config/user-info.json'), 'a stored login could get into the image')
  for (const [word, rest] of instructions(readFileSync(`${root}Dockerfile`, 'utf8'))) {
    demand(steps[word] !== undefined, `an instruction that this script does not know: ${word}`)
    steps[word](rest)
  }
  await runImage(image)
} catch (error) {
  console.log(`BROKEN: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** The command of a RUN step for this machine. Throws if it could reach files outside of the image's folder. */
function onThisMachine (command) {
  return command.split(' && ').map((part) => {
    const [program, ...words] =
      part.replaceAll(/-([og]) node\b/g, user.uid === undefined ? '' : `-$1${user.uid}`).split(/\s+/)
    demand(['npm', 'rm', 'install'].includes(program), `RUN: a program that this script does not know: ${program}`)
    if (program === 'npm') demand(['ci', 'install', 'run'].includes(words[0]) && !words.some(
      (word) => /^(-\w*g|-C|--(global|prefix|location))/.test(word)
    ), `RUN: it is not about the folder of the image: ${part}`)
    return [program, ...words.map((word) => {
      demand(/^[\w@.*/=-]*$/.test(word) && !/\.\.|^-.*\/|=.*\//.test(word), `RUN: a word that this script does not know: ${word}`)
      return word.startsWith('/') ? inside(word) : word
    })].join(' ')
  }).join(' && ')
}

/** A path of the image as one of this machine. */
function inside (path) { return join(image.folder, resolve(image.workdir, path)) }

function copy (source, from, target) {
  if (from !== undefined) return cpSync(join(from.folder, source), target, { recursive: true, verbatimSymlinks: true })
  demand(names.has(source), `COPY ${source}: .dockerignore leaves it out`)
  const into = target.endsWith('/') || existsSync(target) ? join(target, source.split('/').pop()) : target
  cpSync(join(root, source), into, { recursive: true, filter: (file) => !hidden.has(file.slice(root.length)) })
}

async function runImage ({ folder, workdir, env, settings }) {
  const major = /^node:(\d+)/.exec(image.base)?.[1]
  demand(Number(major) >= 20, 'the base is Node 20 or newer')
  demand(settings.USER === 'node' && settings.STOPSIGNAL === 'SIGTERM' && env.HOST === '0.0.0.0', 'USER, STOPSIGNAL and HOST are set')
  const [program, ...args] = JSON.parse(settings.CMD)
  demand(program === 'node', 'node gets the signals itself')
  const developing = ['src', 'schemas', 'node_modules/typescript', 'node_modules/typescript-api', 'node_modules/tap', 'config/user-info.json', 'site', 'docs'].map((name) => join(workdir, name))
  for (const gone of [...developing, ...packageManagers]) {
    demand(!existsSync(join(folder, gone)), `${gone} is no part of the image`)
  }
  for (const here of ['@fastify/swagger-ui', 'fastify']) demand(existsSync(join(folder, workdir, 'node_modules', here)), `${here} is part of the image`)
  spawnSync('chmod', ['-R', 'a-w,a+rX', join(folder, workdir)])
  spawnSync('chmod', ['a+rx', scratch, folder])
  const port = await freePort()
  const own = {
    PATH: process.env.PATH, ...env, CONFIG_DIR: join(folder, env.CONFIG_DIR), PORT: String(port), HOST: '127.0.0.1',
    METRICS: 'true', HOME: '/nonexistent'
  }
  const options = { cwd: join(folder, workdir), env: own, ...user }
  const relay = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let heard = ''
  for (const stream of [relay.stdout, relay.stderr]) stream.setEncoding('utf8').on('data', (text) => { heard += text })
  const ended = once(relay, 'close')
  try {
    const [health, ...check] = JSON.parse(settings.HEALTHCHECK.slice(settings.HEALTHCHECK.indexOf('CMD ') + 4))
    demand(health === 'node', 'the health check is a program of the image')
    const ask = () => spawnSync(process.execPath, check, options).status
    for (let tries = 0; tries < 40 && ask() !== 0 && relay.exitCode === null; tries++) await sleep(250)
    demand(ask() === 0, `HEALTHCHECK fails: ${heard}`)
    console.log('ok: HEALTHCHECK, while it runs as another user over files that it cannot write')
    demand((await fetch(`http://127.0.0.1:${port}/metrics`)).ok, 'METRICS=true works')
    for (const page of ['/', '/login', '/sw.js', '/guide/', '/guide/zh/endpoints/getLyric']) demand((await fetch(`http://127.0.0.1:${port}${page}`)).ok, `${page} is there`)
    relay.kill(settings.STOPSIGNAL)
    const [code] = await ended
    demand(code === 0, `STOPSIGNAL ends it with ${code}`)
    demand(ask() === 1, 'HEALTHCHECK notices that nothing runs')
    console.log('ok: STOPSIGNAL ends it, and HEALTHCHECK notices')
  } finally {
    relay.kill('SIGKILL')
    await ended
  }
}
