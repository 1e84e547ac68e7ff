/** About this relay: what works and what does not, for people; and what developers want. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { StoredLoginState } from '../../../src/relay/accountBook.ts'
import type { UpstreamHealth } from '../../../src/upstream/monitor.ts'
import type { HostState } from '../../../src/upstream/health.ts'
import { facts } from '../facts.ts'
import { countOf, dateOf, t, type Sentence } from '../language.ts'
import { Part, Title, Trouble, Waiting } from '../parts.tsx'
import { asked, send } from '../relay.ts'
import { familyOf, isIll, troubles, troublesIn } from '../troubles.ts'

/** What the relay says of itself. `hosts`: those of the provider that were used. `accounts`: numbers by state. */
interface Health extends UpstreamHealth {
  readonly hosts: ReadonlyArray<{ readonly host: string, readonly state: HostState }>
  readonly accounts?: Readonly<Record<StoredLoginState, number>> & { readonly firstExpiry?: string }
  readonly proxy?: true
  readonly sharedStore?: 'up' | 'down'
}

const states: Readonly<Record<StoredLoginState, Sentence>> = {
  'ok': 'ok',
  'failing': 'not renewable now',
  'not renewed': 'not renewed',
  'log in again': 'need a new login',
  'unreadable': 'unreadable'
}
const hostStates: Readonly<Record<HostState, Sentence>> = {
  'closed': 'requests are sent',
  'open': 'fails too often: no requests for some seconds',
  'half-open': 'failed too often: one request tries it again',
  'paused': 'asked the relay to wait'
}
const kinds: Readonly<Record<typeof facts.upstream, readonly [Sentence, Sentence]>> = {
  'demo': ['Demo', 'an invented catalogue, works offline'],
  'live': ['Live', 'the provider itself'],
  'another origin': ['Another origin', 'a replacement, from UPSTREAM_ORIGIN']
}
const timeOf = (at: string | undefined): string => at === undefined ? '' : dateOf(Date.parse(at) / 1000)
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

function State ({ of: { calls, hosts, accounts, proxy, sharedStore }, look }: {
  readonly of: Health,
  look(): void
}): VNode {
  const known = calls.filter(({ verdict }) => verdict !== undefined)
  const ill = known.filter(isIll)
  const stored = (Object.keys(states) as StoredLoginState[]).filter((state) => (accounts?.[state] ?? 0) > 0)
  const inWords = (some: readonly StoredLoginState[]): string =>
    some.map((state) => `${accounts?.[state]} ${t(states[state])}`).join(t(', '))
  const [hostLines, failing] = [hosts, hosts.filter(({ state }) => state !== 'closed')].map((some) =>
    some.map(({ host, state }) => `${host}${t(': ')}${t(hostStates[state])}`)
  ) as [string[], string[]]
  const failingLogins = inWords(stored.filter((state) => state !== 'ok'))
  const wrong = [
    ...troublesIn(known),
    ...failing,
    ...failingLogins === '' ? [] : [`${t('Accounts')}${t(': ')}${failingLogins}`],
    ...sharedStore === 'down' ? [`${t('Shared store')}${t(': ')}${t('no answer')}`] : []
  ]
  const mood = wrong.length > 0 ? 'bad' : known.length === 0 ? 'unknown' : 'good'
  return (
    <Part title={t('Health')}>
      <div id="health" data-mood={mood}>
        <strong>
          {mood === 'unknown'
            ? t('No requests yet')
            : mood === 'good'
            ? t('Well')
            : ill.length === 0
            ? t('Needs attention')
            : t('{ill} of {count} kinds of calls failing', { ill: ill.length, count: known.length })}
        </strong>{' '}
        {mood === 'bad'
          ? (
            <>
              <ul>{wrong.map((each) => <li key={each}>{each}</li>)}</ul>
              <p>
                {t('On the machine of the relay, the command “music-relay doctor” checks all of it and says what to do.')}
              </p>
            </>
          )
          : (
            <span class="note">
              {mood === 'unknown'
                ? t('no call since the start')
                : countOf('1 kind of call, working', '{count} kinds of calls, all working', known.length)}
            </span>
          )}
      </div>
      <dl class="basics">
        {hosts.length > 0 && (
          <div>
            <dt>{t('Hosts of the provider')}</dt>
            {hostLines.map((each) => <dd key={each}>{each}</dd>)}
          </div>
        )}
        {accounts !== undefined && (
          <div>
            <dt>{t('Accounts')}</dt>
            <dd>{stored.length === 0 ? t('None') : inWords(stored)}</dd>
          </div>
        )}
        {accounts?.firstExpiry !== undefined && (
          <div>
            <dt>{t('First login to end')}</dt>
            <dd>{timeOf(accounts.firstExpiry)}</dd>
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
                <th scope="col">{t('Since')}</th>
              </tr>
            </thead>
            <tbody>
              {[...known].sort((a, b) => Number(isIll(b)) - Number(isIll(a))).map((call) => (
                <tr key={call.name} data-mood={isIll(call) ? 'bad' : 'good'}>
                  <td>
                    {familyOf(call.name)} <span class="note">{call.name}</span>
                  </td>
                  <td>
                    {call.verdict === 'ok' || call.verdict === undefined ? t('ok') : t(troubles[call.verdict])}{' '}
                    {isIll(call) && <span class="note">{call.outcome}</span>}
                  </td>
                  <td>{timeOf(call.at)}</td>
                  <td>{timeOf(call.since)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </Part>
  )
}
