/** The generated tables of the Chinese pages. */
import { playReasons } from '../../schemas/common.ts'
import { errorCodes } from '../../schemas/errors.ts'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import { registry } from '../../src/endpoints/index.ts'
import { movedTable, oldRoutesTable } from './oldRoutes.ts'
import { removalReasons, removedTable } from './removed.ts'
import { cell, endpointTable, failureTable } from './tables.ts'
import { codes, failures, reasons, removals } from './zh.ts'
import { oldRoutesInChinese } from './zhOldRoutes.ts'
import { chineseFor } from './zhTexts.ts'

/** Writes lines between two marks of a file, or of the text that is to become the file. */
type Between = (file: string, mark: string, lines: string, text?: string) => string

const endpoints: Readonly<Record<string, AnyEndpoint>> = registry
const logins = { optional: '可选', required: '必需' } as const

function codeTable (): string {
  const chinese = chineseFor(Object.keys(errorCodes), codes, 'build/docs/zh.ts')
  return [
    '| HTTP | `code` | 含义 |',
    '|---|---|---|',
    ...Object.entries(errorCodes).map(([code, { status }]) => `| ${status} | \`${code}\` | ${cell(chinese(code))} |`)
  ].join('\n')
}

function reasonTable (): string {
  const chinese = chineseFor(playReasons, reasons, 'build/docs/zh.ts')
  return ['| `reason` | 含义 |', '|---|---|', ...playReasons.map((reason) => `| \`${reason}\` | ${cell(chinese(reason))} |`)].join('\n')
}

function referencePage (): string {
  return [
    '# 接口一览',
    '[English](reference.md)',
    '参数和返回字段的说明见[英文参考](reference.md)。运行中的服务在 `/docs` 提供可以试用的文档，在 `/guide/zh/endpoints/` 提供每个接口的中文页面。',
    '## 接口',
    endpointTable(Object.values(endpoints), '| | 路径 | 内容 | 登录 |', ({ summaryInChinese, login }) =>
      [summaryInChinese, login === undefined ? '' : logins[login]]),
    '## 错误码',
    '每个错误都是 `{ "error": "<一句话>", "code": "<代码>" }`。怎么处理，见[出错时怎么办](guides/when-something-fails.zh-CN.md)。',
    codeTable(),
    '## 上游调用的失败',
    '日志、[指标](metrics.md)和 `/health/upstream` 里每次调用的 `outcome`；没有其他调用可用时，回应的 `code`；以及 `music-relay doctor` 的判断。`biz_` 后面是上游的错误码，`filter_` 后面是搜索被拒绝的原因，`http_` 后面是 HTTP 状态码。',
    failureTable('| `outcome` | `code` | 判断 | 含义 |', failures),
    '## 不能播放的原因',
    reasonTable()
  ].join('\n\n') + '\n'
}

/** Returns the Chinese pages that have generated tables, by name. */
export function chinesePages (between: Between): Readonly<Record<string, string>> {
  const [migrating, upgrading] = ['docs/guides/migrating.zh-CN.md', 'docs/guides/upgrading.zh-CN.md']
  return {
    'docs/reference.zh-CN.md': referencePage(),
    [migrating]: between(
      migrating,
      'resources',
      oldRoutesTable(['J'], oldRoutesInChinese()),
      between(
        migrating,
        'family',
        oldRoutesTable(['S', 'R'], oldRoutesInChinese()),
        between(migrating, 'moved', movedTable(['路由', '原来', '这里']))
      )
    ),
    [upgrading]: between(
      upgrading,
      'removed',
      removedTable({
        heads: ['配置键', '为什么可以删掉'],
        reason: chineseFor(removalReasons, removals, 'build/docs/zh.ts')
      })
    )
  }
}
