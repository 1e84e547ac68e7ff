/**
 * The download URL of a song's file. Only files that the caller's own account may play; no protection is circumvented.
 */
import { endpoint, responseCodeData } from '../kit.ts'
import { Download, DownloadQuery } from '../../../schemas/music.ts'
import { playables, type Playable } from './play.ts'

export const downloadProviderMusic = endpoint({
  method: 'GET',
  path: '/downloadProviderMusic',
  tag: 'music',
  summary: 'Address, size and name of a song\'s file',
  summaryInChinese: '歌曲文件的地址、大小和文件名',
  description: 'The relay sends the address, not the file. Only files that the caller\'s account may use; encrypted files are omitted. No address is not an error: url is "", and reason and hint say why.',
  example: { songmid: '00DemoSong0001', quality: 'm4a' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: DownloadQuery,
  record: Download,
  envelope: responseCodeData,
  login: 'optional',
  cache: 'short-lived',

  async run ({ songmid, quality }, context) {
    const [found] = await playables([{ songmid }], quality, context)
    const { play, filename } = found as Playable
    return { ...play, filename }
  }
})
