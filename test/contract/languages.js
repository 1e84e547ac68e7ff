/**
 * Clients in other languages, by openapi-generator, which npm carries as a Java archive. Each is compiled, and calls
 * the demo with the program in `languages/`. One whose tools are missing is skipped, with the package of Debian that
 * has them.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const archive = `${here}node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar`
const runs = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0
const [python, jars, go] = ['/usr/bin/python3', '/usr/share/java', '/usr/share/gocode']
const classes = ['jackson-core', 'jackson-databind', 'jackson-annotations', 'jsr305'].map((name) => `${jars}/${name}.jar`)

/** Why there is no generator; undefined if there is one. */
export const noGenerator = () => runs('java', '-version') ? undefined : 'default-jre-headless'

/** Its arguments, before those that say which document and where to. */
export const generate = (language) =>
  ['java', ['-jar', archive, 'generate', ...language.generator, '--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false']]

/**
 * `missing`: what has to be installed, undefined if nothing. `commands`: from the folder of the generated client to the
 * program that called it; the last one prints `called`.
 */
export const languages = {
  python: {
    generator: ['-g', 'python'],
    missing: () => runs(python, '-c', 'import urllib3, dateutil, six, certifi') ? undefined : 'python3-urllib3 python3-dateutil python3-six python3-certifi',
    commands: (folder) => [
      [python, ['-m', 'compileall', '-q', `${folder}/openapi_client`]],
      [python, ['languages/call.py'], { PYTHONPATH: folder }]
    ]
  },
  java: {
    generator: ['-g', 'java', '--library', 'native'],
    missing: () => runs('javac', '-version') && classes.every((jar) => existsSync(jar)) ? undefined
      : 'default-jdk-headless libjackson2-databind-java libjsr305-java',
    commands (folder) {
      const sources = [`${folder}/src/main/java`, `${here}languages/java`]
        .flatMap((root) => readdirSync(root, { recursive: true })
          .filter((file) => file.endsWith('.java')).map((file) => `${root}/${file}`))
      return [
        ['javac', ['-nowarn', '-proc:none', '-cp', classes.join(':'), '-d', `${folder}/classes`, ...sources]],
        ['java', ['-cp', [...classes, `${folder}/classes`].join(':'), 'Call']]
      ]
    }
  },
  go: {
    generator: ['-g', 'go-experimental', '-p', 'packageName=relay'],
    missing: () => runs('go', 'version') && existsSync(`${go}/src/golang.org/x/oauth2`) ? undefined : 'golang-go golang-golang-x-oauth2-dev',
    commands (folder) {
      // The client as a package beside the program, where Go looks for both.
      const root = `${folder}-root`
      for (const part of ['relay', 'call']) mkdirSync(`${root}/src/${part}`, { recursive: true })
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.go'))) {
        cpSync(`${folder}/${file}`, `${root}/src/relay/${file}`)
      }
      cpSync(`${here}languages/call.go`, `${root}/src/call/main.go`)
      const env = { GO111MODULE: 'off', GOPATH: `${root}:${go}`, GOCACHE: `${root}/cache`, GOFLAGS: '' }
      return [['go', ['vet', 'relay'], env], ['go', ['run', 'call'], env]]
    }
  }
}
