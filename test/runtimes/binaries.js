/** Where the runtimes are, once `npm ci --prefix test/runtimes --ignore-scripts` has run. Each is a package for one platform. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const binary = (file) => fileURLToPath(new URL(`node_modules/${file}`, import.meta.url))

/** The oldest Node that is promised, and the newest of each later release line. */
export const nodes = [20, 22, 24, 26].map((major) => [major, binary(`node-${major}/bin/node`)])
export const deno = binary('@deno/linux-x64-glibc/deno')
export const bun = binary('@oven/bun-linux-x64/bin/bun')

/** On another platform npm leaves them out. */
export const isHere = () => [deno, bun, ...nodes.map(([, node]) => node)].every((file) => existsSync(file))
