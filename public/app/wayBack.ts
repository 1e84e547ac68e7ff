/** The way back from the login. */

/** Returns the address to go back to; undefined if it is no path of this origin: whoever makes a link chooses it. */
export function returnAddress (text: string | null, origin: string): string | undefined {
  // Browsers drop tabs and line ends, and read a backslash as a slash: `/\evil.example` is another host.
  if (text === null || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const url = new URL(text, origin)
  return url.origin === origin ? url.href : undefined
}
