/** Patterns for parts of values: requests of the relay, and its records. */
const whole = new WeakSet<object>()

/** A pattern for an object that has these fields and no other. */
export function exactly <T extends object> (pattern: T): T {
  whole.add(pattern)
  return pattern
}

/**
 * The part of a value that a pattern describes: equal to the pattern if the value fits. A pattern names some fields of
 * an object (undefined: it has none), all rows of a list or some by number (`{ length: 3, 0: … }`), a regular
 * expression for a text, or a constructor for its type.
 */
export function partOf (value: any, pattern: any): unknown {
  if (pattern instanceof RegExp) return typeof value === 'string' && pattern.test(value) ? pattern : value
  if (typeof pattern === 'function') return Object(value).constructor === pattern ? pattern : value
  if (typeof pattern !== 'object' || pattern === null || value === undefined || value === null) return value
  if (Array.isArray(pattern)) {
    return Array.isArray(value) ? value.map((row, at) => at in pattern ? partOf(row, pattern[at]) : row) : value
  }
  return Object.fromEntries(Object.keys(whole.has(pattern) ? { ...value, ...pattern } : pattern)
    .map((key) => [key, partOf(value[key], pattern[key])]))
}
