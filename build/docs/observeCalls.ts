/**
 * Generates src/doctor/calls.json: all upstream calls, and the endpoints that send them; and the rows of
 * docs/upstream.md that need no words. Every endpoint is probed against the demo upstream, its calls are denied until
 * no further fallback appears, and then the QR codes are scanned.
 */
import { settingsOf } from '../../src/relay/settings.ts'
import { startDemoUpstream, type DemoUpstream } from '../../src/demo/upstream.ts'
import {
  createProber, denialsOf, endpointNames, type KnownCall, type Name, type Prober
} from '../../src/doctor/prober.ts'
import { registry } from '../../src/endpoints/index.ts'

/** Returns the new text of the file, and a row for each endpoint, by path. Throws if one breaks on an answer. */
export async function observedCalls (): Promise<{ readonly text: string, readonly rows: ReadonlyMap<string, string> }> {
  const demo = await startDemoUpstream({ trustDevices: true })
  const cookie = demo.accounts.find(({ name }) => name === 'member')?.cookie
  const prober = createProber({
    settings: settingsOf({ upstreamOrigin: demo.origin, imageOrigin: demo.origin }),
    cookie,
    tuning: { searchIntervalMs: 0, searchSlowIntervalMs: 0, searchPauseMs: 0 }
  })
  try {
    await prober.probeAll(() => {})
    // Logins have no fallbacks, and a QR code cannot be scanned twice.
    for (const name of endpointNames.filter((each) => registry[each].tag !== 'login')) {
      await denyUntilNothingIsNew(name, prober)
    }
    const beforeScan = new Set(prober.recorder.probes.keys())
    await scan(demo, prober)
    if (prober.broken.size > 0) throw new Error([...prober.broken].join('\n'))
    return { text: textOf(prober, beforeScan), rows: new Map(endpointNames.map((name) => rowOf(name, prober))) }
  } finally {
    await prober.close()
    await demo.close()
  }
}

async function denyUntilNothingIsNew (name: Name, { recorder: { probes }, probe }: Prober): Promise<void> {
  const reached = (): string[] =>
    [...probes].filter(([, { endpoints }]) => endpoints.has(name)).map(([call]) => call).sort()
  for (let before: string[] = []; before.length < reached().length;) {
    before = reached()
    for (const denied of denialsOf(before)) await probe(name, denied)
  }
}

async function scan (demo: DemoUpstream, { sampleIds, probe }: Prober): Promise<void> {
  const { mainQrCodes, altQrCodes } = sampleIds()
  for (const code of [...mainQrCodes, ...altQrCodes]) demo.login.confirm(code)
  await probe('checkMainLoginQr')
  await probe('checkAltLoginQr')
}

function textOf ({ recorder: { probes } }: Prober, beforeScan: ReadonlySet<string>): string {
  const calls = [...probes].sort(([a], [b]) => a < b ? -1 : 1).map(([call, probe]): [string, KnownCall] => {
    const endpoints = endpointNames.filter((name) => probe.endpoints.has(name))
    return [call, {
      endpoints,
      ...probe.host === undefined ? {} : { host: probe.host },
      ...beforeScan.has(call) ? {} : { afterScan: true as const }
    }]
  })
  return `{\n${calls.map(([call, known]) => `  ${JSON.stringify(call)}: ${JSON.stringify(known)}`).join(',\n')}\n}\n`
}

const letters: Readonly<Record<string, string>> = { musicu: ' G', classic: ' C', profile: ' P' }

/** Returns the path of an endpoint, and its calls in the order of sending. */
function rowOf (name: Name, { recorder }: Prober): [path: string, row: string] {
  const { path } = registry[name]
  const call = (each: string): string => `\`${each}\`${letters[recorder.probes.get(each)?.host ?? ''] ?? ''}`
  const chains = recorder.chainsOf(name).map(({ calls }) => calls.map(call).join(' → '))
  return [path, `| \`${path}\` | ${chains.join('; ')} |`]
}
