/** What the generator does with text in our way: anchors, colours of code, and words to search for. */

/** Returns the anchor of a heading, as the pages link to it: the same as on the hosts of repositories. */
export const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(' ', '-')

interface Node { readonly properties: { style?: unknown, class?: unknown } }

/** Colours of code as classes. The content policy of the relay's pages forbids the inline styles that the highlighter writes. */
export function classesInsteadOfStyles (): { readonly transformer: { readonly name: string, pre (node: Node): void, span (node: Node): void }, css (): string } {
  const known = new Map<string, string>()
  const restyle = ({ properties }: Node): void => {
    if (typeof properties.style !== 'string') return
    const name = known.get(properties.style) ?? `c${known.size}`
    known.set(properties.style, name)
    properties.class = [properties.class, name].filter((each) => typeof each === 'string' && each !== '').join(' ')
    delete properties.style
  }
  return {
    transformer: { name: 'classes-instead-of-styles', pre: restyle, span: restyle },
    css: () => [...known].map(([style, name]) => `.${name}{${style}}\n`).join('')
  }
}

const run = /\p{Script=Han}{2,}/gu
/** Beyond this many characters nobody types on. */
const longest = 6

/** All ends of a text in Han characters. The search finds the beginnings of words, and Chinese writes no spaces between words. */
const endsOf = (text: string): string => Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + longest)).join(' ')

/** Returns the HTML of a page for the index of the search, in which Chinese words are found wherever they stand. */
export function searchable (html: string): string {
  return html.split(/(<h[1-6][^>]*>[^]*?<\/h[1-6]>)/).map((part, at) => at % 2 === 1
    // The title itself is shown, and stays as it is.
    ? `${part}<p>${[...part.replaceAll(/<[^>]*>/g, ' ').matchAll(run)].map(([text]) => endsOf(text)).join(' ')}</p>`
    : part.replaceAll(/<[^>]*>|\p{Script=Han}{2,}/gu, (found) => found.startsWith('<') ? found : ` ${endsOf(found)} `)).join('')
}

/** Pages that mention everything, and answer nothing. */
const last = /(^|\/)(changelog|decisions|roadmap|tried-reports)\.md$/

/** Returns the HTML of a page for the index. These pages have one title and one long text, which the search puts behind the others. */
export const foundLast = (page: string, html: string): string => last.test(page) ? html.replaceAll(/<(\/?)h[2-6]\b[^>]*>/g, '<$1p>') : html
