/** The named components of the OpenAPI document. */
import type { TSchema } from '@sinclair/typebox'
import { ErrorBody } from './errors.ts'
import * as accountState from './accountState.ts'
import * as around from './around.ts'
import * as charts from './charts.ts'
import * as comments from './comments.ts'
import * as discover from './discover.ts'
import * as login from './login.ts'
import * as music from './music.ts'
import * as mv from './mv.ts'
import * as playlists from './playlists.ts'
import * as radio from './radio.ts'
import * as recommend from './recommend.ts'
import * as resolve from './resolve.ts'
import * as search from './search.ts'
import * as singers from './singers.ts'
import * as song from './song.ts'
import * as typedSearch from './typedSearch.ts'
import * as user from './user.ts'

const named = (schemas: object): TSchema[] =>
  Object.values(schemas).filter((value): value is TSchema =>
    typeof value === 'object' && value !== null && '$id' in value
  )

export const components: readonly TSchema[] = [
  ErrorBody,
  ...named(song),
  ...named(charts),
  ...named(music),
  ...named(search),
  ...named(typedSearch),
  ...named(resolve),
  ...named(playlists),
  ...named(singers),
  ...named(mv),
  ...named(discover),
  ...named(recommend),
  ...named(radio),
  ...named(around),
  ...named(comments),
  ...named(user),
  ...named(accountState),
  ...named(login)
]
