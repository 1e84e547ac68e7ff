/** The phases of the benchmark. docs/performance.md explains each result. */
import { hasNginx, hasPeer, startAnchor, startNginx, startPeer, startRelay } from './children.ts'
import type { Server } from './children.ts'
import { lengthOf, rowsOf, standing, uncached, wide } from './ground.ts'
import type { Phase } from './ground.ts'
import { batch, coalescing, resolving, together } from './bursts.ts'
import { memory, start } from './footprint.ts'
import { growth } from './growth.ts'
import { http2 } from './http2.ts'
import { players } from './players.ts'
import { chart, mixedPaths, search, song } from './questions.ts'
import type { Question } from './questions.ts'

/** An answer of 43 KB from the cache. The upstream's answer for one chart also has 43 KB. */
const hotPath = '/getSearchByKey?key=a&limit=45'

const questions: Readonly<Record<string, Question>> = {
  chart,
  search,
  song,
  lyric: { about: 'a lyric', ours: '/getLyric?songmid=00DemoSong0005', anchor: '/lyric?songmid=00DemoSong0005' },
  comments: { about: 'comments of a song', ours: '/getComments?id=5000001', anchor: '/comments?id=5000001' },
  play: { about: 'a play address, two upstream requests', ours: '/getMusicPlay?songmid=00DemoSong0001', anchor: '/play?songmid=00DemoSong0001' },
  singer: { about: 'thirty songs of a singer', ours: '/getSingerHotsong?singermid=00DemoSing0001&limit=30', anchor: '/singer?singermid=00DemoSing0001', peer: '/getSingerHotsong?singermid=00DemoSing0001&page=1&limit=30' }
}

const hot = (name: string, connections: number): Phase => ({
  name,
  about: `one answer of some 43 KB from memory, ${connections} connections; with request lines switched on beside it`,
  run: async (bench) => await standing((origin) => [startRelay(origin), startRelay(origin, { LOG_LEVEL: 'info' }), startAnchor('fastify-buffer')], async ([quiet, logging, bare]) => {
    const size = await lengthOf(quiet as Server, hotPath)
    await lengthOf(logging as Server, hotPath)
    return await rowsOf(bench, {
      anchor: 'fastify-buffer',
      connections,
      contestants: [
        { name: 'relay', server: quiet as Server, paths: [hotPath] },
        { name: 'relay, LOG_LEVEL=info', server: logging as Server, paths: [hotPath] },
        { name: 'fastify-buffer', server: bare as Server, paths: [`/?size=${size}`] }
      ]
    })
  })
})

const fresh = (name: string, { about, ours, anchor, peer = ours }: Question): Phase => ({
  name,
  about: `${about}; uncached: every request goes to the upstream`,
  run: async (bench) => await standing((origin) => [startRelay(origin, uncached), startAnchor('relay-map', origin), ...hasPeer() ? [startPeer(origin)] : []], async ([relay, bare, published]) => await rowsOf(bench, {
    anchor: 'relay-map',
    connections: 10,
    contestants: [
      { name: 'relay', server: relay as Server, paths: [ours] },
      { name: 'relay-map', server: bare as Server, paths: [anchor] },
      ...published === undefined ? [] : [{ name: '@sansenjian/qq-music-api', server: published, paths: [peer] }]
    ]
  }))
})

const mixed: Phase = {
  name: 'mixed',
  about: 'ten kinds of request, nine of them cached; beside a relay without a cache',
  run: async (bench) => await standing((origin) => [startRelay(origin, wide), startRelay(origin, uncached)], async ([keeps, asks]) => await rowsOf(bench, {
    anchor: 'relay, CACHE=false',
    connections: 10,
    contestants: [
      { name: 'relay', server: keeps as Server, paths: mixedPaths },
      { name: 'relay, CACHE=false', server: asks as Server, paths: mixedPaths }
    ]
  }))
}

const crowd: Phase = {
  name: 'connections',
  about: '1000 connections: answers from memory, and uncached ones from an upstream that takes 20 ms',
  run: async (bench) => await standing((origin) => [startRelay(origin), startAnchor('fastify-buffer'), startRelay(origin, uncached), startAnchor('relay-map', origin)], async ([keeps, buffer, asks, bare], upstream) => {
    const size = await lengthOf(keeps as Server, hotPath)
    await upstream.ask({ latencyMs: 20 })
    return await rowsOf(bench,
      { anchor: 'fastify-buffer', connections: 1000, contestants: [{ name: 'relay, hot', server: keeps as Server, paths: [hotPath] }, { name: 'fastify-buffer', server: buffer as Server, paths: [`/?size=${size}`] }] },
      { anchor: 'relay-map', connections: 1000, contestants: [{ name: 'relay, uncached', server: asks as Server, paths: [chart.ours] }, { name: 'relay-map', server: bare as Server, paths: [chart.anchor] }] })
  })
}

const audio: Phase = {
  name: 'audio',
  about: 'files of 16 MB through the relay (STREAM=relay), beside nginx with proxy_pass; CPU per request is CPU per 16 MB',
  run: async (bench) => hasNginx() ? await standing((origin) => [startRelay(origin, { STREAM: 'relay', ...wide }), startNginx(origin)], async ([ours, bare]) => await rowsOf(bench, {
    anchor: 'nginx',
    connections: 10,
    contestants: [
      { name: 'relay', server: ours as Server, paths: ['/stream/00DemoSong0001'] },
      { name: 'nginx', server: bare as Server, paths: ['/audio/M500.mp3'] }
    ]
  })) : { columns: ['nginx is not installed'], rows: [] }
}

export const phases: readonly Phase[] = [
  hot('hot', 10),
  hot('hot-100', 100),
  ...Object.entries(questions).map(([name, question]) => fresh(name, question)),
  http2,
  together,
  mixed,
  coalescing,
  resolving,
  batch,
  start,
  memory,
  growth,
  crowd,
  audio,
  players
]
