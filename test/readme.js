/**
 * Runs the curl lines of the README against a relay and compares with the output that the README shows; `…` there
 * stands for anything. Usage: node test/readme.js http://localhost:3200
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Every `sh` block that is one curl line, with the `json` block after it. */
export function curlBlocks () {
  const text = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
  return [...text.matchAll(/```sh\n(curl [^\n]+)\n```\n+```json\n([\s\S]*?)\n```/g)].map(([, line, output]) => ({ line, output }))
}

/** Undefined when the relay at this address answers as shown, else what it answered. */
export async function compare ({ line, output }, address) {
  const command = line.replaceAll('http://localhost:3200', address)
  const { stdout: answer } = await promisify(execFile)('sh', ['-c', `${command} --silent --show-error`], { encoding: 'utf8' })
  const pattern = output.replaceAll(/\s+/g, '').split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
  return new RegExp(`^${pattern}$`, 's').test(answer.replaceAll(/\s+/g, '')) ? undefined : answer
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const address = process.argv[2] ?? 'http://localhost:3200'
  await untilUp(address)
  const blocks = curlBlocks()
  if (blocks.length < 3) throw new Error('the README lost its curl lines')
  for (const block of blocks) {
    const answer = await compare(block, address)
    console.log(`${answer === undefined ? 'ok' : 'DIFFERENT'}: ${block.line}`)
    if (answer !== undefined) {
      console.log(answer)
      process.exitCode = 1
    }
  }
}
