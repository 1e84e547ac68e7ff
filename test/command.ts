/** Arguments that start the command: from its sources, or the file named in COMMAND, such as the built dist/cli.js. */
export const commandLine: readonly string[] = process.env['COMMAND'] === undefined ? ['--import', 'tsx', 'src/cli.ts'] : [process.env['COMMAND']]

/** A folder of the repository without settings and login. `config` may hold those of a developer. */
export const emptyFolder = 'schemas'
