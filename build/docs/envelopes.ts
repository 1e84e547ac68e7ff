/** The envelopes in docs/reference.md: each is defined once, and every endpoint shows the shape of its whole answer. */
import { Type, type TSchema } from '@sinclair/typebox'
import type { Envelope } from '../../schemas/envelopes.ts'
import { fields, typeOf } from './tables.ts'

/** What the definition of an envelope calls any record. */
const record = 'the record'

/** Returns the body on one line, with the record by its name: `{ "code": 0, "msg": "ok", "data": Chart }`. */
export function shapeOf ({ wrap }: Pick<Envelope, 'wrap'>, schema?: TSchema): string {
  const name = schema === undefined ? record : schema.$id ?? typeOf(schema, (each) => each)
  return JSON.stringify(wrap(record), null, 1).replaceAll(/\s*\n\s*/g, ' ').replace(`"${record}"`, name)
}

export const envelopeLink = ({ name }: Pick<Envelope, 'name'>, page = ''): string =>
  `[envelope ${name}](${page}#envelope-${name.toLowerCase().replaceAll(' ', '-')})`

/** Returns the definition of an envelope: its shape, its fields, and the endpoints that answer in it. */
export function envelopeSection (envelope: Envelope, endpoints: readonly string[]): string {
  const { delivers, name, schema } = envelope
  const delivery = delivers === undefined ? '' : `Status 302, and the header \`location\` has the \`url\` of the record. ${delivers === 'audio' ? 'With the setting `stream=relay` it is the file itself: status 200, or 206 for a range. ' : ''}A caller that accepts only \`application/json\` gets the record instead:\n\n`
  const table = fields(schema(Type.Unsafe({ $ref: 'record' })), {
    refTo: () => record,
    heads: ['Field', 'Type', 'Meaning']
  })
  return [
    `### Envelope ${name}`,
    `${delivery}\`${shapeOf(envelope)}\``,
    table || 'Nothing is around the record.',
    `Endpoints: ${endpoints.map((each) => `[${each}](#${each.toLowerCase()})`).join(', ')}.`
  ].join('\n\n')
}
