/**
 * A login that the relay stored as an account: its name, and its secret, once. The secret is in the page's text field
 * only, and with the page that the person goes back to.
 * @typedef {import('../../schemas/accounts.ts').StoredLoginCheck} StoredLoginCheck
 * @typedef {NonNullable<StoredLoginCheck['account']>} StoredAccount
 */
import { byId, dateOf } from '../shared/dom.js'
import { createCopy } from '../shared/copy.js'
import { put, t } from '../shared/language.js'

/** Sets up that part of the page. Undefined if this visitor is not offered to store logins. */
export function createStored () {
  if (document.getElementById('stored') === null) return undefined
  const section = byId('stored', HTMLElement)
  const name = byId('stored-name', HTMLElement)
  const facts = byId('stored-facts', HTMLElement)
  const secret = byId('secret', HTMLTextAreaElement)
  const others = byId('others', HTMLElement)
  const forgetCopy = createCopy(byId('copy-secret', HTMLButtonElement), secret, byId('secret-copied', HTMLElement))

  return {
    /** @param {StoredAccount} account */
    show (account) {
      name.textContent = account.name
      const { nickname = '', expiresAt } = account
      put(facts, () => [nickname, expiresAt === undefined ? '' : t('lasts until {date}', { date: dateOf(expiresAt) })].filter((fact) => fact).map((fact) => `· ${fact}`).join(' '))
      secret.value = account.secret ?? ''
      byId('new-secret', HTMLElement).hidden = account.secret === undefined
      byId('same-secret', HTMLElement).hidden = account.secret !== undefined
      others.hidden = account.others.length === 0
      put(others, () => t('The same account of the provider is also stored as {names}. A renewal of one may end the other: remove one of them.', { names: account.others.join(', ') }))
      section.hidden = false
      byId('stored-title', HTMLElement).focus()
    },
    forget () {
      section.hidden = true
      secret.value = name.textContent = ''
      put(facts, '')
      forgetCopy()
    }
  }
}
