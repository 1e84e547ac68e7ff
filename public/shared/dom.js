/**
 * Finds an element of the page by its id. Throws if the page has no such element of that class.
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} kind the element's class, such as HTMLInputElement
 * @returns {E}
 */
export function byId (id, kind) {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`)
  return element
}

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {string} className '' for none
 * @param {...(string | Node)} contents
 * @returns {HTMLElementTagNameMap[N]}
 */
export function make (name, className, ...contents) {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  element.append(...contents)
  return element
}

/**
 * Returns the message of anything that was thrown.
 * @param {unknown} error
 */
export const messageOf = (error) => error instanceof Error ? error.message : String(error)

/**
 * Returns a date and time as people here write it.
 * @param {number} seconds Unix seconds
 */
export const dateOf = (seconds) => new Date(1000 * seconds).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
