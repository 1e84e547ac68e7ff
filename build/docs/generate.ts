/**
 * Writes the files and tables that are generated from the code: openapi.yaml, the endpoint table of the README,
 * docs/reference.md, docs/opensubsonic.md, the tables of docs/configuration.md, docs/players.md,
 * docs/guides/migrating.md and docs/guides/upgrading.md, those of the Chinese pages, the diagram of
 * docs/architecture.md, the snapshot of the endpoints and the doctor's list of calls. `npm run openapi` runs it. Tests
 * fail if a file is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TSchema } from '@sinclair/typebox'
import * as envelopes from '../../schemas/envelopes.ts'
import { components } from '../../schemas/index.ts'
import { ServiceConfig } from '../../schemas/config.ts'
import { errorCodes } from '../../schemas/errors.ts'
import { kinds } from '../../src/common/kinds.ts'
import { documentOf } from '../openapi/plugin.ts'
import { variableOf } from '../../src/relay/settings.ts'
import { ttlOf } from '../../src/cache/policy.ts'
import { formsOf, type AnyEndpoint } from '../../src/relay/endpoint.ts'
import { registry } from '../../src/endpoints/index.ts'
import { inputRules, tags } from '../openapi/operations.ts'
import { yamlOf } from '../openapi/yaml.ts'
import { observedCalls } from './observeCalls.ts'
import { movedTable, oldRoutesTable } from './oldRoutes.ts'
import { opensubsonicPage } from './opensubsonic.ts'
import { removedTable } from './removed.ts'
import { picture } from './rooms.ts'
import { envelopeLink, envelopeSection, shapeOf } from './envelopes.ts'
import { cell, endpointTable, failureTable, fields, linkTo, timeInWords, typeOf } from './tables.ts'
import { triedTable } from './tried.ts'
import { chinesePages } from './zhTables.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const endpoints: Readonly<Record<string, AnyEndpoint>> = registry

export async function generated (): Promise<Readonly<Record<string, string>>> {
  return {
    'openapi.yaml': yamlOf(await documentOf()),
    'docs/architecture.md': between('docs/architecture.md', 'imports', picture()),
    'docs/reference.md': reference(),
    'docs/configuration.md': configurationPage(),
    'docs/guides/migrating.md': between(
      'docs/guides/migrating.md',
      'resources',
      oldRoutesTable(['J']),
      between(
        'docs/guides/migrating.md',
        'family',
        oldRoutesTable(['S', 'R']),
        between('docs/guides/migrating.md', 'moved', movedTable())
      )
    ),
    'docs/guides/upgrading.md': between('docs/guides/upgrading.md', 'removed', removedTable()),
    ...chinesePages(between),
    'docs/opensubsonic.md': await opensubsonicPage(),
    'docs/players.md': between('docs/players.md', 'tried', triedTable('en')),
    'docs/players.zh-CN.md': between('docs/players.zh-CN.md', 'tried', triedTable('zh')),
    'test/snapshot/endpoints.json': endpointsSnapshot()
  }
}

/** What callers rely on besides the fields of each endpoint, one per line, so that a diff shows every change. */
function endpointsSnapshot (): string {
  const lines = Object.entries(endpoints).map(([name, { method, envelope, login, cache, tag }]) =>
    `  "${name}": ${JSON.stringify({ method, paths: formsOf(endpoints[name] as AnyEndpoint).map(({ path }) => path), envelope: envelope.name, login, cache, tag })}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

/** The text of the file, or one made of it, with new lines between its two marks. */
function between (file: string, mark: string, lines: string, text = readFileSync(`${root}${file}`, 'utf8')): string {
  const [begin, end] = [`<!-- ${mark}:begin -->`, `<!-- ${mark}:end -->`]
  if (!text.includes(begin) || !text.includes(end)) throw new Error(`${file} lacks ${begin} or ${end}`)
  return `${text.slice(0, text.indexOf(begin) + begin.length)}\n${lines}\n${text.slice(text.indexOf(end))}`
}

const sentences = Object.fromEntries(Object.entries(kinds).filter(([kind]) => kind !== 'denied' && kind !== 'remote')
  .map(([kind, { says }]) => [kind, says.replaceAll(/\b\{word\}/g, '').replaceAll(/\{\w+\}/g, '…')]))

function reference (): string {
  const families = tags.flatMap(({ name: tag, description }) => {
    const members = Object.entries(endpoints).filter(([, endpoint]) => endpoint.tag === tag)
    return [`## ${tag}`, description, ...members.map(([name, endpoint]) => endpointSection(name, endpoint))]
  })
  const records = components.filter(({ $id }) => $id !== 'ErrorBody').map((schema) =>
    `### Record ${schema.$id}\n\n${schema.description ?? ''}\n\n${fields(schema)}`.trim()
  )
  const codes = Object.entries(errorCodes).map(([code, { status, meaning }]) =>
    `| ${status} | \`${code}\` | ${cell(meaning)} |`
  )
  return [
    '# Reference',
    '[中文](reference.zh-CN.md)',
    'Written by `npm run openapi` from the definitions; edit those. The same, for programs: [openapi.yaml](../openapi.yaml), or `/docs/json` and `/docs/yaml` of a running relay.',
    '## Endpoints',
    endpointTable(
      Object.values(endpoints),
      '| | Path | Returns | Login |',
      ({ summary, login = '' }) => [summary, login]
    ),
    '## Input',
    inputRules({ cookieParamName: 'cookie' }),
    '## Errors',
    'Every failure of every route is `{ "error": "<one sentence>", "code": "<WORD>" }`. `code` is a closed vocabulary. 429 and 503 carry `Retry-After`.',
    ['| HTTP | code | Meaning |', '|---|---|---|', ...codes].join('\n'),
    '## Failures of upstream calls',
    'The `outcome` of a call, in log lines, in [metrics](metrics.md) and at `/health/upstream`, with the code of the answer if no other call helps, and the verdict of the [doctor](repairing-a-drift.md). `biz_` is followed by the code of the upstream, `filter_` by what a refused search says, `http_` by the status.',
    failureTable('| outcome | code | Verdict | Meaning |', sentences),
    '## Envelopes',
    'Every endpoint always uses the same envelope around its record. Functions of the library, of the client and of agents return the record without it. A caller that accepts only JSON never gets a file or a redirect.',
    ...Object.values(envelopes).map((envelope) => ({
      envelope,
      names: Object.keys(endpoints).filter((name) => endpoints[name]?.envelope === envelope)
    }))
      .sort((one, other) => other.names.length - one.names.length).map(({ envelope, names }) =>
        envelopeSection(envelope, names)
      ),
    ...families,
    '## Records',
    ...records
  ].join('\n\n') + '\n'
}

function endpointSection (name: string, endpoint: AnyEndpoint): string {
  const { method, summary, description, example, input, record, envelope, login } = endpoint
  const forms = formsOf(endpoint).map(({ path }) => `${method} ${path}`)
  return [
    `### ${name}`,
    `\`${forms.join('` · `')}\``,
    `${summary}. ${description}${login === undefined ? '' : ` Login: ${login}.`}`,
    fields(input) || 'No parameters.',
    ...(endpoint.songs === undefined ? [] : ['Also as M3U: `format=m3u`, or `Accept: audio/x-mpegurl`.']),
    `Answer: \`${shapeOf(envelope, record)}\`, which is ${envelopeLink(envelope)} with ${record.$id === undefined ? typeOf(record) : linkTo(record.$id)}. Example input: \`${JSON.stringify(example)}\`.`
  ].join('\n\n')
}

/** The settings that people set, before all others. */
const usual = ['host', 'port', 'accessToken', 'allowedHosts', 'trustProxy', 'publicOrigin', 'useGlobalCookie', 'stream', 'metrics', 'redisUrl']

function configurationPage (): string {
  const page = 'docs/configuration.md'
  const isUsual = (key: string): boolean => usual.includes(key)
  return between(
    page,
    'times',
    timesTable(),
    between(page, 'settings', settingsTable((key) => !isUsual(key)), between(page, 'usual', settingsTable(isUsual)))
  )
}

function settingsTable (isShown: (key: string) => boolean): string {
  const shown = Object.entries(ServiceConfig.properties).filter(([key]) => isShown(key))
  return ['| Key | Variable | Type | Default | Meaning |', '|---|---|---|---|---|', ...shown.map(([key, schema]) =>
    `| \`${key}\` | ${variableOf(key) === undefined ? '–' : `\`${variableOf(key)}\``} | ${typeOf(schema)} | \`${JSON.stringify((schema as TSchema)['default'])}\` | ${cell(schema.description ?? '')} |`),
    '', 'Every variable also works with the prefix `MUSIC_RELAY_`, such as `MUSIC_RELAY_PORT`, which wins over `PORT`.'].join('\n')
}

function timesTable (): string {
  const rows = Object.entries(ttlOf).flatMap(([name, { fresh, staleWhileRevalidate, staleIfError }]) => {
    const members = Object.values(endpoints).filter(({ cache }) => cache === name).map(({ path }) => `\`${path}\``)
    return members.length === 0 ? [] : [`| ${name} | ${timeInWords(fresh)} | ${timeInWords(staleWhileRevalidate)} | ${timeInWords(staleIfError)} | ${members.join(' ')} |`]
  })
  return ['| Policy | Fresh | Stale while revalidate | Stale if error | Endpoints |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** The calls of the endpoints about which docs/upstream.md has no row in words. */
function callsTable (rows: ReadonlyMap<string, string>): string {
  const page = between('docs/upstream.md', 'calls', '')
  const unsaid = [...rows].filter(([path]) => !new RegExp(`^\\|.*\`${path}\``, 'm').test(page)).map(([, row]) => row)
  return ['| Endpoint | Calls |', '|---|---|', ...unsaid].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, rows } = await observedCalls()
  const files = {
    ...await generated(),
    'src/doctor/calls.json': text,
    'docs/upstream.md': between('docs/upstream.md', 'calls', callsTable(rows))
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(`${root}${file}`, text)
}
