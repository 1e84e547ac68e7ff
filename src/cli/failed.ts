/** A command that did not reach its aim for an expected reason, which is not a bug. Its exit code is 1. */
export class Failed extends Error {
  readonly code: string

  constructor (code: string, message: string) {
    super(message)
    this.code = code
  }
}
