/** The view `login`: scan, state, who is logged in, and the way back. The provider's cookie is shown only on demand. */
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { facts } from '../facts.ts'
import { codeOf, sentenceOf } from '../failure.ts'
import { t } from '../language.ts'
import { Title } from '../parts.tsx'
import { tryAgain } from '../player.ts'
import { json, send } from '../relay.ts'
import { isLoggedIn, personError, refreshSession, session, source, useVisit } from '../session.ts'
import { Asking } from '../views/mine.tsx'
import { Back } from './back.tsx'
import { appOf, beginScan, type Channel, type Result, type Storing } from './scan.ts'
import { Secret } from './secret.tsx'
import { Who } from './who.tsx'

/** What is done with a login: the browser stays logged in, it is stored for apps only, or it lasts for this visit. */
type Use = 'stay' | 'apps' | 'visit'

const operatorLink = /^#operator=([\w-]{1,100})$/
const named = /^[a-z0-9][a-z0-9-]{0,31}$/

export function Login (): VNode {
  const [result, setResult] = useState<Result>()
  const [wantsScan, setWantsScan] = useState(false)
  const [problem, setProblem] = useState<() => string>()
  const [isReady, setReady] = useState(!operatorLink.test(location.hash))
  useEffect(() => {
    void useOperatorLink().then((why) => {
      if (why !== undefined) setProblem(() => why)
      setReady(true)
    })
  }, [])
  async function done (next: Result): Promise<void> {
    setResult(next)
    setWantsScan(false)
    if ('session' in next) await useVisit(next.session.cookie)
    else await refreshSession()
    tryAgain()
  }
  const shows = source.value === 'asking' || !isReady
    ? 'nothing'
    : wantsScan || (!isLoggedIn.value && result === undefined)
    ? 'scan'
    : 'who'
  return (
    <div class="login">
      {problem !== undefined && <p class="warning" id="operator-note">{problem()}</p>}
      {source.value === 'asking' && personError.value !== undefined && <Asking />}
      {shows === 'scan' && (
        <Scanning
          done={(next) => {
            void done(next)
          }}
          entered={() => {
            setWantsScan(false)
          }}
        />
      )}
      {shows === 'who' && (
        <Who
          result={result}
          again={() => {
            setResult(undefined)
            setWantsScan(true)
          }}
          left={() => {
            setResult(undefined)
          }}
        />
      )}
    </div>
  )
}

/** Uses the code in the address of the start link, in the part that no server sees. */
async function useOperatorLink (): Promise<(() => string) | undefined> {
  const code = operatorLink.exec(location.hash)?.[1]
  if (code === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  const error = await send('login/operator', json({ code })).then(() => undefined, (why: unknown) => why)
  await refreshSession()
  if (error === undefined) return undefined
  // For any other reason the link still works.
  return codeOf(error) !== 'TOKEN_REQUIRED'
    ? () => sentenceOf(error)
    : () =>
      t('This link does not work any more: it works once, and within an hour. Start the relay again, and open the link that it prints.')
}

function Scanning ({ done, entered }: { done(result: Result): void, entered(): void }): VNode {
  const [channel, setChannel] = useState<Channel>('alt')
  const [round, setRound] = useState(0)
  const stores = session.value.storesLogins
  const [use, setUse] = useState<Use>('stay')
  const [name, setName] = useState('')
  const names = [session.value.account, ...session.value.others].map((account) => account?.name)
  const proposed =
    ['me', ...Array.from({ length: 10 }, (_none, index) => `me-${index + 2}`)].find((each) => !names.includes(each))
      ?? 'me'
  const wanted = name === '' ? proposed : name
  const storing: Storing | undefined = !stores || use === 'visit' ? undefined : { name: wanted, stay: use === 'stay' }
  const refusal = storing === undefined || named.test(wanted)
    ? undefined
    : () => t('The name must have 1 to 32 lower-case letters, digits and hyphens, and not begin with a hyphen.')
  const scan = useMemo(() => beginScan(channel, storing, refusal, done), [channel, round, stores])
  useEffect(() => () => {
    scan.stop()
  }, [scan])
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    clearTimeout(typing.current)
    typing.current = setTimeout(() => {
      scan.store(storing, refusal)
    }, 300)
    return () => {
      clearTimeout(typing.current)
    }
  }, [scan, wanted, use])
  const { name: state, sentence, onCode } = scan.shown.value
  const choice = (id: Use, label: string): VNode => (
    <label>
      <input
        type="radio"
        name="use"
        value={id}
        checked={use === id}
        onChange={() => {
          setUse(id)
        }}
      />{' '}
      {label}
    </label>
  )
  return (
    <section class="card" id="scan" data-state={state} aria-labelledby="title">
      <Title of={t('Log in')}>{t('Log in with your phone')}</Title>
      <fieldset class="channels">
        <legend class="unseen">{t('Account')}</legend>
        {(['alt', 'main'] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="channel"
              value={each}
              checked={channel === each}
              onChange={() => {
                setChannel(each)
              }}
            />
            <span>{appOf(each)}</span>
          </label>
        ))}
      </fieldset>
      {stores && (
        <fieldset class="use">
          <legend>{t('After the scan')}</legend>
          {choice('stay', t('Stay logged in on this browser'))}
          {choice('apps', t('Keep as an account for apps'))}
          {choice('visit', t('Only for this visit'))}
          {use !== 'visit' && (
            <label class="keep">
              {t('Name on this relay')}
              <input
                id="name"
                maxLength={32}
                placeholder={proposed}
                value={name}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                aria-invalid={refusal !== undefined}
                onInput={({ currentTarget }) => {
                  setName(currentTarget.value.toLowerCase().replaceAll(' ', '-'))
                }}
              />
            </label>
          )}
        </fieldset>
      )}
      <div class="code">
        {scan.picture.value !== '' && (
          <img
            id="picture"
            src={scan.picture.value}
            alt={t('QR code to scan with {app}', { app: appOf(channel) })}
            width="470"
            height="470"
            onLoad={({ currentTarget: image }) => {
              image.classList.toggle('large', image.naturalWidth > 256)
            }}
          />
        )}
        <span class="veil" aria-hidden="true">{onCode()}</span>
      </div>
      <p class="state" id="state" role="status">{sentence()}</p>
      <div class="buttons">
        <button
          type="button"
          id="fresh"
          class={state === 'expired' || state === 'stopped' ? 'primary' : ''}
          onClick={() => {
            setRound(round + 1)
          }}
        >
          {t('New code')}
        </button>
      </div>
      <p class="note touch">{t("On the phone itself: take a screenshot and open it in the app's scanner.")}</p>
      {scan.simulated.value !== '' && (
        <p class="note" id="demo">
          {t('Using the demo?')}{' '}
          <a target="_blank" rel="noopener noreferrer" href={scan.simulated.value}>{t('Simulate the scan')}</a>
        </p>
      )}
      {!stores && (
        <p class="note">
          {facts.sessions
            ? t(
              'This login lasts until you close or reload this page. To stay logged in, the operator of the relay stores it, or gives you the secret of a stored account.'
            )
            : t('This login lasts until you close or reload this page.')}
        </p>
      )}
      {facts.ownLogin && <Secret entered={entered} />}
      <Back />
    </section>
  )
}
