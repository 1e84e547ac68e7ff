/** The generated tables of the Chinese pages. */
import { playReasons } from '../../schemas/common.ts'
import { errorCodes } from '../../schemas/errors.ts'
import { formsOf, type AnyEndpoint } from '../../src/core/endpoint.ts'
import { registry } from '../../src/endpoints/index.ts'
import { movedTable, oldRoutesTable } from './oldRoutes.ts'
import { removalReasons, removedTable } from './removed.ts'
import { cell } from './tables.ts'
import { codes, reasons, removals, summaries } from './zh.ts'
import { oldRoutesInChinese } from './zhOldRoutes.ts'
import { chineseFor } from './zhTexts.ts'

/** Writes lines between two marks of a file, or of the text that is to become the file. */
type Between = (file: string, mark: string, lines: string, text?: string) => string

const endpoints: Readonly<Record<string, AnyEndpoint>> = registry
const logins = { optional: '可选', required: '必需' } as const

function endpointTable (): string {
  const chinese = chineseFor(Object.keys(endpoints), summaries, 'build/docs/zh.ts')
  return ['| | 路径 | 内容 | 登录 |', '|---|---|---|---|', ...Object.entries(endpoints).map(([name, endpoint]) =>
    `| ${endpoint.method} | ${formsOf(endpoint).map(({ path }) => `\`${path}\``).join(' ')} | ${cell(chinese(name))} | ${endpoint.login === undefined ? '' : logins[endpoint.login]} |`)].join('\n')
}

function codeTable (): string {
  const chinese = chineseFor(Object.keys(errorCodes), codes, 'build/docs/zh.ts')
  return ['| HTTP | `code` | 含义 |', '|---|---|---|', ...Object.entries(errorCodes).map(([code, { status }]) => `| ${status} | \`${code}\` | ${cell(chinese(code))} |`)].join('\n')
}

function reasonTable (): string {
  const chinese = chineseFor(playReasons, reasons, 'build/docs/zh.ts')
  return ['| `reason` | 含义 |', '|---|---|', ...playReasons.map((reason) => `| \`${reason}\` | ${cell(chinese(reason))} |`)].join('\n')
}

/** Returns the Chinese pages that have generated tables, by name. */
export function chinesePages (between: Between): Readonly<Record<string, string>> {
  const [readme, migrating, upgrading] = ['README.zh-CN.md', 'docs/guides/migrating.zh-CN.md', 'docs/guides/upgrading.zh-CN.md']
  return {
    [readme]: between(readme, 'endpoints', endpointTable(), between(readme, 'codes', codeTable(), between(readme, 'reasons', reasonTable()))),
    [migrating]: between(migrating, 'resources', oldRoutesTable(['J'], oldRoutesInChinese()), between(migrating, 'family', oldRoutesTable(['S', 'R'], oldRoutesInChinese()), between(migrating, 'moved', movedTable(['路由', '原来', '这里'])))),
    [upgrading]: between(upgrading, 'removed', removedTable({ heads: ['配置键', '为什么可以删掉'], reason: chineseFor(removalReasons, removals, 'build/docs/zh.ts') }))
  }
}
