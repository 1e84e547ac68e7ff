/** Our name on top of Swagger UI, and a field for the access token of every request. It is never stored. */
{
  /** @param {{ url: string, headers: Record<string, string> }} request */
  const withToken = (request) => {
    const token = field.value.trim()
    if (token !== '' && new URL(request.url, location.href).origin === location.origin) {
      request.headers['Authorization'] ??= `Bearer ${token}`
    }
    return request
  }

  const field = Object.assign(document.createElement('input'), {
    id: 'relay-token',
    type: 'password',
    autocomplete: 'off',
    spellcheck: false
  })
  const label = Object.assign(document.createElement('label'), {
    htmlFor: field.id,
    textContent: 'Access token, or secret of an account'
  })
  const state = document.createElement('span')
  state.setAttribute('role', 'status')
  const form = document.createElement('form')
  form.append(label, field, state)
  form.addEventListener('submit', (event) => { event.preventDefault() })
  field.addEventListener('input', () => {
    state.textContent = field.value.trim() === '' ? '' : 'Sent with every request'
  })
  addEventListener('pagehide', () => { field.value = state.textContent = '' })

  const name = document.createElement('p')
  name.append(Object.assign(document.createElement('strong'), { textContent: 'music-relay' }), ' API reference')
  const bar = document.createElement('header')
  bar.className = 'relay-bar'
  bar.append(name, form)
  document.body.prepend(bar)

  /**
   * What Swagger UI draws without a name, or inside of a button, and what makes it usable for everybody. @type
   * {Record<string, (part: HTMLElement) => void>}
   */
  const repairs = {
    '.opblock-summary-control a[href]': (part) => { part.removeAttribute('href') },
    'select:not([aria-label])': (part) => {
      part.ariaLabel = part.closest('tr')?.dataset['paramName'] ?? (part.id === 'servers' ? 'Server' : 'Media type')
    },
    '.body-param__text:not([aria-label])': (part) => { part.ariaLabel = 'Request body' },
    '.close-modal:not([aria-label])': (part) => { part.ariaLabel = 'Close' },
    '.modal-btn[aria-label]': (part) => { part.removeAttribute('aria-label') },
    'pre:not([tabindex])': (part) => { part.tabIndex = 0 }
  }
  new MutationObserver(() => {
    for (const [selector, repair] of Object.entries(repairs)) {
      for (const part of document.querySelectorAll(selector)) {
        repair(/** @type {HTMLElement} */ (part))
      }
    }
  }).observe(document.body, { childList: true, subtree: true })

  // Swagger UI starts when everything is loaded: later than this.
  const page = /** @type {any} */ (globalThis)
  const start = page.SwaggerUIBundle
  page.SwaggerUIBundle = Object.assign(
    (/** @type {{ url: string }} */ config) =>
      start({ ...config, url: `${config.url}?relative`, requestInterceptor: withToken }),
    start
  )
}
