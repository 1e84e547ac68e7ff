/** Progress output: one changing line on a terminal, plain lines elsewhere. */
import { stripVTControlCharacters } from 'node:util'
import { PNG } from 'pngjs'
import QRCode from 'qrcode'

export interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write (text: string): unknown
}

const escape = '\u001b['

/** Creates a screen on a stream. `TERM=dumb` means: no cursor movement. */
export function createScreen (output: Output, env: { readonly TERM?: string | undefined }) {
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
    /** Columns of the terminal; 0 without one, or if it cannot move its cursor. */
    columns,
    rows: output.rows || Infinity,
    /** Shows the current state in place of the previous one. */
    state (text: string): void {
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
    /** Prints lines that stay. */
    lines (lines: readonly string[]): void {
      close()
      for (const line of lines) {
        output.write(`${line}\n`)
        above += Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns))
      }
      last = ''
    },
    /** Erases everything since the last call of `begin`, on terminals only. */
    begin (): void {
      close()
      if (columns > 0 && above > 0) output.write(`${escape}${above}A${escape}J`)
      above = 0
    }
  }
}

export type Screen = ReturnType<typeof createScreen>

// QR codes in a terminal: reads one from a PNG or makes one from a text, and draws it with half blocks.

/** The square of a QR code without its quiet zone; dark modules are true. */
export type Modules = readonly (readonly boolean[])[]

/** Width of the light margin, in modules. Scanners do not find a code without it. */
const quiet = 4

export function modulesOfText (text: string): Modules {
  const { size, data } = QRCode.create(text, { errorCorrectionLevel: 'L' }).modules
  return Array.from(
    { length: size },
    (_, row) => Array.from(data.subarray(row * size, (row + 1) * size), (module) => module === 1)
  )
}

/** Returns the QR code in a picture. Undefined if it is no PNG, or shows no upright QR code with a light margin. */
export function modulesOfPng (bytes: Buffer): Modules | undefined {
  const picture = read(bytes)
  if (picture === undefined) return undefined
  const { width, height, dark } = picture
  const edges = { left: width, top: height, right: -1, bottom: -1 }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!dark(x, y)) continue
      edges.left = Math.min(edges.left, x)
      edges.right = Math.max(edges.right, x)
      edges.top = Math.min(edges.top, y)
      edges.bottom = y
    }
  }
  const [across, down] = [edges.right - edges.left + 1, edges.bottom - edges.top + 1]
  let finder = 0 // pixel width of the corner mark, which has seven modules
  while (finder < across && dark(edges.left + finder, edges.top)) finder++
  // Sizes are 21, 25, 29 … 177 modules.
  const size = Math.round((across / finder * 7 - 17) / 4) * 4 + 17
  if (!(size >= 21 && size <= 177) || Math.abs(across - down) > across / size) return undefined
  const modules = Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) =>
    dark(Math.floor(edges.left + (column + 0.5) * across / size), Math.floor(edges.top + (row + 0.5) * down / size))))
  return isCode(modules) ? modules : undefined
}

interface Picture { readonly width: number, readonly height: number, readonly dark: (x: number, y: number) => boolean }

function read (bytes: Buffer): Picture | undefined {
  // Check the size in the header first: decoding a huge picture could fill the memory.
  if (bytes.length < 24 || Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) > 2000) return undefined
  try {
    const { width, height, data } = PNG.sync.read(bytes)
    const dark = (x: number, y: number): boolean => {
      const [red = 0, green = 0, blue = 0, opacity = 0] = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)
      return opacity > 127 && red + green + blue < 384
    }
    return { width, height, dark }
  } catch {
    return undefined
  }
}

/** Whether the modules have the three corner marks and the dotted lines between them. No other picture has these. */
function isCode (modules: Modules): boolean {
  const last = modules.length - 1
  const mark = (row: number, column: number): boolean => {
    for (let y = 0; y < 7; y++) {
      for (let x = 0; x < 7; x++) {
        const ring = Math.max(Math.abs(y - 3), Math.abs(x - 3))
        if (modules[row + y]?.[column + x] !== (ring !== 2)) return false
      }
    }
    return true
  }
  if (!mark(0, 0) || !mark(0, last - 6) || !mark(last - 6, 0)) return false
  for (let at = 8; at <= last - 8; at++) {
    if (modules[6]?.[at] !== (at % 2 === 0) || modules[at]?.[6] !== (at % 2 === 0)) return false
  }
  return true
}

export const drawnWidth = (modules: Modules): number => modules.length + 2 * quiet

/** Returns the lines of a drawing: two rows of modules per line, black on white whatever the terminal's colours are. */
export function draw (modules: Modules): string[] {
  const dark = (row: number, column: number): boolean => modules[row]?.[column] === true
  const lines: string[] = []
  for (let row = -quiet; row < modules.length + quiet; row += 2) {
    let line = ''
    for (let column = -quiet; column < modules.length + quiet; column++) {
      const [top, bottom] = [dark(row, column), dark(row + 1, column)]
      line += top && bottom ? '█' : top ? '▀' : bottom ? '▄' : ' '
    }
    lines.push(`\u001b[38;5;16;48;5;231m${line}\u001b[0m`)
  }
  return lines
}
