import { join } from 'node:path'

/** Arguments for Node that start a program of the project, such as `src/cli.ts`: its bundle, in a run of run.js. */
export function programLine (file: string): readonly string[] {
  const bundles = process.env['TEST_BUNDLES']
  return bundles === undefined ? ['--import', 'tsx', file] : [join(bundles, file.replace(/\.ts$/, '.js'))]
}
