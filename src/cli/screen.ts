/** Progress output: one changing line on a terminal, plain lines elsewhere. */
import { stripVTControlCharacters } from 'node:util'

/** The part of a stream that a screen uses. */
export interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write (text: string): unknown
}

/** Output for the user of a command. */
export interface Screen {
  /** Columns of the terminal; 0 without one, or if it cannot move its cursor. */
  readonly columns: number
  /** Lines of the terminal; Infinity if unknown. */
  readonly rows: number
  /** Shows the current state in place of the previous one. */
  state (text: string): void
  /** Prints lines that stay. */
  lines (lines: readonly string[]): void
  /** Erases everything since the last call of `begin`, on terminals only. */
  begin (): void
}

const escape = '\u001b['

/** Creates a screen on a stream. `TERM=dumb` means: no cursor movement. */
export function createScreen (output: Output, env: { readonly TERM?: string | undefined }): Screen {
  const columns = output.isTTY === true && env.TERM !== 'dumb' ? output.columns ?? 80 : 0
  let above = 0 // lines since begin
  let open = false // the cursor is behind a state
  let last = ''
  const close = (): void => {
    if (open) output.write('\n')
    above += open ? 1 : 0
    open = false
  }
  return {
    columns,
    rows: output.rows || Infinity,
    state (text) {
      if (text === last) return
      last = text
      if (columns === 0) {
        output.write(`${text}\n`)
        return
      }
      // A wrapped line could not be erased.
      output.write(`\r${escape}K${text.length < columns ? text : `${text.slice(0, columns - 2)}…`}`)
      open = true
    },
    lines (lines) {
      close()
      for (const line of lines) {
        output.write(`${line}\n`)
        above += Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns))
      }
      last = ''
    },
    begin () {
      close()
      if (columns > 0 && above > 0) output.write(`${escape}${above}A${escape}J`)
      above = 0
    }
  }
}
