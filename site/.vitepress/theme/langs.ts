/**
 * Replaces the theme's own: the switch of the language leads to the same page where it exists in the other language, else to
 * the first page. The theme believes that all pages exist in all languages.
 */
import { useData } from 'vitepress'
import { computed } from 'vue'

/** Pages that exist in both languages, besides those of the endpoints. */
declare const __TWINS__: readonly string[]

export function useLangs ({ correspondingLink = false } = {}) {
  const { site, localeIndex, page, hash } = useData()
  const isRoot = computed(() => localeIndex.value === 'root')
  const currentLang = computed(() => ({ label: site.value.locales[localeIndex.value]?.label, link: isRoot.value ? '/' : `/${localeIndex.value}/` }))
  const localeLinks = computed(() => Object.entries(site.value.locales).filter(([key]) => key !== localeIndex.value).map(([key, { label }]) => {
    const own = page.value.relativePath.slice(isRoot.value ? 0 : localeIndex.value.length + 1).replace(/\.md$/, '')
    const twin = correspondingLink && (own.startsWith('endpoints/') || __TWINS__.includes(own))
    return { text: label, link: `${key === 'root' ? '/' : `/${key}/`}${twin ? `${own.replace(/(^|\/)index$/, '$1')}${hash.value}` : ''}` }
  }))
  return { localeLinks, currentLang }
}
