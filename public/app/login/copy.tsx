/** A text to copy. */
import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { t } from '../language.ts'
import { copyText } from '../share.tsx'

export function Copy (
  { id, label, button, text, rows }: {
    readonly id: string,
    readonly label: string,
    readonly button: string,
    readonly text: string,
    readonly rows: number
  }
): VNode {
  const field = useRef<HTMLTextAreaElement>(null)
  const [copied, setCopied] = useState<boolean>()
  return (
    <div class="copy">
      <label for={id}>{label}</label>
      <textarea id={id} ref={field} rows={rows} readOnly spellcheck={false} autocomplete="off" value={text} />
      <button
        type="button"
        class="primary"
        onClick={() => {
          void copyText(text).then((done) => {
            setCopied(done)
            if (!done) field.current?.select()
          })
        }}
      >
        {button}
      </button>
      <p class="note" role="status">
        {copied === undefined
          ? ''
          : copied
          ? t('Copied.')
          : t('The browser does not allow this page to copy. The text is selected: copy it yourself.')}
      </p>
    </div>
  )
}
