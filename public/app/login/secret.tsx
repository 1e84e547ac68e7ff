/** A login with a text instead of a scan. */
import type { TargetedClipboardEvent, VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../failure.ts'
import { t } from '../language.ts'
import { tryAgain } from '../player.ts'
import { enter } from '../session.ts'

export function Secret ({ entered }: { entered(): void }): VNode {
  const [error, setError] = useState<unknown>()
  const field = useRef<HTMLInputElement>(null)
  return (
    <details class="secret">
      <summary>{t('I have a secret or a cookie')}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const secret = field.current?.value.trim() ?? ''
          if (field.current !== null) field.current.value = ''
          enter(secret).then(() => {
            tryAgain()
            entered()
          }, setError)
        }}
      >
        <label for="key">{t('Secret of an account on this relay, or cookie')}</label>
        <div class="field">
          <input
            id="key"
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            onPaste={keepLines}
          />
          <button>{t('Log in')}</button>
        </div>
        {error !== undefined && <p class="warning" role="alert">{sentenceOf(error)}</p>}
      </form>
    </details>
  )
}

/** A field of one line would drop the line ends, which separate the cookies of an export. */
function keepLines (event: TargetedClipboardEvent<HTMLInputElement>): void {
  const text = event.clipboardData?.getData('text').trim() ?? ''
  if (!text.includes('\n')) return
  event.preventDefault()
  event.currentTarget.value = encodeURIComponent(text)
}
