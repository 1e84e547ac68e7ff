/**
 * Limits for reading one answer. A hostile answer would otherwise block the process: three hundred thousand unreadable
 * rows took 2.6 s. Real answers have some thousand rows.
 */
import { badShape } from './body.ts'

const most = { rows: 20_000, refusedRows: 1000, findings: 1000 } as const

/** Counts the work of reading one answer. */
export class ReadingWork {
  private rows = 0
  private refusedRows = 0
  private findings = 0

  /**
   * Counts rows that will be read. Throws UpstreamError (UPSTREAM_UNREADABLE) if they are too many. `call` is only a
   * label.
   */
  addRows (count: number, call: string): void {
    this.rows += count
    if (this.rows > most.rows) {
      throw badShape(call, 'it has too many rows')
    }
  }

  /** Counts a row that cannot be read. Throws `reason` if there are too many. */
  addRefusedRow (reason: unknown): void {
    if (++this.refusedRows > most.refusedRows) throw reason
  }

  /** Counts a finding, and returns whether to report it. */
  addFinding (): boolean {
    return ++this.findings <= most.findings
  }
}
