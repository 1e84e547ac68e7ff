/** Helper of the phase `http2`: an upstream over TLS that speaks both versions. */
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { serve } from './children.ts'

const body = JSON.stringify({ code: 0, req_0: { code: 0, data: { list: Array.from({ length: 40 }, (_, at) => ({ id: 5_000_000 + at, mid: `00DemoSong${at}`, title: 'First Light', interval: 215, singer: 'The Paper Lanterns' })) } } })
let latency = 0
let port = 0

serve(async ({ files, latencyMs }: { files?: readonly [string, string], latencyMs: number }): Promise<number> => {
  latency = latencyMs
  if (files !== undefined) {
    const server = createSecureServer({ key: readFileSync(files[0]), cert: readFileSync(files[1]), allowHTTP1: true }, (request, response) => {
      request.resume()
      const answer = (): void => { response.end(body) }
      if (latency === 0) answer()
      else setTimeout(answer, latency)
    })
    await new Promise<void>((resolve) => { server.listen(0, 'localhost', resolve) })
    port = (server.address() as AddressInfo).port
  }
  return port
})
