import { Type } from '@sinclair/typebox'
import { getLyric } from '../../../endpoints/music/getLyric.ts'
import { getSearchByKey } from '../../../endpoints/search/getSearchByKey.ts'
import { plainOf } from '../lyrics.ts'
import { method } from '../method.ts'

const words = (what: string): ReturnType<typeof Type.String> => Type.String({ maxLength: 500, description: `${what}.` })

export const getLyrics = method({
  summary: 'The lyric of the first song that a search for title and singer finds, without times.',
  input: Type.Object({ artist: Type.Optional(words('Name of the singer')), title: Type.Optional(words('Title of the song')) }),

  async run ({ artist = '', title = '' }, { call }) {
    // Songs separate their singers with slashes, which no search understands.
    const [singer = ''] = artist.split(' / ')
    const key = `${title} ${singer}`.slice(0, 200).trim()
    if (key === '') return { lyrics: { value: '' } }
    const { song: { list: [song] } } = await call(getSearchByKey, { key, limit: 10, catZhida: 0 })
    if (song === undefined || song.mid === '') return { lyrics: { value: '' } }
    const { lyric } = await call(getLyric, { songmid: song.mid, isFormat: 1 })
    return { lyrics: { artist: song.singer.map(({ name }) => name).join(' / '), title: song.title, value: plainOf(lyric).join('\n') } }
  }
})

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
