/** Configuration blocks, each put before the program it is for; where that is not installed, nothing is said. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** Undefined when the block is right, else what is wrong with it. */
export async function checkConfiguration ({ lang, code }, scratch) {
  const folder = mkdtempSync(join(scratch, 'configuration-'))
  const write = (name, text) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  switch (lang) {
    case 'json': return thrown(() => { JSON.parse(code) })
    case 'yaml': return thrown(() => { parse(code) })
    case 'nginx': {
      const [key, certificate] = keyPair(folder)
      const site = code
        .replaceAll(/(ssl_certificate\s+)\S+;/g, `$1${certificate};`).replaceAll(
          /(ssl_certificate_key\s+)\S+;/g, `$1${key};`
        )
        .replaceAll(/\/var\/log\/nginx\//g, `${folder}/`).replaceAll(
          /(listen\s+(?:\[::\]:)?)(\d+)/g, (_, before, port) => `${before}${20000 + Number(port) % 10000}`
        )
      return said('nginx', ['-t', '-q', '-c', write('nginx.conf', `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${site}\n}\n`)])
    }
    case 'caddy': return said('caddy', ['validate', '--adapter', 'caddyfile', '--config', write('Caddyfile', code)], { HOME: folder })
    case 'haproxy': {
      const [key, certificate] = keyPair(folder)
      const both = write('both.pem', `${spawnSync('cat', [certificate, key], { encoding: 'utf8' }).stdout}`)
      return said('haproxy', ['-c', '-q', '-f', write('haproxy.cfg', `${code.replaceAll(/ crt \S+/g, ` crt ${both}`)}\n`)])
    }
    case 'systemd':
    case 'ini': return checkUnit(code, write)
    default: return undefined
  }
}

/** A unit, with the programs it names replaced by one that is here. */
export function checkUnit (unit, write) {
  const here = unit.replaceAll(/^(ExecStart\w*=)\S+/gm, '$1/bin/true')
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', '--man=no', write('music-relay.service', here)], { encoding: 'utf8' })
  if (error !== undefined) return undefined
  return stderr.includes('music-relay.service') ? stderr : undefined
}

function keyPair (folder) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=music.example', '-keyout', key, '-out', certificate])
  return [key, certificate]
}

function said (program, args, env = {}) {
  const { error, status, stdout, stderr } = spawnSync(
    program, args, { encoding: 'utf8', env: { ...process.env, ...env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } }
  )
  if (error !== undefined) return undefined
  return status === 0 ? undefined : `${program} refuses it:\n${stdout}${stderr}`
}

function thrown (check) {
  try {
    check()
    return undefined
  } catch (error) {
    return error.message
  }
}
