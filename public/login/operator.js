/** The link that the relay prints when it starts: its code makes this browser the operator's, once. */
import { byId } from '../shared/dom.js'
import { put, t } from '../shared/language.js'

/** Uses the code of the address, if there is one, and opens the page anew. It is in the part of the address that no server sees. */
export async function useOperatorLink () {
  const code = /^#operator=([\w-]{1,100})$/.exec(location.hash)?.[1]
  if (code === undefined) return
  history.replaceState(null, '', location.pathname + location.search)
  const answer = await fetch('login/operator', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) }).catch(() => undefined)
  if (answer?.ok === true) return location.reload()
  const note = byId('operator-note', HTMLElement)
  note.hidden = false
  put(note, () => t('This link does not work any more: it works once, and within an hour. Start the relay again, and open the link that it prints.'))
}
