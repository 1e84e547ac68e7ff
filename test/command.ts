/** How tests start the command: from its sources, or as the file that COMMAND names, such as the built dist/cli.js. */
export const commandLine: readonly string[] = process.env['COMMAND'] === undefined ? ['--import', 'tsx', 'src/cli.ts'] : [process.env['COMMAND']]
