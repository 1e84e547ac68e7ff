/** Progress for a person: on a terminal one line that changes, elsewhere plain lines. */
import { stripVTControlCharacters } from 'node:util'

export interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write (text: string): unknown
}

export interface Screen {
  /** Columns of the terminal; 0 where there is none, or none that can place its cursor. */
  readonly columns: number
  /** Lines of the terminal; no end of them where nobody knows. */
  readonly rows: number
  /** What happens now; takes the place of what happened before. */
  state (text: string): void
  /** Lines that stay. */
  lines (lines: readonly string[]): void
  /** Takes back everything since the last call of `begin`, where that can be done. */
  begin (): void
}

const escape = '\u001b['

export function createScreen (output: Output, env: { readonly TERM?: string | undefined }): Screen {
  const columns = output.isTTY === true && env.TERM !== 'dumb' ? output.columns ?? 80 : 0
  let above = 0 // lines since begin
  let open = false // the cursor stands behind a state
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
      // A line that wraps could not be taken back.
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
