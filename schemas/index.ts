/** The named components of the OpenAPI document. */
import type { TSchema } from '@sinclair/typebox'
import { ErrorBody } from './errors.ts'
import * as charts from './charts.ts'
import * as music from './music.ts'
import * as song from './song.ts'

const named = (schemas: object): TSchema[] => Object.values(schemas).filter((value): value is TSchema => typeof value === 'object' && value !== null && '$id' in value)

export const components: readonly TSchema[] = [ErrorBody, ...named(song), ...named(charts), ...named(music)]
