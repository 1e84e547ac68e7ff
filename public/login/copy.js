/** A button that copies a text field. */

/**
 * Sets it up. Returns a function that forgets what it said.
 * @param {HTMLButtonElement} button
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} said the status line
 */
export function createCopy (button, field, said) {
  function copySelected () {
    field.select()
    const written = document.execCommand('copy')
    button.focus()
    return written
  }

  button.addEventListener('click', async () => {
    // A page over plain HTTP has no clipboard API.
    const written = navigator.clipboard ? await navigator.clipboard.writeText(field.value).then(() => true, () => false) : copySelected()
    said.textContent = written ? 'Copied.' : 'The browser does not let this page copy: the text is selected, copy it yourself.'
    if (!written) field.select()
  })
  return () => { said.textContent = '' }
}
