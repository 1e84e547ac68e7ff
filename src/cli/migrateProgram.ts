/** `music-relay migrate-check`, with its options and help text. */
import type { Command } from 'commander'
import { help, type Surroundings } from './programParts.ts'

/** Adds the command to the program. */
export function addMigrateCommand (program: Command, around: Surroundings): void {
  program.command('migrate-check')
    .description('list the routes of another relay that an app uses, and what replaces each here')
    .argument('<log or folder>', 'access log (common or combined format, JSON lines), file or folder of source code, or - for a log on stdin')
    .option('--json', 'print the report as one line of JSON')
    .addHelpText('after', `
Each route is one of: the same (answered under its path), alias (answered as another route), use (ask another route or use a
command), nothing (nothing here does it), unknown. An arrow below a route: where your app reads the answer, and where the same
is here. docs/guides/migrating.md has the whole table.
A log is read line by line and may be large. In a folder, node_modules, hidden folders and source files above 2 MB are left out.
Source code is searched for texts that look like paths: a page of your own at /search is listed, too. Queries are not printed.
${help('0 every route is answered here, 1 some are not, none was found, or it cannot be read, 2 wrong use',
      'music-relay migrate-check /var/log/nginx/access.log',
      'music-relay migrate-check ~/my-player/src',
      'zcat access.log.*.gz | music-relay migrate-check - --json')}`)
    .action(async (place: string, { json = false }: { json?: boolean }) => {
      const { migrateCheck } = await import('./migrateCheck.ts')
      around.ends(await migrateCheck({ place, input: around.stdin, json, out: (text) => { around.stdout.write(text) } }))
    })
}
