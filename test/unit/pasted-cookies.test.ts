/** What people paste is a login, whatever it came out of; where it is none, the missing half is named as a browser shows it. */
import fc from 'fast-check'
import t from 'tap'
import { resolveIdentity } from '../../src/relay/identity.ts'
import { runs } from '../support/whole.ts'

const identity = (query: string) => resolveIdentity({ query }, { fallbackMode: true, useGlobalCookie: false })
const read = (text: string): string | undefined => {
  const { credential } = identity(text)
  return credential && `${credential.uin} ${credential.key} ${credential.loginType}`
}
const lackOf = (text: string): string => identity(text).lack ?? 'neither account nor key'

const row = (name: string, value: string, domain = '.y.qq.com') =>
  ({ domain, name, value, path: '/', hostOnly: false, expirationDate: 1.8e9 })
const line = (name: string, value: string, domain = '.y.qq.com'): string =>
  [domain, 'TRUE', '/', 'FALSE', '1800000000', name, value].join('\t')

t.test('each form in which a login is pasted', async (t) => {
  const login = 'uin=1000000101; qm_keyst=Q_H_L_k'
  for (const text of [
    'uin=0; qqmusic_uin=1000000101; qm_keyst=Q_H_L_k', 'uin=; uin=o0; uin=1000000101; qqmusic_key=; qm_keyst=null; qm_keyst=Q_H_L_k',
    'wxuin=0; uin=1000000101; qm_keyst=W_X_other; qqmusic_key=Q_H_L_k', 'uin=1000000101; qm_keyst=***; provider_key=Q_H_L_k',
    `Cookie: ${login}`, `cookie:${login}`, `set-cookie: ${login}`, `curl 'https://y.qq.com/' -H 'cookie: ${login}'`, `Host: y.qq.com\nCookie: ${login}\nReferer: https://y.qq.com/`, `cookie\n${login}\nreferer\nhttps://y.qq.com/`,
    `fetch("https://y.qq.com/", {\n  "headers": {\n    "cookie": "${login}"\n  },\n  "method": "GET"\n});`, `fetch('https://y.qq.com/', { headers: { cookie: '${login}' }})`,
    `$c = ['uin' => '1000000101', 'qm_keyst' => 'Q_H_L_k'];`, `Cookie("uin", "1000000101", "/")))\n$s.Add((New-Object Cookie("qm_keyst", "Q_H_L_k", "/", ".qq.com")))`,
    `requests.get(url, headers={\n'Cookie': '${login}'\n})`, `curl 'https://y.qq.com/' \\\n  -H 'cookie: ${login}' \\\n  --compressed`,
    `"${login}"`, `'${login}'`, `“${login}”`, `\`${login}\``, `\`\`\`\n${login}\n\`\`\``, `"Cookie: ${login}"`, 'uin="1000000101"; qm_keyst=\'Q_H_L_k\'', 'uin=1000000101；qm_keyst＝Q_H_L_k',
    'uin=1000000101\nqm_keyst=Q_H_L_k', 'uin=1000000101;\r\nqm_keyst=Q_H_\r\nL_k', 'uin=10000\n00101; qm_key\nst=Q_H_L_k\n', `\ufeff${login}\u200b`,
    `nick=张三; ${login}`, `nick="a;b\u0001"; ${login}; =; ;`, `${login}; theme="dark`, 'uin=1000000101, qm_keyst=Q_H_L_k', 'uin=1000000101&qm_keyst=Q_H_L_k', 'https://y.qq.com/?uin=1000000101&qm_keyst=Q_H_L_k#top',
    JSON.stringify([row('nick', '张`三'), row('uin', 'o01000000101'), row('qm_keyst', 'Q_H_L_k')]), JSON.stringify({ cookies: [row('uin', '5', 'bank.example'), row('uin', '1000000101'), row('qm_keyst', 'Q_H_L_k')] }),
    JSON.stringify({ uin: 1000000101, qm_keyst: 'Q_H_L_k' }), JSON.stringify({ cookie: login }), JSON.stringify(login), JSON.stringify({ data: { cookieList: login.split('; ') } }), JSON.stringify(JSON.stringify({ cookie: login })),
    JSON.stringify({ log: { entries: [{ request: { headers: [{ name: 'Cookie', value: login }] } }] } }),
    `# Netscape HTTP Cookie File\n${line('uin', '5', 'bank.example')}\n#HttpOnly_${line('qm_keyst', 'Q_H_L_k')}\n${line('uin', '1000000101')}`, `${line('uin', '1000000101')}\n${line('qm_keyst', 'Q_H_L_k')}`.replaceAll('\t', '  '),
    'uin\t1000000101\t.qq.com\t/\t2026-12-24\nqm_keyst\tQ_H_L_k\t.qq.com\t/', 'uin: 1000000101\nqm_keyst: Q_H_L_k', 'uin\n1000000101\nqm_keyst\nQ_H_L_k',
    encodeURIComponent(login), encodeURIComponent(encodeURIComponent(login)), encodeURIComponent(`Cookie: "${login}"`), 'uin=1000000101;+qm_keyst=Q_H_L_k', 'uin=1000000101; qm_keyst=Q%5FH%5FL%5Fk', `&quot;${login}&quot;`, `\\"${login}\\"`
  ]) t.equal(read(text), '1000000101 Q_H_L_k 2', text)
  t.equal(read('uin=1152921504600000001; qm_keyst=W_X_k'), '1152921504600000001 W_X_k 1')
  t.equal(read('[{"name":"wxuin","value":1152921504600000001},{"name":"qm_keyst","value":"k"}]'), '1152921504600000001 k 1', 'a number beyond 2^53')
})

t.test('what is missing is named', async (t) => {
  for (const [text, lack] of [
    ['uin=1', /^an account but no key: copy qm_keyst or qqmusic_key, too$/], ['uin=1; qm_keyst=密钥', /^an account but no key/], [JSON.stringify([row('uin', '1')]), /^an account but no key/],
    ['qm_keyst=Q_H_L_k', /^a key but no account: copy uin, too$/], ['uin=0; qm_keyst=W_X_k', /^a key but no account: copy wxuin, too$/], [`Cookie: qm_keyst=k; ${'theme=dark; '.repeat(9)}`, /^a key but no account: copy uin, or wxuin/],
    ['skey=@abc; p_skey=x', /^neither account nor key$/], ['', /^neither/]
  ] as const) t.match(lackOf(text), lack, text)
  t.match(identity('qm_keyst=密钥'), { source: 'query', lack: /^neither account nor key: copy uin, .* and qm_keyst or qqmusic_key$/ }, 'a caller with a key is never somebody else')
})

const noise = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}_$/), fc.stringMatching(/^[^;="'\\\s\p{C}]{1,12}$/u)), { maxLength: 4 })
const pairs = fc.record({
  account: fc.bigInt({ min: 10_000n, max: 2_000_000_000_000_000_000n }).map(String), key: fc.stringMatching(/^Q_H_L_[\w-]{4,60}$/), noise, first: fc.boolean(),
  half: fc.constantFrom('both', 'account', 'key')
})
const written = (all: readonly (readonly string[])[], join = '; '): string => all.map(([name, value]) => `${name}=${value}`).join(join)
const forms: Readonly<Record<string, (all: readonly (readonly string[])[], at: number) => string>> = {
  plain: (all) => written(all), header: (all) => `Cookie: ${written(all)}`, quoted: (all) => `"${written(all)}"`, values: (all) => all.map(([name, value]) => `${name}="${value}"`).join(';'),
  lines: (all) => written(all, '\n'), wrapped: (all, at) => written(all).replaceAll(new RegExp(`.{${at}}`, 'gu'), '$&\n'), rows: (all) => JSON.stringify(all.map(([name = '', value = '']) => row(name, value)), null, 1),
  map: (all) => JSON.stringify(Object.fromEntries(all)), file: (all) => all.map(([name = '', value = '']) => line(name, value)).join('\n')
}

t.test('any login in any form, encoded or not, and any half of one', async (t) => {
  fc.assert(fc.property(pairs, fc.constantFrom(...Object.keys(forms)), fc.integer({ min: 20, max: 90 }), fc.boolean(), ({ account, key, noise, first, half }, form, at, encoded) => {
    const own = [...half === 'key' ? [] : [['uin', account]], ...half === 'account' ? [] : [['qm_keyst', key]]]
    const text = (forms[form] as typeof forms[string])(first ? [...own, ...noise] : [...noise, ...own], at)
    const given = encoded ? encodeURIComponent(text) : text
    if (given.length > 8192) return
    if (half === 'both') t.equal(read(given), `${account} ${key} 2`, given)
    else t.match(lackOf(given), half === 'account' ? /no key/ : /no account/, given)
  }), runs(t))
})

t.test('any text at all is a login or says what it lacks, in linear time', async (t) => {
  const piece = fc.oneof(fc.string(), fc.constantFrom('uin=1', 'qm_keyst=k', ';', '\n', '"', '[{', '}]', 'Cookie:', '%3D', '\\', '\t', 'name', ':'))
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }).map((parts) => parts.join('')), (text) => {
    const { credential, lack } = identity(text)
    t.ok(credential !== undefined || lack !== undefined || lackOf(text) !== '', text)
  }), runs(t))
  for (const part of ['uin ', '"', '[', '%25', 'cookie:', 'uin=\n', ' ', '{"a":', 'qm_keyst\n', '&quot;']) t.equal(read(part.repeat(8192 / part.length)), undefined)
})
