/** Arguments that start the command: the file named in COMMAND, such as the built dist/cli.js, or from its sources, which run.js bundles. */
const file = process.env['COMMAND'] ?? process.env['SOURCE_COMMAND']
export const commandLine: readonly string[] = file === undefined ? ['--import', 'tsx', 'src/cli.ts'] : [file]

/** A folder of the repository without settings and login. `config` may hold those of a developer. */
export const emptyFolder = 'schemas'
