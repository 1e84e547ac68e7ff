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
 * Returns a date and time as people write it in the language of the page.
 * @param {number} seconds Unix seconds
 */
export const dateOf = (seconds) => new Date(1000 * seconds).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' })
