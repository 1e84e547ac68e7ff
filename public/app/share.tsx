/** Copying and sharing. */
import type { VNode } from 'preact'
import { t } from './language.ts'
import { tell } from './said.ts'

export async function copyText (text: string): Promise<boolean> {
  // A page over plain HTTP has no clipboard API.
  if ('clipboard' in navigator) return await navigator.clipboard.writeText(text).then(() => true, () => false)
  const focused = document.activeElement
  const field = Object.assign(document.createElement('textarea'), { value: text, className: 'unseen', readOnly: true })
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

export function Share ({ href, name }: { readonly href: string, readonly name: string }): VNode {
  async function share (): Promise<void> {
    const url = new URL(href, location.href).href
    if ('share' in navigator && matchMedia('(pointer: coarse)').matches)
      return await navigator.share({ title: name, url }).catch(() => {})
    const copied = await copyText(url)
    tell(() => copied ? t('The link is copied.') : url)
  }
  return (
    <button
      type="button"
      onClick={() => {
        void share()
      }}
    >
      {t('Share')}
    </button>
  )
}
