/** Serves the page when the relay cannot be reached, so that it can say so. Answers are never kept. */
/// <reference lib="webworker" />
declare const self: ServiceWorkerGlobalScope
/** Files of the shell. Their names change with their contents. */
declare const shell: readonly string[]

const name = 'music-relay shell'
const files = shell.map((file) => new URL(file, self.location.href).href)
const root = new URL('./', self.location.href).href

self.addEventListener('install', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(name)
    await cache.addAll([root, ...files].map((url) => new Request(url, { cache: 'reload' })))
    await self.skipWaiting()
  })())
})

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(name)
    for (const { url } of await cache.keys()) if (url !== root && !files.includes(url)) await cache.delete(url)
    await self.clients.claim()
  })())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = request.url.replace(/[?#].*$/s, '')
  if (request.method !== 'GET') return
  if (files.includes(url)) event.respondWith((async () => await caches.match(url) ?? await fetch(request))())
  else if (request.mode === 'navigate' && (url === root || url === `${root}login`))
    event.respondWith(fetch(request).catch(async () => await caches.match(root) ?? Response.error()))
})
