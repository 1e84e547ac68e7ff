/** What views are made of: covers, headings, cards, and what they show while an answer is on its way. */
import { signal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { codeOf, sentenceOf } from './failure.ts'
import { t, type Sentence } from './language.ts'
import type { Loaded, Pages } from './load.ts'
import { itemHref, hrefOf, pathNow } from './router.ts'

/** Milliseconds until a picture that failed is asked for once more. */
const pauseMs = 2000

/** The address of a picture that the relay knows by the id of an album, singer or playlist; '' for none. */
export const coverOf = (id: string, size = 150, type?: 'singer'): string =>
  id === '' ? '' : `cover/${id}?size=${size}x${size}${type === undefined ? '' : `&type=${type}`}`

/** A picture. One that fails is asked for once more; then its name stands in its place. */
export function Cover (
  { src, name, round = false, wide = false, eager = false }: {
    readonly src: string,
    readonly name: string,
    readonly round?: boolean,
    readonly wide?: boolean,
    readonly eager?: boolean
  }
): VNode {
  const [tries, setTries] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    setTries(0)
    return () => {
      clearTimeout(timer.current)
    }
  }, [src])
  const failed = (): void => {
    if (tries === 0) {
      timer.current = setTimeout(() => {
        setTries(1)
      }, pauseMs)
    } else { setTries(2) }
  }
  const isShown = src !== '' && tries < 2
  return (
    <span class={`cover${round ? ' round' : ''}${wide ? ' wide' : ''}`} aria-hidden="true">
      {isShown
        ? (
          <img
            key={`${src} ${tries}`}
            src={src}
            alt=""
            width="150"
            height="150"
            loading={eager ? 'eager' : 'lazy'}
            fetchpriority={eager ? 'high' : undefined}
            decoding="async"
            onError={failed}
          />
        )
        : <span class="no">{name.slice(0, 24)}</span>}
    </span>
  )
}

/** A failure in a view: what happened, and what helps. */
export function Trouble (
  { error, again }: { readonly error: unknown, readonly again: (() => void) | undefined }
): VNode {
  const needsLogin = ['LOGIN_REQUIRED', 'COOKIE_REJECTED'].includes(codeOf(error))
  return (
    <div class="trouble" role="alert">
      <p>{sentenceOf(error)}</p>
      {needsLogin && <a class="button" href={loginHref()}>{t('Log in')}</a>}
      {!needsLogin && (
        <button type="button" onClick={again}>{t('Try again')}</button>
      )}
      {codeOf(error).startsWith('UPSTREAM') && <a href={hrefOf('about')}>{t('What works now, and what does not')}</a>}
    </div>
  )
}

export const loginHref = (): string => hrefOf('login', { return: pathNow() })

/** Shows an answer as soon as it is there. */
export function Answered<T> (
  { from: { data, error, again }, children }: { readonly from: Loaded<T>, children(data: T): ComponentChildren }
): VNode {
  if (error !== undefined) return <Trouble error={error} again={again} />
  return <>{data === undefined ? <Waiting /> : children(data)}</>
}

export function Waiting (): VNode {
  return (
    <div class="waiting" aria-busy="true">
      <span class="unseen">{t('Loading …')}</span>
      <i />
      <i />
      <i />
    </div>
  )
}

/** The end of a list that grows when it is scrolled to, or at a press. `none`: what an empty list says. */
export function More (
  { of: { rows, done, loading, error, more }, none }: {
    readonly of: Pages<unknown> & { more(): void },
    readonly none: string
  }
): VNode | null {
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (end.current === null || error !== undefined) return undefined
    const seen = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) more()
    }, { rootMargin: '800px' })
    seen.observe(end.current)
    return () => {
      seen.disconnect()
    }
  })
  if (error !== undefined) return <Trouble error={error} again={more} />
  if (done) return rows.length === 0 ? <p class="empty">{none}</p> : null
  return (
    <div class="end" ref={end}>
      {loading ? <Waiting /> : <button type="button" onClick={more}>{t('Show more')}</button>}
    </div>
  )
}

export const viewTitle = signal('')

/** The heading of a view, which also names the page. */
export function Title ({ children, of = children }: { readonly children: string, readonly of?: string }): VNode {
  useEffect(() => {
    viewTitle.value = of
    // The next view may have none: an answer is on its way, or failed.
    return () => {
      viewTitle.value = ''
    }
  }, [of])
  return <h1 tabIndex={-1}>{children}</h1>
}

/** The head of a view of one thing: picture, kind, name, facts, and what can be done with it. */
export function Head ({ src, kind, name, round = false, facts = [], children }: {
  readonly src: string,
  readonly kind: string,
  readonly name: string,
  readonly round?: boolean,
  readonly facts?: readonly ComponentChildren[],
  readonly children?: ComponentChildren
}): VNode {
  const told = facts.filter((fact) => fact !== '' && fact !== undefined && fact !== false)
  return (
    <header class="head">
      <Cover src={src} name={name} round={round} eager />
      <div>
        <p class="kind">{kind}</p>
        <Title>{name}</Title>
        {told.length > 0 && <p class="facts">{told.map((fact, index) => <>{index > 0 && ' · '}{fact}</>)}</p>}
        <div class="buttons">{children}</div>
      </div>
    </header>
  )
}

/** A part of a view, with a heading that may lead to all of it. */
export function Part (
  { title, all, children }: { readonly title: string, readonly all?: string, readonly children: ComponentChildren }
): VNode {
  return (
    <section class="part">
      <div class="line">
        <h2>{title}</h2>
        {all !== undefined && <a href={all} aria-label={`${t('Show all')}: ${title}`}>{t('Show all')}</a>}
      </div>
      {children}
    </section>
  )
}

export interface Card {
  readonly href: string
  readonly name: string
  readonly note?: string
  readonly src: string
}

/** Cards beside each other. `strip`: one line that scrolls. `eager`: the first ones are on the first screen. */
export function Cards (
  { of: cards, strip = false, round = false, wide = false, eager = false }: {
    readonly of: readonly Card[],
    readonly eager?: boolean,
    readonly strip?: boolean,
    readonly round?: boolean,
    readonly wide?: boolean
  }
): VNode {
  return (
    <ul class={`cards${strip ? ' strip' : ''}${wide ? ' wide' : ''}`}>
      {cards.map(({ href, name, note = '', src }, index) => (
        <li key={href}>
          <a class="card" href={href}>
            <Cover src={src} name={name} round={round} wide={wide} eager={eager && index < 3} />
            <span class="name">{name}</span>
            {note !== '' && <span class="note">{note}</span>}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Links that choose between the parts of a view. */
export function Tabs (
  { name, of: tabs, at, href }: {
    readonly name: string,
    readonly of: ReadonlyArray<readonly [id: string, title: Sentence]>,
    readonly at: string,
    href(id: string): string
  }
): VNode {
  return (
    <nav class="tabs" aria-label={name}>
      {tabs.map(([id, title]) => (
        <a key={id} href={href(id)} aria-current={id === at ? 'page' : undefined}>{t(title)}</a>
      ))}
    </nav>
  )
}

/** A text of several lines, of which the first are shown. */
export function Text ({ children }: { readonly children: string }): VNode | null {
  const [open, setOpen] = useState(false)
  if (children.trim() === '') return null
  const isLong = children.length > 280 || children.split('\n').length > 4
  return (
    <div class="text">
      <p class={isLong && !open ? 'short' : ''}>{children}</p>
      {isLong && (
        <button
          type="button"
          class="plain"
          aria-expanded={open}
          onClick={() => {
            setOpen(!open)
          }}
        >
          {open ? t('Less') : t('More')}
        </button>
      )}
    </div>
  )
}

export { itemHref }
