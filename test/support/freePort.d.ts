/** Types of freePort.js, which plain scripts use too. */
export function freePort (): Promise<number>
