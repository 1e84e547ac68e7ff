/** Who is logged in, for how long, and what can be done. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LoginSession } from '../../../schemas/login.ts'
import { sentenceOf } from '../failure.ts'
import { dateOf, dayInChina, dayOf, t } from '../language.ts'
import { Title } from '../parts.tsx'
import { hasEnded, leave, nameShown, person, session, source, switchTo } from '../session.ts'
import { Back } from './back.tsx'
import { Copy } from './copy.tsx'
import type { Result, StoredAccount } from './scan.ts'

export function Who (
  { result, again, left }: { readonly result: Result | undefined, again(): void, left(): void }
): VNode {
  const { others, endsAt } = session.value
  const account = source.value === 'session' ? session.value.account : null
  const title = useRef<HTMLDivElement>(null)
  useEffect(() => {
    title.current?.querySelector('h1')?.focus()
  }, [result])
  const vip = person.value?.vip
  const [error, setError] = useState<unknown>()
  const act = (work: Promise<void>): void => {
    setError(undefined)
    work.then(left, setError)
  }
  const stored = result !== undefined && 'account' in result ? result.account : undefined
  const isStored = source.value === 'session' || stored !== undefined
  return (
    <section class="card" id="done">
      <div ref={title}>
        <Title of={t('Logged in')}>
          {hasEnded.value ? t('The login has ended') : isStored ? t('Logged in and stored') : t('Logged in')}
        </Title>
      </div>
      <p class="who">
        <strong id="account">
          {nameShown.value || stored?.nickname
            || (result !== undefined && 'session' in result ? result.session.loginUin : stored?.name ?? '')}
        </strong>
      </p>
      <dl class="basics">
        {(account ?? stored) != null && (
          <div>
            <dt>{t('Account')}</dt>
            <dd id="stored-name">{(stored ?? account)?.name}</dd>
          </div>
        )}
        {source.value === 'relay' && (
          <div>
            <dt>{t('Account')}</dt>
            <dd>{t('The login of the relay, used by everybody without one')}</dd>
          </div>
        )}
        {source.value === 'browser' && (
          <div>
            <dt>{t('Account')}</dt>
            <dd>{t('This browser sends a cookie by itself')}</dd>
          </div>
        )}
        {vip != null && (
          <div>
            <dt>{t('Subscription')}</dt>
            <dd>
              {!vip.member
                ? t('None')
                : vip.until === ''
                ? t('yes')
                : t('until {date}', { date: dayInChina(vip.until) })}
            </dd>
          </div>
        )}
        {source.value === 'session' && endsAt !== undefined && (
          <div>
            <dt>{t('This browser')}</dt>
            <dd>{t('stays logged in until {date}, longer with each use', { date: dayOf(endsAt) })}</dd>
          </div>
        )}
        {source.value === 'session' && account?.expiresAt !== undefined && (
          <div>
            <dt>{t('Key of the provider')}</dt>
            <dd>{t('until {date}, unless it is renewed', { date: dateOf(account.expiresAt) })}</dd>
          </div>
        )}
        {source.value === 'visit' && (
          <div>
            <dt>{t('This browser')}</dt>
            <dd>{t('until you close or reload this page')}</dd>
          </div>
        )}
      </dl>
      {hasEnded.value && (
        <p class="warning">{t('The provider does not accept this login any more. Scan a new code.')}</p>
      )}
      <Back />
      {stored !== undefined && <NewSecret of={stored} />}
      {result !== undefined && 'session' in result && <Cookie of={result.session} />}
      {others.length > 0 && (
        <div class="others">
          <h2>{t('Other accounts of this browser')}</h2>
          <ul>
            {others.map(({ name, nickname }) => (
              <li key={name}>
                <span>{nickname ?? name}</span>
                <button
                  type="button"
                  onClick={() => {
                    act(switchTo(name))
                  }}
                >
                  {t('Use {name}', { name })}
                </button>
                <button
                  type="button"
                  class="plain"
                  onClick={() => {
                    act(leave(name))
                  }}
                >
                  {t('Log out {name}', { name })}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {error !== undefined && <p class="warning" role="alert">{sentenceOf(error)}</p>}
      <div class="buttons">
        <button type="button" id="another" class={hasEnded.value ? 'primary' : ''} onClick={again}>
          {hasEnded.value ? t('Log in again') : t('Log in with another account')}
        </button>
        {(source.value === 'session' || source.value === 'visit') && (
          <button
            type="button"
            id="leave"
            // A second press of the same hand would log out what was under this login.
            onClick={({ detail }) => {
              if (detail < 2) act(leave())
            }}
          >
            {t('Log out')}
          </button>
        )}
      </div>
    </section>
  )
}

/** The secret of a stored account, for apps: once. */
function NewSecret ({ of: { secret, others } }: { readonly of: StoredAccount }): VNode {
  return (
    <>
      {secret === undefined
        ? (
          <p class="note">
            {t('This account was stored before. Its secret and its keys stay the same, and are not shown here.')}
          </p>
        )
        : (
          <details id="new-secret">
            <summary>{t('Secret for your apps')}</summary>
            <Copy
              id="secret"
              label={t('Secret of this account on this relay')}
              button={t('Copy secret')}
              rows={2}
              text={secret}
            />
            <p class="warning">
              <strong>{t('This page shows it once.')}</strong> {t(
                'Treat it like a password. Apps send it instead of a cookie, as Authorization: Bearer or as the password of Basic.'
              )}
            </p>
          </details>
        )}
      {others.length > 0 && (
        <p class="warning" id="others">
          {t(
            'The same account of the provider is also stored as {names}. A renewal of one may end the other: remove one of them.',
            { names: others.join(', ') }
          )}
        </p>
      )}
    </>
  )
}

/** The provider's cookie, for those who ask for it. */
function Cookie ({ of: { cookie } }: { readonly of: LoginSession }): VNode {
  return (
    <details id="own-cookie">
      <summary>{t("Show the provider's cookie")}</summary>
      <Copy id="cookie" label={t('Cookie')} button={t('Copy cookie')} rows={6} text={cookie} />
      <p class="warning">
        <strong>{t('Treat this cookie like a password.')}</strong> {t(
          'Anyone who has it can use your account until it expires. Share it with nobody, and paste it only into software that you trust.'
        )}
      </p>
      <p class="note">
        {t(
          'Send it with a request as the header X-Custom-Cookie. For one login that all requests of a relay use, run music-relay login on its machine.'
        )}
      </p>
    </details>
  )
}
