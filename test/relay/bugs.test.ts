/** What a bug shows: to callers nothing, to the log where it is but no text that may hold a secret; and a start that fails. */
import t from 'tap'
import { buildApp } from '../../src/app.ts'

t.test('a bug is a neutral 500; its line says where, and of a message only one without a code', async (t) => {
  const log: string[] = []
  const bugs =
    { '/plain': new TypeError('plain words'), '/coded': Object.assign(new TypeError('https://user:SECRET@host'), { code: 'ERR_ODD' }) }
  const app = await buildApp({
    logTo: { write: (line) => { log.push(line) } },
    beforeRoutes: async (app) => {
      for (const [path, bug] of Object.entries(bugs)) app.get(path, { config: { open: true } }, () => { throw bug })
    }
  })
  t.teardown(async () => { await app.close() })
  for (const path of Object.keys(bugs)) {
    const { statusCode, body } = await app.inject({ url: path })
    t.match([statusCode, JSON.parse(body)], [500, { code: 'INTERNAL' }])
    t.notMatch(body, /plain words|SECRET|at /)
  }
  const [plain, coded] = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'bug')
  t.match([plain?.err, coded?.err], [
    { message: 'plain words', stack: /bugs\.test/ }, { code: 'ERR_ODD', message: undefined, stack: [/bugs\.test/] }
  ])
  t.notMatch(log.join(''), /SECRET/)
})

t.test('a start that fails closes what it has opened', async (t) => {
  let closed = 0
  const failing = buildApp({
    beforeRoutes: async (app) => { app.addHook('onClose', async () => { closed++ }); throw new Error('odd') }
  })
  await t.rejects(failing, { message: 'odd' })
  t.equal(closed, 1)
})
