/** The way back to where the person came from. */
import type { VNode } from 'preact'
import { t } from '../language.ts'
import { goTo, hrefOf, isView, place } from '../router.ts'
import { returnAddress } from '../wayBack.ts'

export function Back (): VNode {
  const href = returnAddress(place.value.query.get('return'), location.origin)
  const isHere = href !== undefined && isView(new URL(href))
  return (
    <p class="back">
      {href === undefined
        ? <a class="button" href={hrefOf('')}>{t('Home')}</a>
        : (
          <a
            class="button primary"
            href={href}
            onClick={(event) => {
              if (isHere) {
                event.preventDefault()
                goTo(href)
              }
            }}
          >
            {t('Go back')}
          </a>
        )}
    </p>
  )
}
