/** The second half of `npm run build`: what is made of the sources besides what the compiler has written. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleClient } from './client.ts'
import { bundleCommand } from './command.ts'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
await bundleCommand()
writeFileSync('dist/client.browser.js', await bundleClient())
