import { mkdtempSync } from 'node:fs'
import { record } from './src/cli/doctor.ts'
import { checkRecordings } from './src/doctor/check.ts'
import { readRecordings } from './src/doctor/recording.ts'
import { createScreen } from './src/cli/screen.ts'
import { settingsOf } from './src/core/config.ts'
import { brisk } from './test/support/unhurried.ts'
import { startDemoUpstream } from './src/demo/upstream.ts'
import { writeFileSync } from 'node:fs'
const demo = await startDemoUpstream()
const cookie = demo.accounts.find(({ name }) => name === 'member')!.cookie
writeFileSync('/tmp/w/h45/cookie.txt', cookie)
const out = process.argv[2]
const signal = new AbortController().signal
await record({ settings: settingsOf({ upstreamOrigin: demo.origin, imageOrigin: demo.origin }), tuning: brisk({ searchPauseMs: 0, pollDeadlineMs: 50 }), cookieFile: '/tmp/w/h45/cookie.txt', screen: createScreen({ write () {} }, {}), out: (t) => process.stdout.write(t), signal, folder: out })
const checked = await checkRecordings(await readRecordings(out))
console.log(checked.length, checked.filter((c) => c.verdict !== 'ok' || c.outcome))
await demo.close()
process.exit()
