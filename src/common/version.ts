/** The version of this package. A test checks that it equals package.json. */
export const version = '3.0.0'
