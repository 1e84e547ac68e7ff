import type { Access, LyricKind } from './types.ts'

interface Special {
  access: Access
  lyric: LyricKind
  /** true: the media MID equals the song MID; false: it differs. */
  sameFile?: boolean
  /** true: no file above 128 kbit/s. */
  lowOnly?: boolean
  titles: { name: string, title: string, subtitle: string }
}

function titled (name: string, title = name, subtitle = ''): Special['titles'] {
  return { name, title, subtitle }
}

/** Special songs by number, listed in WIRE.md. Song n has the MID `00DemoSong` + n in four digits. */
export const specialSongs: Record<number, Special | undefined> = {
  1: { access: 'free', lyric: 'plain', sameFile: true, lowOnly: false, titles: titled('First Light') },
  2: {
    access: 'login',
    lyric: 'chinese',
    sameFile: false,
    lowOnly: false,
    titles: titled('第二稿', '第二稿（现场版）', '《无人码头》电影插曲')
  },
  3: { access: 'paid', lyric: 'plain', sameFile: false, lowOnly: false, titles: titled('Velvet Toll') },
  4: { access: 'login', lyric: 'none', sameFile: true, titles: titled('Untitled Sketch') },
  5: { access: 'free', lyric: 'translated', sameFile: true, titles: titled('纸月亮', '纸月亮 (Paper Moon)') },
  6: { access: 'free', lyric: 'instrumental', sameFile: true, titles: titled('Intermezzo No. 6') },
  7: { access: 'region', lyric: 'plain', sameFile: true, titles: titled('Elsewhere Only') },
  8: { access: 'gone', lyric: 'plain', sameFile: true, titles: titled('Taken Down') },
  9: { access: 'login', lyric: 'plain', sameFile: false, lowOnly: true, titles: titled('Low Fidelity') },
  10: { access: 'login', lyric: 'translated', sameFile: true, titles: titled('Salt & "Pepper"', 'Salt & "Pepper" (It\'s <Live>) 🎵') },
  11: { access: 'login', lyric: 'byId', sameFile: true, titles: titled('Found by Number') },
  12: { access: 'paid', lyric: 'translated', sameFile: true, titles: titled('灯笼 1/2') }
}
