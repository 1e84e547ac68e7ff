/** The packages whose code is in the scripts of the site, and their licences. */
import { readFileSync, readdirSync } from 'node:fs'

interface Bundle { readonly [file: string]: { readonly moduleIds?: readonly string[] } }

/** Collects the packages while the bundler works. `text` lists them afterwards. */
export function licences (): { readonly plugin: { readonly name: string, generateBundle (options: unknown, bundle: Bundle): void }, text (): string } {
  const folders = new Set<string>()
  return {
    plugin: {
      name: 'licences',
      generateBundle (_options, bundle) {
        for (const id of Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds)) {
          const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
          if (folder !== undefined) folders.add(folder)
        }
      }
    },
    text: () => [...folders].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { name: string, version: string, license: string }
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
      return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
    }).join(`\n${'-'.repeat(78)}\n\n`)
  }
}
