/** Lists the routes of the other server, out of its own router, as JSON. */
import { createRequire } from 'node:module'

const { default: router } = createRequire(import.meta.url)('@sansenjian/qq-music-api/dist/routers/router.js')
process.stdout.write(JSON.stringify(router.stack.flatMap(
  ({ methods, path }) => methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`)
)))
