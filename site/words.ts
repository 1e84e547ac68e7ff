/** The words of the site itself, in both languages. */
import type { Language } from './sources.ts'

/** The groups of pages beside the endpoints, in the order of the menu. */
export type Group = 'start' | 'guides' | 'players' | 'running' | 'interface' | 'inside'

export interface Words {
  readonly endpoints: string
  readonly start: string
  readonly every: string
  readonly parameters: string
  readonly noParameters: string
  readonly request: string
  readonly answer: string
  readonly shortened: string
  readonly errors: string
  readonly whatToDo: string
  readonly session: string
  readonly envelope: string
  readonly parameterHeads: readonly string[]
  readonly marks: { readonly optional: string, readonly default: string }
  readonly fieldHeads: readonly string[]
  readonly errorHeads: readonly string[]
  readonly login: Readonly<Record<'required' | 'optional', string>>
  readonly groups: Readonly<Record<Group, string>>
  readonly tags: Readonly<Record<string, string>>
}

export const words: Readonly<Record<Language, Words>> = {
  en: {
    endpoints: 'Endpoints',
    start: 'Overview',
    every: 'Every endpoint has a page with its parameters, a request that works on the demo, its answer and its errors. [Reference](/reference) has all of them on one page.',
    parameters: 'Parameters',
    noParameters: 'None.',
    request: 'Request',
    answer: 'Answer',
    shortened: 'As the demo answers it. Lists are cut after two elements, long texts end in `…`.',
    errors: 'Errors',
    whatToDo: 'What to do, by code: [When something fails](/guides/when-something-fails#what-to-do-by-code). Errors of every route, such as an unknown path, are in the [reference](/reference#errors).',
    session: 'This is the answer after somebody has confirmed the login on the phone. The request above names a code that nobody has.',
    envelope: 'Envelopes are defined in the [reference](/reference#envelopes).',
    parameterHeads: ['Parameter', 'Type', 'Meaning'],
    marks: { optional: 'optional', default: 'default' },
    fieldHeads: ['Field', 'Type', 'Meaning'],
    errorHeads: ['HTTP', 'Code', 'When'],
    login: { required: 'Needs a [login](/login). The cookie below belongs to an account of the demo.', optional: 'A [login](/login) is optional. The cookie below belongs to an account of the demo.' },
    groups: { start: 'Start', guides: 'Guides', players: 'Players and apps', running: 'Running it', interface: 'The interface', inside: 'Inside' },
    tags: { charts: 'Charts', music: 'Songs, lyrics, audio', search: 'Search', playlists: 'Playlists', singers: 'Singers', comments: 'Comments', mv: 'MVs', discover: 'Discover', recommend: 'Recommendations', user: 'User', login: 'Login' }
  },
  zh: {
    endpoints: '接口',
    start: '概览',
    every: '每个接口一页：参数、可以直接在演示数据源上运行的请求、返回示例和错误。接口的详细说明和返回字段的说明是英文。[接口参考](/reference)把它们放在同一页上。',
    parameters: '参数',
    noParameters: '无。',
    request: '请求',
    answer: '返回',
    shortened: '演示数据源的返回。列表只保留前两项，长文本以 `…` 结尾。',
    errors: '错误',
    whatToDo: '每个错误码该怎么办，见[出错时怎么办](/zh/guides/when-something-fails#按错误码处理)。所有路由共有的错误（例如路径不存在）见[接口参考](/reference#errors)。',
    session: '这是用户在手机上确认登录之后的返回。上面请求里的码并不存在。',
    envelope: '外层结构（envelope）的定义见[接口参考](/reference#envelopes)。',
    parameterHeads: ['参数', '类型', '说明'],
    marks: { optional: '可选', default: '默认' },
    fieldHeads: ['字段', '类型', '说明'],
    errorHeads: ['HTTP', '错误码', '何时出现'],
    login: { required: '需要[登录](/login)。下面的 Cookie 属于演示数据源的一个账号。', optional: '[登录](/login)可选。下面的 Cookie 属于演示数据源的一个账号。' },
    groups: { start: '开始', guides: '指南', players: '播放器与应用', running: '运行', interface: '接口约定', inside: '内部' },
    tags: { charts: '排行榜', music: '歌曲、歌词、音频', search: '搜索', playlists: '歌单', singers: '歌手', comments: '评论', mv: 'MV', discover: '发现', recommend: '推荐', user: '用户', login: '登录' }
  }
}
