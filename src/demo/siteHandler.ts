import type { Asked, HostHandler } from './hostHandler.ts'
import type { HttpFault } from './faults.ts'
import { pagesHandler, script } from './pagesHandler.ts'

const programs = ['Windows PC', 'Mac', 'Android', 'iPhone']

/** The client programs for download, in the form that the site's own page loads (2019). */
function downloads ({ query }: Asked): HttpFault {
  const data = programs.map((Ftitle, at) => ({
    ID: at + 1,
    Ftype: at + 1,
    Ftitle: `Demo for ${Ftitle}`,
    Fversion: `最新版:1.${at}.0`,
    Fpic: `https://example.invalid/programs/${at + 1}.png`,
    Fdesc: 'Plays nothing \n|发布时间：2019-05-17',
    Flink1: `https://example.invalid/programs/${at + 1}`,
    Flink2: '',
    Fcode: ''
  }))
  return script(`${query['jsonpCallback'] ?? 'MusicJsonCallback'}(${JSON.stringify({ data })})`)
}

/** The pages of the site itself. */
export const siteHandler: HostHandler = pagesHandler({ '/download/download.js': downloads })
