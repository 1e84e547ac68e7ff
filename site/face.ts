/** The first page of the site: a title, a picture, and five ways on, above the text of the README. */
import type { Language } from './sources.ts'

interface Face {
  readonly text: string
  readonly tagline: string
  readonly alt: string
  /** Buttons. */
  readonly actions: readonly (readonly [text: string, link: string])[]
  readonly features: readonly (readonly [title: string, details: string, link: string])[]
}

const faces: Readonly<Record<Language, Face>> = {
  en: {
    text: 'QQ Music for your programs',
    tagline: 'One typed interface for apps, players, blogs and agents. It says why when an answer is missing, and works without an account on a provider of its own.',
    alt: 'The page of the relay: search, a list of songs, and the player with its lyric',
    actions: [['Getting started', '/getting-started'], ['Endpoints', '/endpoints/'], ['When something fails', '/guides/when-something-fails']],
    features: [
      ['Listen', 'In Symfonium, Feishin, Strawberry, mpv, or on a speaker', '/players'],
      ['Write an app', 'A client with types, and one for every other language', '/guides/player'],
      ['Give it to an agent', 'Ten tools that fit into a conversation', '/agents'],
      ['Play on a blog', 'Widgets with links that only your pages can use', '/guides/blog'],
      ['Run it', 'For yourself, a household or the public', '/configuration']
    ]
  },
  zh: {
    text: '让程序用上 QQ 音乐',
    tagline: '应用、播放器、博客和智能体共用一套带类型的接口。没有结果时说明原因；自带演示数据源，不用账号就能试用。',
    alt: '中转服务的网页：搜索、歌曲列表和带歌词的播放器',
    actions: [['入门', '/zh/getting-started'], ['接口', '/zh/endpoints/'], ['出错时怎么办', '/zh/guides/when-something-fails']],
    features: [
      ['听歌', '音流、Symfonium、Feishin、Strawberry、mpv 和音箱', '/zh/players'],
      ['写应用', '带类型的客户端，其他语言也有', '/guides/player'],
      ['给智能体用', '十个工具，放得进一次对话', '/zh/agents'],
      ['放在博客里', '链接带签名，只有你的网页能用', '/zh/guides/blog'],
      ['部署', '自己用、全家用、给别人用', '/zh/configuration']
    ]
  }
}

/** Returns the first page: the face, then the text without its own title and pictures. */
export function faced (language: Language, text: string): string {
  const { text: title, tagline, alt, actions, features } = faces[language]
  const hero = {
    name: 'music-relay',
    text: title,
    tagline,
    image: { src: '/pictures/player.png', alt },
    actions: actions.map(([text, link], at) => ({ text, link, theme: at === 0 ? 'brand' : 'alt' }))
  }
  const front = { layout: 'home', hero, features: features.map(([title, details, link]) => ({ title, details, link })) }
  // JSON is YAML.
  return `---\n${JSON.stringify(front)}\n---\n${text.replace(/^# .*\n/, '').replaceAll(/<img [^>]*> ?/g, '')}`
}
