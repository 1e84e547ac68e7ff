/** Suggestions. The gateway's call of this name returns texts without ids, so it is not used. */
import { codeMsgData, endpoint } from '../kit.ts'
import { GetSmartboxQuery, Smartbox } from '../../../schemas/search.ts'
import { smartboxOf } from './found.ts'

export const getSmartbox = endpoint({
  method: 'GET',
  path: '/getSmartbox',
  tag: 'search',
  summary: 'Search suggestions while typing',
  description: 'A few songs, singers and albums that may match the words. Numbers are texts here, as the upstream sends them. Without hits the three lists are empty.',
  example: { key: 'paper' },
  probe: ({ songs }) => songs.map(({ title }) => ({ key: title })),
  input: GetSmartboxQuery,
  record: Smartbox,
  envelope: codeMsgData,
  cache: 'query',

  run: async ({ key }, { upstream }) => await upstream.firstOf(smartboxOf(key, (result) => ({ result })))
})
