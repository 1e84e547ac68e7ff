import { programLine } from './program.ts'

const built = process.env['COMMAND']
/** Arguments that start the command: the file named in COMMAND, such as the built dist/cli.js, or from its sources. */
export const commandLine: readonly string[] = built === undefined ? programLine('src/cli.ts') : [built]

/** A folder of the repository without settings and login. `config` may hold those of a developer. */
export const emptyFolder = 'schemas'
