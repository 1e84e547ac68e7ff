/** A link to the documentation site, where the relay has it. Runs after script.js. */
{
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src
  document.querySelector('.relay-bar p')?.append(
    ' · ',
    Object.assign(document.createElement('a'), { href: new URL('../../../guide/', here).href, textContent: 'Guide' })
  )
}
