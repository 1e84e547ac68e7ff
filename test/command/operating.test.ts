/** What the documentation gives operators, in the programs that it is for: alerts and dashboard in Prometheus, proxies with TLS under a path. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import t from 'tap'
import { root, spawned, start } from '../support/commandProcess.ts'
import { freePort } from '../support/freePort.js'
import { until } from '../support/helper.ts'
import { programOf, without } from '../support/instances.ts'

const documented = (file: string): string => readFileSync(join(root, 'docs', file), 'utf8')

const noPrometheus = without('prometheus', 'promtool')

t.test('the alerts fire when they should, and only then', { skip: noPrometheus }, async (t) => {
  for (const args of [['check', 'config', 'docs/prometheus/prometheus.yml'], ['test', 'rules', 'test/command/alerts.yml']]) {
    const { status, stdout, stderr } = spawnSync(programOf('promtool') as string, args, { cwd: root, encoding: 'utf8' })
    t.equal(status, 0, `${stdout}${stderr}`)
  }
})

t.test('a Prometheus that scrapes a relay loads the rules, and has data for each query of the dashboard', { skip: noPrometheus, timeout: 60_000 }, async (t) => {
  const { address } = await start(t, undefined, {
    METRICS: 'true', TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '100000', RATE_LIMIT_LOGIN_STARTS: '1',
    REDIS_URL: 'redis://127.0.0.1:1'
  }, { args: ['demo'] })
  const folder = t.testdir({ data: {} })
  cpSync(join(root, 'docs/prometheus'), folder, { recursive: true })
  writeFileSync(
    join(folder, 'prometheus.yml'),
    documented('prometheus/prometheus.yml').replace('localhost:3200', new URL(address).host).replace('30s', '1s')
  )
  const port = await freePort()
  const api = `http://127.0.0.1:${port}/api/v1`
  const prometheus = spawned(t, [
    programOf('prometheus') as string, `--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`
  ])
  const asked = async (path: string): Promise<any> =>
    await fetch(`${api}${path}`).then(async (answer) => await answer.json()).catch(() => undefined)
  await until(async () => (await asked('/rules'))?.status === 'success' || prometheus.child.exitCode !== null)
  t.equal(prometheus.child.exitCode, null, prometheus.said())
  const { data: { groups } } = await asked('/rules')
  t.equal(groups[0].rules.length, documented('prometheus/music-relay.rules.yml').match(/ - alert: /g)?.length)

  const { panels } = JSON.parse(documented('grafana/music-relay.json')) as {
    panels: { id: number, title: string, targets: { expr: string }[] }[]
  }
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const known = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].flatMap(([, name = '']) => [name, `${name}_bucket`]))
  const named = [...queries.map(([, expr]) => expr), documented('prometheus/music-relay.rules.yml')]
    .flatMap((text) => text.match(/\b(?:music_relay|process|nodejs)_\w+/g) ?? [])
  t.same(named.filter((name) => !known.has(name)), [], 'each is a metric of the relay')

  // Rates need requests between scrapes.
  const paths = ['/getHotkey', '/getHotkey', '/getLyric/00DemoSong0001', '/getAlbumInfo?albummid=00DemoNone0001', '/getMainLoginQr']
  // Only with stored accounts, and while an answer has changed.
  const mayLack = new Set(['First login ends in', 'Stored logins', 'Drift'])
  const queried = async (expr: string): Promise<{ status: string, data?: { result: unknown[] } } | undefined> =>
    await asked(`/query?query=${encodeURIComponent(expr.replaceAll('$job', 'music-relay').replaceAll('$__rate_interval', '1m'))}`)
  const traffic = setInterval(() => {
    for (const path of paths) void fetch(`${address}${path}`).then(async (answer) => await answer.text(), () => {})
  }, 250)
  t.teardown(() => { clearInterval(traffic) })
  for (const [title, expr] of queries) {
    let answer: Awaited<ReturnType<typeof queried>> | undefined
    await until(async () => {
      answer = await queried(expr)
      return answer?.status !== 'success' || mayLack.has(title) || (answer?.data?.result.length ?? 0) > 0
    })
    t.equal(answer?.status, 'success', `${title}: ${expr}`)
  }
  const { data: { groups: [{ rules }] } } = await asked('/rules')
  t.same(rules.filter(({ health }: { health: string }) => health === 'err'), [])
})

/** Each configuration, with nothing replaced but name, port, certificate and folder of the log. */
const proxies: Readonly<
  Record<string, (at: { port: number, relay: string, folder: string }) => [file: string, text: string, args: string[]]>
> = {
  caddy: ({ port, relay, folder }) => [
    `${folder}/Caddyfile`,
    `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${documented('proxies/Caddyfile').replace('music.example {', `https://localhost:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`)
      .replace('127.0.0.1:3200', relay).replace('/var/log/caddy', folder)}`,
    ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`]
  ],
  nginx: ({ port, relay, folder }) => [
    `${folder}/nginx.conf`,
    `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${documented('proxies/nginx.conf').replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace('127.0.0.1:3200', relay).replace('music.example', 'localhost').replaceAll('/var/log/nginx', folder).replace(/\/etc\/\S+fullchain.pem/, `${folder}/cert.pem`).replace(/\/etc\/\S+privkey.pem/, `${folder}/key.pem`)}\n}\n`,
    ['-p', folder, '-c', `${folder}/nginx.conf`]
  ]
}

for (const [name, configuration] of Object.entries(proxies)) {
  t.test(`${name} serves a relay with TLS under a path`, { skip: without(name, 'openssl') }, async (t) => {
    const folder = t.testdir()
    const made = spawnSync('openssl', [
      'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost',
      '-addext', 'subjectAltName=DNS:localhost', '-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`
    ])
    t.equal(made.status, 0)
    const port = await freePort()
    const origin = `https://localhost:${port}/music`
    const { address } = await start(t, undefined, {
      PUBLIC_ORIGIN: origin, ALLOWED_HOSTS: 'localhost', TRUST_PROXY: '127.0.0.1', STREAM: 'relay', RATE_LIMIT: '40'
    }, { args: ['demo'] })
    const [file, text, args] = configuration({ port, relay: new URL(address).host, folder })
    writeFileSync(file, text)
    const proxy =
      spawned(t, [programOf(name) as string, ...args], { env: { ...process.env, HOME: folder }, killSignal: 'SIGTERM' })
    const ca = readFileSync(`${folder}/cert.pem`)
    const get = async (path: string, headers: Record<string, string> = {}): Promise<{
      status: number | undefined, headers: Record<string, unknown>, text: string
    }> => await new Promise((resolve, reject) => {
      request(`https://localhost:${port}${path}`, { ca, headers }, (answer) => {
        let text = ''
        answer.setEncoding('latin1').on('data', (part: string) => { text += part })
          .on('end', () => { resolve({ status: answer.statusCode, headers: answer.headers, text }) })
      }).on('error', reject).end()
    })
    await until(async () => proxy.child.exitCode !== null || await get('/music/health/live')
      .then(() => true, () => false))

    t.equal((await get('/music')).headers['location'], name === 'nginx' ? `${origin}/` : '/music/')
    const page = await get('/music/')
    t.match([page.status, page.headers['strict-transport-security']], [200, /max-age=31536000/])
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page.text) ?? []
    t.equal((await get(new URL(script, `${origin}/`).pathname)).status, 200, `the page finds ${script}`)
    t.match(JSON.parse((await get('/music/getLyric/00DemoSong0001?cookie=SECRETMARK')).text), { code: 0 })
    const [item] = JSON.parse((await get('/music/meting?type=song&id=00DemoSong0001')).text) as { url: string }[]
    t.ok(item?.url.startsWith(`${origin}/meting?`), 'links contain the path')
    const part = await get('/music/stream?songmid=00DemoSong0001', { range: 'bytes=0-99' })
    t.match([part.status, part.text.length], [206, 100])

    // Each claims to be another client. The proxy says who it really is.
    const states = await Promise.all(Array.from(
      { length: 60 }, async (_, at) => (await get('/music/getHotkey', { 'x-forwarded-for': `203.0.113.${at}` })).status
    ))
    t.ok(states.includes(429), 'a client cannot choose its address')
    t.match(readFileSync(`${folder}/music.log`, 'utf8'), 'getLyric')
    t.notMatch(readFileSync(`${folder}/music.log`, 'utf8'), 'SECRETMARK')
  })
}
