/** Headers of HTML pages and of their files. */

/** Sources from which a page may load, besides files of this host. */
export interface PageSources {
  readonly images?: string
  readonly scripts?: readonly string[]
  readonly media?: string
}

/** A page runs no scripts of other hosts, cannot be framed, and is not cached. */
export const pageHeaders = ({ images = "'self' data:", scripts = [], media }: PageSources = {}): Record<string, string> => ({
  'content-security-policy': [
    'default-src \'none\'',
    ['script-src \'self\'', ...scripts].join(' '),
    'style-src \'self\'',
    `img-src ${images}`,
    ...media === undefined ? [] : [`media-src ${media}`],
    'connect-src \'self\'',
    'base-uri \'none\'',
    'form-action \'none\'',
    'frame-ancestors \'none\''
  ].join('; '),
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store'
})
