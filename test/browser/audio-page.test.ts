/** Audio in a page of another origin that processes it: only bytes that the page may read make sound there. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { browserFor, withoutBrowser } from '../support/browser.ts'
import { song } from '../support/helper.ts'

const open = browserFor(t)

/** A page whose button plays `address`, and that looks at the sound on its way. */
const pageOf = (address: string): string => `<title>A blog</title><button>play</button><script>
  const audio = Object.assign(new Audio(), { crossOrigin: 'anonymous', src: '${address}', preload: 'none' })
  let analyser
  document.querySelector('button').addEventListener('click', () => {
    const context = new AudioContext()
    analyser = context.createAnalyser()
    context.createMediaElementSource(audio).connect(analyser).connect(context.destination)
    audio.play().catch(() => {})
  })
  function heard () {
    if (analyser === undefined) return false
    const data = new Float32Array(analyser.fftSize)
    analyser.getFloatTimeDomainData(data)
    return data.some((value) => Math.abs(value) > 0.01)
  }
</script>`

t.test('an audio element of another origin plays through WebAudio, goes to a place in the song, and reads the headers of ranges', { skip: withoutBrowser }, async (t) => {
  for (const stream of ['relay', 'redirect'] as const) {
    const { page, server } = await open(t, '/health/live', { options: { stream } })
    const address = `${server.address}/stream/${song(1)}`
    const blog = createServer((_request, response) => { response.setHeader('content-type', 'text/html').end(pageOf(address)) }).listen(0, '127.0.0.1')
    await once(blog, 'listening')
    t.teardown(() => { blog.closeAllConnections(); blog.close() })
    await page.goto(`http://127.0.0.1:${(blog.address() as AddressInfo).port}`)
    await page.click('button')
    if (stream === 'redirect') {
      await page.waitForFunction('audio.error !== null')
      t.equal(await page.evaluate('heard()'), false, 'the host of the file lets no page read it')
      continue
    }
    await page.waitForFunction('heard() && audio.currentTime > 0.5')
    await page.evaluate('audio.currentTime = 100')
    await page.waitForFunction('audio.currentTime > 100.5')
    t.equal(await page.evaluate('audio.duration'), 113)
    const seen = await page.evaluate(async (url) => {
      const { status, headers } = await fetch(url, { headers: { range: 'bytes=0-99' } })
      return [status, headers.get('content-range'), headers.get('accept-ranges'), headers.get('content-length')]
    }, address)
    t.match(seen, [206, /^bytes 0-99\//, 'bytes', '100'])
  }
})
