/** A plot with logarithmic axes, as SVG. */

/** A line of points. */
export interface Line { readonly name: string, readonly points: ReadonlyArray<readonly [x: number, y: number]> }

const [width, height, left, bottom, top, right] = [640, 360, 70, 50, 20, 20]
const colours = ['#1f6feb', '#7c3aed', '#c2410c', '#15803d'] as const

const short = (value: number): string =>
  value >= 1e6 ? `${value / 1e6} M` : value >= 1000 ? `${value / 1000} k` : String(value)

/** Draws the lines. Values are above 0. */
export function plotOf (lines: readonly Line[], names: { readonly x: string, readonly y: string }): string {
  const powers = (values: readonly number[]): readonly number[] => {
    const [from, to] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]
    return Array.from({ length: to - from + 1 }, (_each, at) => from + at)
  }
  const points = lines.flatMap((line) => line.points)
  const [xs, ys] = [powers(points.map(([x]) => x)), powers(points.map(([, y]) => y))]
  const place = (value: number, [first = 0, ...rest]: readonly number[], from: number, to: number): number =>
    Math.round(from + (Math.log10(value) - first) / ((rest.at(-1) ?? 1) - first) * (to - from))
  const xOf = (value: number): number => place(value, xs, left, width - right)
  const yOf = (value: number): number => place(value, ys, height - bottom, top)
  const text = (x: number, y: number, words: string, more = ''): string => `<text x="${x}" y="${y}"${more}>${words}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...xs.map((power) => `<path d="M${xOf(10 ** power)} ${top}V${height - bottom}" stroke="#ddd"/>${text(xOf(10 ** power), height - bottom + 18, short(10 ** power), ' text-anchor="middle"')}`),
    ...ys.map((power) => `<path d="M${left} ${yOf(10 ** power)}H${width - right}" stroke="#ddd"/>${text(left - 8, yOf(10 ** power) + 4, short(10 ** power), ' text-anchor="end"')}`),
    text((left + width - right) / 2, height - 12, names.x, ' text-anchor="middle"'),
    text(16, (top + height - bottom) / 2, names.y, ` text-anchor="middle" transform="rotate(-90 16 ${(top + height - bottom) / 2})"`),
    ...lines.flatMap(({ name, points: own }, at) => [
      `<polyline fill="none" stroke="${colours[at % colours.length]}" stroke-width="2" points="${own.map(([x, y]) => `${xOf(x)},${yOf(y)}`).join(' ')}"/>`,
      ...own.map(([x, y]) => `<circle cx="${xOf(x)}" cy="${yOf(y)}" r="3" fill="${colours[at % colours.length]}"/>`),
      text(left + 12, top + 18 + at * 18, name, ` fill="${colours[at % colours.length]}"`)
    ]),
    '</svg>',
    ''
  ].join('\n')
}
