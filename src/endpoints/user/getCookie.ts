/** Shows the caller the cookie that its request uses. Local: no upstream request. */
import { data, endpoint } from '../kit.ts'
import { CookieInfo, GetCookieQuery } from '../../../schemas/user.ts'

export const getCookie = endpoint({
  method: 'GET',
  path: '/user/getCookie',
  tag: 'user',
  summary: 'The cookie of this request, in neutral names',
  summaryInChinese: '本次请求使用的 cookie，字段名已统一',
  description: 'Shows which parts of the given cookie the relay understood; other names are dropped. Without a cookie everything is empty. The values of the global cookie are hidden unless exposeGlobalCookie is on.',
  example: {},
  probe: 'none',
  input: GetCookieQuery,
  record: CookieInfo,
  envelope: data,
  login: 'optional',

  run (_input, { shownCookie }) {
    const cookieList = shownCookie.map(([name, value]) => `${name}=${value}`)
    return {
      code: 200 as const,
      cookie: cookieList.join('; '),
      cookieList,
      cookieObject: Object.fromEntries(shownCookie)
    }
  }
})
