/** Programs that trust a certificate of the test: Node reads NODE_EXTRA_CA_CERTS only when a process starts. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { folderFor } from './accountsHelper.ts'
import { root } from './commandProcess.ts'
import { programLine } from './program.ts'

/** The reason to skip a test. */
export const withoutOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed'

/** Runs a program with so many pairs of key and certificate, and more arguments. It trusts the first certificate. */
export function certified (t: Test, program: string, pairs: number, ...more: string[]): {
  status: number | null, stdout: string, stderr: string
} {
  const folder = folderFor(t)
  const files = Array.from({ length: pairs }, (_, at) => {
    const [key, cert] = [join(folder, `${at}.key`), join(folder, `${at}.pem`)] as const
    const made = spawnSync('openssl', [
      'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost',
      '-addext', 'subjectAltName=DNS:localhost,DNS:u.y.qq.com', '-keyout', key, '-out', cert
    ])
    t.equal(made.status, 0, String(made.stderr))
    return [key, cert] as const
  }).flat()
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: files[1] }
  return spawnSync(process.execPath, [...programLine(program), ...files, ...more], { cwd: root, env, encoding: 'utf8' })
}
