/**
 * The language of the page: that of the browser, or the one that the person chose, which is remembered. English texts are
 * the keys of the other language.
 */
import { zh } from './zh.js'

/** @typedef {keyof typeof zh} Sentence */
/** @typedef {'en' | 'zh-CN'} Language */

const place = 'music-relay language'
const attributes = ['placeholder', 'aria-label']
/** How to write the texts and attributes of a node anew. @type {WeakMap<Node, Map<string, () => string>>} */
const written = new WeakMap()
/** @type {Language} */
let language = 'en'

/** Returns true while the page is in Chinese. */
export const inChinese = () => language === 'zh-CN'

/**
 * Returns a text in the language of the page.
 * @param {Sentence} sentence
 * @param {Readonly<Record<string, string | number>>} [values] of its {names}
 */
export function t (sentence, values = {}) {
  /** @type {string} */
  const text = inChinese() ? zh[sentence] : sentence
  return text.replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all))
}

/**
 * Sets the text of a node, or an attribute of an element. What a function returns is written again when the language changes.
 * @param {Node} node
 * @param {string | (() => string)} text
 * @param {string} [attribute]
 */
export function put (node, text, attribute = '') {
  const make = typeof text === 'string' ? () => text : text
  const own = written.get(node) ?? new Map()
  written.set(node, own.set(attribute, make))
  write(node, attribute, make())
}

/**
 * @param {Node} node
 * @param {string} attribute '' for the text
 * @param {string} text
 */
function write (node, attribute, text) {
  if (attribute !== '' && node instanceof Element) node.setAttribute(attribute, text)
  else if (node.textContent !== text) node.textContent = text // a screen reader would read it again
}

/** @param {(node: Node) => void} action */
function each (action) {
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) action(node)
}

/** @param {Node} node */
function keepText (node) {
  if (node instanceof Text) {
    const [, before = '', text = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(node.data) ?? []
    if (Object.hasOwn(zh, text)) put(node, () => before + t(/** @type {Sentence} */ (text)) + after)
  } else if (node instanceof Element) {
    for (const name of attributes) {
      const text = node.getAttribute(name) ?? ''
      if (Object.hasOwn(zh, text)) put(node, () => t(/** @type {Sentence} */ (text)), name)
    }
  }
}

/** @param {Language} wanted */
function use (wanted) {
  language = wanted
  document.documentElement.lang = wanted
  each((node) => { for (const [attribute, make] of written.get(node) ?? []) write(node, attribute, make()) })
}

/** @returns {string | null} */
function remembered () {
  try {
    return localStorage.getItem(place)
  } catch {
    return null // the browser forbids storage
  }
}

/** @returns {Language} */
function preferred () {
  const known = [remembered() ?? '', ...navigator.languages].find((name) => /^(?:en|zh)\b/i.test(name)) ?? 'en'
  return /^zh/i.test(known) ? 'zh-CN' : 'en'
}

/**
 * Writes the page in the person's language, and sets up the button that changes it.
 * @param {HTMLButtonElement} button
 */
export function startLanguage (button) {
  const show = () => Object.assign(button, inChinese() ? { textContent: 'English', lang: 'en' } : { textContent: '中文', lang: 'zh-CN' })
  each(keepText)
  use(preferred())
  show()
  button.addEventListener('click', () => {
    use(inChinese() ? 'en' : 'zh-CN')
    show()
    try {
      localStorage.setItem(place, language)
    } catch {} // The next visit begins in the language of the browser.
  })
}
