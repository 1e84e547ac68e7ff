/** The files to mutate. A file names its subject, and the tests that must notice a mistake in it, in its last line. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface Subject {
  readonly name: string
  /** The tests of each file, as paths below the root, in the order in which they are tried. */
  readonly files: Readonly<Record<string, readonly string[]>>
}

const below = (root: string, folder: string): string[] => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`).sort()

/** Reads the last lines, such as `// @mutate streams: stream song-facts`. Throws if a test is not there. */
export function subjectsIn (root: string): Subject[] {
  const tests = new Map(below(root, 'test').flatMap((path) => /([^/]+)\.test\.ts$/.exec(path) === null ? [] : [[path.replace(/^.*\/|\.test\.ts$/g, ''), path]]))
  const subjects = new Map<string, Record<string, readonly string[]>>()
  for (const file of below(root, 'src').filter((path) => path.endsWith('.ts'))) {
    const [, name, names] = /\n\/\/ @mutate ([^:]+): (.+)\n$/.exec(readFileSync(join(root, file), 'utf8')) ?? []
    if (name === undefined || names === undefined) continue
    const paths = names.split(' ').map((test) => {
      const path = tests.get(test)
      if (path === undefined) throw new Error(`${file}: there is no test called ${test}`)
      return path
    })
    subjects.set(name, { ...subjects.get(name), [file]: paths })
  }
  return [...subjects].map(([name, files]) => ({ name, files }))
}
