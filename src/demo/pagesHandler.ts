import { answered, notFound, type Asked, type HostHandler, type Stage } from './hostHandler.ts'
import { isHttpFault, type HttpFault } from './faults.ts'

export const script = (body: string): HttpFault => ({
  body,
  headers: { 'content-type': 'application/x-javascript; charset=utf-8' }
})

type PageHandler = (asked: Asked, stage: Stage) => Promise<HttpFault> | HttpFault

/**
 * A handler with one page per path. A path that ends in `/` covers everything below it. Faults are named by that path.
 */
export function pagesHandler (pages: Readonly<Record<string, PageHandler>>): HostHandler {
  return (asked) => {
    const path =
      Object.keys(pages).find((known) => known.endsWith('/') ? asked.path.startsWith(known) : asked.path === known)
        ?? asked.path
    const page = pages[path]
    const answer = async (stage: Stage): Promise<HttpFault> => {
      const fault = stage.faults.take({ call: path, host: asked.host, param: asked.query })
      if (fault && isHttpFault(fault)) return fault
      if (!page) return notFound
      // Pages have no business codes of the music service. Only HTTP faults and delays apply.
      const answer = await answered(fault, () => page(asked, stage), () => notFound) as HttpFault
      return fault && 'lost' in fault ? { reset: true } : answer
    }
    return { calls: [path], body: asked.text || undefined, answer }
  }
}
