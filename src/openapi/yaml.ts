/** The OpenAPI document as YAML: openapi.yaml in the repository, and /docs/yaml of a relay. */
import module from 'node:module'

const otherIn11 = /^(?:[-+]?\d[\d_.:-]*(?:[Tt ][\d:.Zz+ -]*)?|y|n|yes|no|on|off)$/i

/**
 * Returns the document as YAML that readers of 1.1 and 1.2 parse alike. Texts that only readers of 1.1 would take for a
 * number (`2026_46`), a date, a time or a boolean (`no`) are quoted. Loads the YAML writer, which no start needs.
 * @throws {Error} The package cannot be loaded at the moment, such as with too many open files. A later call may succeed.
 */
export function yamlOf (value: object): string {
  // `import()` would cache a failure for ever.
  const { Document, visit } = module.createRequire(import.meta.url)('yaml') as typeof import('yaml')
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar (_key, node) { if (typeof node.value === 'string' && otherIn11.test(node.value)) node.type = 'QUOTE_DOUBLE' }
  })
  return document.toString({ lineWidth: 0 })
}
