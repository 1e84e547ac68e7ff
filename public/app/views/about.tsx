/** About this relay: what works and what does not, for people; and what developers want. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { StoredLoginState } from '../../../src/core/accountBook.ts'
import type { UpstreamHealth } from '../../../src/upstream/monitor.ts'
import { facts } from '../facts.ts'
import { countOf, dateOf, t, type Sentence } from '../language.ts'
import { Part, Title, Trouble, Waiting } from '../parts.tsx'
import { asked, send } from '../relay.ts'
import { familyOf, isIll, troubles, troublesIn } from '../troubles.ts'

/** What the relay says of itself. `accounts`: numbers of stored accounts by state. */
interface Health extends UpstreamHealth {
  readonly accounts?: Readonly<Record<StoredLoginState, number>> & { readonly firstExpiry?: string }
  readonly proxy?: true
  readonly sharedStore?: 'up' | 'down'
}

const states: Readonly<Record<StoredLoginState, Sentence>> = {
  'ok': 'ok',
  'failing': 'failing',
  'not renewed': 'not renewed',
  'log in again': 'log in again',
  'unreadable': 'unreadable'
}
const kinds: Readonly<Record<typeof facts.upstream, readonly [Sentence, Sentence]>> = {
  'demo': ['Demo', 'an invented catalogue, works offline'],
  'live': ['Live', 'the provider itself'],
  'another origin': ['Another origin', 'a replacement, from UPSTREAM_ORIGIN']
}
const shortened = (address: string): string => address.length > 100 ? `${address.slice(0, 99)}…` : address

export function About (): VNode {
  const [health, setHealth] = useState<Health>()
  const [error, setError] = useState<unknown>()
  const look = (): void => {
    send('health/upstream').then((body: Health) => {
      setHealth(body)
      setError(undefined)
    }, setError)
  }
  useEffect(look, [])
  const [main, note] = kinds[facts.upstream]
  return (
    <>
      <Title>{t('About this relay')}</Title>
      <dl class="basics">
        <div>
          <dt>{t('Version')}</dt>
          <dd>{facts.version}</dd>
        </div>
        <div>
          <dt>{t('Upstream')}</dt>
          <dd>
            <strong>{t(main)}</strong> <span class="note">{t(note)}</span>
          </dd>
        </div>
      </dl>
      {error !== undefined && <Trouble error={error} again={look} />}
      {health === undefined ? error === undefined && <Waiting /> : <State of={health} look={look} />}
      <Part title={t('For developers')}>
        <ul class="links">
          {facts.guide && (
            <li>
              <a href="guide/">{t('Guide')}</a>
            </li>
          )}
          {facts.docs && (
            <li>
              <a href="docs">{t('API reference')}</a>
            </li>
          )}
          <li>
            <a href="health/upstream">{t('Health as JSON')}</a>
          </li>
        </ul>
        <details>
          <summary>{t('The last requests of this page')}</summary>
          <ul class="source">
            {asked.value.map((address) => (
              <li key={address}>
                <a href={address}>GET /{shortened(decodeURIComponent(address))}</a>
              </li>
            ))}
          </ul>
        </details>
      </Part>
    </>
  )
}

function State ({ of: { calls, accounts, proxy, sharedStore }, look }: { readonly of: Health, look(): void }): VNode {
  const known = calls.filter(({ verdict }) => verdict !== undefined)
  const ill = known.filter(isIll)
  const stored = (Object.keys(states) as StoredLoginState[]).filter((state) => (accounts?.[state] ?? 0) > 0)
  return (
    <Part title={t('Health')}>
      <p id="health" data-mood={known.length === 0 ? 'unknown' : ill.length === 0 ? 'good' : 'bad'}>
        <strong>
          {known.length === 0
            ? t('No requests yet')
            : ill.length === 0
            ? t('Well')
            : t('{ill} of {count} kinds of calls failing', { ill: ill.length, count: known.length })}
        </strong>{' '}
        <span class="note">
          {known.length === 0
            ? t('no call since the start')
            : ill.length === 0
            ? countOf('1 kind of call, working', '{count} kinds of calls, all working', known.length)
            : troublesIn(ill).join(t(', '))}
        </span>
      </p>
      <dl class="basics">
        {accounts !== undefined && (
          <div>
            <dt>{t('Accounts')}</dt>
            <dd>
              {stored.length === 0
                ? t('None')
                : stored.map((state) => `${accounts[state]} ${t(states[state])}`).join(t(', '))}
            </dd>
          </div>
        )}
        {accounts?.firstExpiry !== undefined && (
          <div>
            <dt>{t('First login to end')}</dt>
            <dd>{dateOf(Date.parse(accounts.firstExpiry) / 1000)}</dd>
          </div>
        )}
        {proxy === true && (
          <div>
            <dt>{t('Proxy')}</dt>
            <dd>{t('on')}</dd>
          </div>
        )}
        {sharedStore !== undefined && (
          <div>
            <dt>{t('Shared store')}</dt>
            <dd>{sharedStore === 'up' ? t('ok') : t('no answer')}</dd>
          </div>
        )}
      </dl>
      <button type="button" onClick={look}>{t('Look again')}</button>
      {known.length > 0 && (
        <details open={ill.length > 0}>
          <summary>{t('All calls')}</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Call')}</th>
                <th scope="col">{t('State')}</th>
                <th scope="col">{t('Last')}</th>
              </tr>
            </thead>
            <tbody>
              {[...known].sort((a, b) => Number(isIll(b)) - Number(isIll(a))).map(({ name, verdict, at }) => (
                <tr key={name} data-mood={isIll({ name, verdict: verdict as 'ok' }) ? 'bad' : 'good'}>
                  <td>
                    {familyOf(name)} <span class="note">{name}</span>
                  </td>
                  <td>{verdict === 'ok' || verdict === undefined ? t('ok') : t(troubles[verdict])}</td>
                  <td>{at === undefined ? '' : dateOf(Date.parse(at) / 1000)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </Part>
  )
}
