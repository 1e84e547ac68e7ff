/** Writes the OpenAPI document as YAML. */
import { Document, visit } from 'yaml'

const otherIn11 = /^(?:[-+]?\d[\d_.:-]*(?:[Tt ][\d:.Zz+ -]*)?|y|n|yes|no|on|off)$/i

/** Returns YAML that readers of 1.1 and 1.2 parse alike: what looks like a number, date or boolean is quoted. */
export function yamlOf (value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar (_key, node) { if (typeof node.value === 'string' && otherIn11.test(node.value)) node.type = 'QUOTE_DOUBLE' }
  })
  return document.toString({ lineWidth: 0 })
}
