/** Writes the OpenAPI document as YAML. */
import { Document, visit } from 'yaml'

const otherIn11 = /^(?:[-+]?\d[\d_.:-]*(?:[Tt ][\d:.Zz+ -]*)?|y|n|yes|no|on|off)$/i

/**
 * Returns the document as YAML that readers of 1.1 and 1.2 parse alike. Texts that only readers of 1.1 would take for a
 * number (`2026_46`), a date, a time or a boolean (`no`) are quoted.
 */
export function yamlOf (value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar (_key, node) { if (typeof node.value === 'string' && otherIn11.test(node.value)) node.type = 'QUOTE_DOUBLE' }
  })
  return document.toString({ lineWidth: 0 })
}
