/** The login of this page: what the login page left for it, or what the person pastes. */
import { takeOver } from '../shared/wayBack.js'
import { useLogin } from './relay.js'
import { showAccount } from './state.js'

/** Uses what the login page left, shows the account, and follows the form. */
export function startOwnLogin () {
  const key = /** @type {HTMLInputElement | null} */ (document.getElementById('key'))
  key?.addEventListener('paste', (event) => {
    // A field of one line would drop the line ends, which separate the cookies of an export.
    const text = event.clipboardData?.getData('text').trim() ?? ''
    if (!text.includes('\n')) return
    event.preventDefault()
    key.value = encodeURIComponent(text)
  })
  document.getElementById('own')?.addEventListener('submit', (event) => {
    event.preventDefault()
    useLogin(key?.value.trim() ?? '')
    showAccount()
  })
  // Going back to this page must not show the login.
  addEventListener('pagehide', () => {
    if (key !== null) key.value = ''
    useLogin('')
  })
  addEventListener('pageshow', ({ persisted }) => { if (persisted) showAccount() })
  useLogin(takeOver())
  showAccount()
}
