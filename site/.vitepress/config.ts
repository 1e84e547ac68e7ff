/** Settings of the generator. Pages come from `site/pages`, which build.ts writes. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme, type LocaleSpecificConfig } from 'vitepress'
import { endpointPages } from '../endpoints.ts'
import { licences } from '../licences.ts'
import { documentMenu, endpointMenu } from '../navigation.ts'
import { sources, type Language } from '../sources.ts'
import { anchorOf, classesInsteadOfStyles, foundLast, searchable } from '../text.ts'
import { words } from '../words.ts'
import { chinese } from './chinese.ts'

const pages = sources()
const endpoints = endpointPages()
const bundled = licences()
const colours = classesInsteadOfStyles()
const base = '/guide/'

const menus = (language: Language): DefaultTheme.Config => {
  const at = language === 'zh' ? '/zh' : ''
  const documents = documentMenu(pages, language) as DefaultTheme.SidebarItem[]
  return {
    nav: [
      { text: language === 'zh' ? '文档' : 'Documents', link: documents[0]?.items?.[1]?.link ?? '/' },
      { text: words[language].endpoints, link: `${at}/endpoints/` }
    ],
    sidebar: { [`${at}/endpoints/`]: endpointMenu(endpoints, language) as DefaultTheme.SidebarItem[], [`${at}/`]: documents }
  }
}

export default defineConfig({
  title: 'music-relay',
  description: 'A self-hosted HTTP relay for QQ Music',
  base,
  srcDir: 'pages',
  outDir: fileURLToPath(new URL('../../dist/guide', import.meta.url)),
  cleanUrls: true,
  metaChunk: true,
  // Else a change of the scheme adds a style element, which the content policy of the relay forbids.
  appearance: { disableTransition: false },
  // Blocks show addresses of the demo.
  ignoreDeadLinks: 'localhostLinks',
  head: [
    ['link', { rel: 'icon', href: 'data:image/svg+xml,%3Csvg xmlns=\'http://www.w3.org/2000/svg\' viewBox=\'0 0 32 32\'%3E%3Crect width=\'32\' height=\'32\' rx=\'9\' fill=\'%230b6b57\'/%3E%3Cpath d=\'M7 16h3m3-6v12m5-15v18m5-13v8m4-4h-1\' stroke=\'white\' stroke-width=\'3\' stroke-linecap=\'round\'/%3E%3C/svg%3E' }],
    ['link', { rel: 'stylesheet', href: `${base}assets/colours.css` }]
  ],
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: menus('en') },
    zh: { ...chinese as LocaleSpecificConfig<DefaultTheme.Config>, label: '简体中文', lang: 'zh-CN', themeConfig: { ...chinese.themeConfig, ...menus('zh') } }
  },
  themeConfig: {
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { locales: { zh: { translations: chinese.search } }, _render: (text, env, md) => searchable(foundLast(env.relativePath, md.render(text, env))) } }
  },
  markdown: {
    anchor: { slugify: anchorOf },
    codeTransformers: [colours.transformer],
    languageAlias: { caddy: 'nginx' }
  },
  vite: {
    plugins: [bundled.plugin],
    // The index of the search.
    build: { chunkSizeWarningLimit: 1000 },
    define: { __TWINS__: JSON.stringify(pages.filter(({ language }) => language === 'zh').map(({ page }) => page.replace('zh/', ''))) },
    resolve: { alias: [{ find: /^.*\/composables\/langs$/, replacement: fileURLToPath(new URL('theme/langs.ts', import.meta.url)) }] }
  },
  // The content policy of the relay forbids inline styles. The theme sets these again when it starts; on the first page one is empty.
  transformHtml: (html) => html.replaceAll(/ style="(?:(?:position:relative|--vp-vh:0px);)?"/g, ''),
  buildEnd: ({ outDir }) => {
    writeFileSync(`${outDir}/assets/colours.css`, colours.css())
    writeFileSync(`${outDir}/third-party-licences.txt`, bundled.text())
  }
})
