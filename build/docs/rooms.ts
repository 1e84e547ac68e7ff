/** Which module imports which, and a diagram of it: for docs/architecture.md and the tests of the layers. */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const filesOf = (folder: string): string[] => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts')).map((file) => join(folder, file))

export const sourceText = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Every module of the package, relative to the root of the project. */
export const sources = (): string[] => [...filesOf('src'), ...filesOf('schemas'), 'config/user-info.ts']

/** The project's modules that a module imports, including dynamic imports. */
export function importsOf (file: string): string[] {
  return [...sourceText(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((found) =>
    relative(root, resolve(root, dirname(file), found[1] as string))
  )
}

/** The room of a file: its folder in `src`. A file directly in `src` is a room itself. */
export function roomOf (file: string): string {
  const [top, second] = file.split('/') as [string, string]
  return top === 'src' ? `src/${second}` : top
}

/** Each room with the rooms it imports from. */
export function roomImports (): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>()
  for (const file of sources()) {
    const room = roomOf(file)
    const targets = rooms.get(room) ?? new Set()
    for (const target of importsOf(file).map(roomOf)) if (target !== room) targets.add(target)
    rooms.set(room, targets)
  }
  return rooms
}

/** The diagram. An arrow points from the importing room to the imported one; arrows implied by others are omitted. */
export function picture (): string {
  const rooms = roomImports()
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (seen.has(from)) return false
    seen.add(from)
    return [...rooms.get(from) ?? []].some((next) => next === to || reaches(next, to, seen))
  }
  const name = (room: string): string => room.replace(/^src\//, '').replace(/\.ts$/, '')
  const arrows = [...rooms].flatMap(([room, targets]) => [...targets]
    .filter((target) => ![...targets].some((other) => other !== target && reaches(other, target)))
    .filter((target) => name(target) !== name(room)) // cli.ts is the entry of cli/
    .map((target) => `  ${name(room)} --> ${name(target)}`)).sort()
  return `\`\`\`mermaid\ngraph LR\n${arrows.join('\n')}\n\`\`\``
}
