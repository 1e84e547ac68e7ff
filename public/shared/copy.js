/** Copying to the clipboard. */
import { put, t } from './language.js'

/**
 * Copies a text. Returns whether the browser allowed it.
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copyText (text) {
  // A page over plain HTTP has no clipboard API.
  if (navigator.clipboard) return await navigator.clipboard.writeText(text).then(() => true, () => false)
  const focused = document.activeElement
  const field = Object.assign(document.createElement('textarea'), { value: text, className: 'unseen', readOnly: true })
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

/**
 * Sets up a button that copies a text field. Returns a function that forgets what it said.
 * @param {HTMLButtonElement} button
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} said the status line
 */
export function createCopy (button, field, said) {
  button.addEventListener('click', async () => {
    const copied = await copyText(field.value)
    put(said, () => copied ? t('Copied.') : t('The browser does not allow this page to copy. The text is selected: copy it yourself.'))
    if (!copied) field.select()
  })
  return () => { put(said, '') }
}
