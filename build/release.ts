/**
 * `npm run release`: makes the pictures of the page, and writes what is published into `release`: the package, its bill
 * of materials, and checksums. The bill (CycloneDX 1.5) marks the packages whose code is inside the bundled command: a
 * newer one only reaches users with a new release.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const folder = 'release'
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string, version: string }
const npm = (...words: string[]): string =>
  execFileSync('npm', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] })

interface Component {
  'bom-ref': string
  name: string
  version: string
  properties?: { name: string, value: string }[]
}
interface Bill {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string, dependsOn: string[] }[]
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
npm('run', '--silent', 'pictures')
// Builds what is out of date: see "prepack".
npm('pack', '--pack-destination', folder)

// npm's own `--omit dev` also leaves out what developers need too, such as ajv.
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { version: string, dev?: true }>
}
const installed =
  new Set(Object.entries(packages).flatMap(([path, { version, dev }]) =>
    dev === true ? [] : [`${path.replace(/^.*node_modules\//, '')} ${version}`]
  ))
const inside =
  new Set([...readFileSync('dist/third-party-licences.txt', 'utf8').matchAll(/^(\S+ \d+\.\S+) \(.+\)$/gm)]
    .map(([, package_]) => package_))
const bill = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')) as Bill
bill.components = bill.components.filter(({ name, version }) =>
  [installed, inside].some((packages) => packages.has(`${name} ${version}`))
)
// npm names it after the folder of the checkout.
bill.metadata.component.name = name
const kept = new Set([`${name}@${version}`, ...bill.components.map((component) => component['bom-ref'])])
bill.dependencies = bill.dependencies.filter(({ ref }) => kept.has(ref)).map(({ ref, dependsOn }) => ({
  ref,
  dependsOn: dependsOn.filter((each) => kept.has(each))
}))
for (const component of bill.components) {
  if (inside.delete(`${component.name} ${component.version}`)) {
    (component.properties ??= []).push({ name: 'music-relay:bundled', value: 'true' })
  }
}
if (inside.size > 0) throw new Error(`bundled, but not in the bill of materials: ${[...inside].join(', ')}`)
writeFileSync(join(folder, `${name}-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)

const files = [`${name}-${version}.tgz`, `${name}-${version}.cdx.json`]
writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => `${createHash('sha256').update(readFileSync(join(folder, file))).digest('hex')}  ${file}\n`).join(''))
console.log([...files, 'SHA256SUMS'].map((file) => join(folder, file)).join('\n'))
