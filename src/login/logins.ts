/** The logins of one relay: what their checks share, and how many may wait at once. */
import type { AltLoginCheck, AltLoginQr, MainLoginCheck, MainLoginQr } from '../../schemas/login.ts'
import type { LoginDoor } from '../provider/loginDoor.ts'
import type { Listener } from '../provider/read.ts'
import { checkAlt, startAlt } from './alt.ts'
import { createFlights, createSeats } from './flights.ts'
import { checkMain, startMain } from './main.ts'
import { createMemory } from './memory.ts'
import { createHops } from './steps.ts'
import type { Told } from './steps.ts'

/** Who wants to log in. */
export interface LoginCaller {
  readonly signal?: AbortSignal | undefined
  /** Whom waiting polls are counted for; absent: nobody in particular. */
  readonly client?: string | undefined
  readonly onExchange?: ((told: Told) => void) | undefined
}

/** The logins as one request sees them. */
export interface Login {
  startMain (): Promise<MainLoginQr>
  checkMain (qrsig: string): Promise<MainLoginCheck>
  startAlt (): Promise<AltLoginQr>
  checkAlt (uuid: string): Promise<AltLoginCheck>
}

export interface Logins {
  forRequest (caller: LoginCaller): Login
  /** Alternative checks that wait for news, each caller counted. */
  waiting (): number
  /** Everybody who waits gets STOPPING. */
  stop (): void
}

export interface LoginOptions {
  readonly door: LoginDoor
  readonly listener: Listener
  readonly loginHopDeadlineMs: number
  readonly loginDeadlineMs: number
  readonly pollDeadlineMs: number
  readonly pollLimit: number
  readonly pollLimitPerClient: number
}

/** Main checks under way at once; each ends within its deadline. */
const mostChecks = 1000
/** A QR code of the alternative channel lives some minutes. */
const scanKeptMs = 600_000
/** After a poll that was held to its end an exchange still has this long. */
const exchangeMs = 3000

export function createLogins (options: LoginOptions): Logins {
  const { door, listener } = options
  const times = { hopMs: options.loginHopDeadlineMs, wholeMs: options.loginDeadlineMs, pollMs: options.pollDeadlineMs }
  const mainChecks = createFlights<MainLoginCheck>(mostChecks)
  const altChecks = createFlights<AltLoginCheck>(mostChecks + options.pollLimit)
  const seats = createSeats(options.pollLimit, options.pollLimitPerClient)
  const scans = createMemory(1000, scanKeptMs, () => performance.now())

  return {
    forRequest ({ signal, client, onExchange }) {
      const hops = (wholeMs = times.wholeMs): ReturnType<typeof createHops> => createHops(door, { ...times, wholeMs }, listener, Date.now, onExchange)
      return {
        startMain: async () => await startMain(hops(), signal),
        startAlt: async () => await startAlt(hops(), signal),
        checkMain: async (qrsig) => await mainChecks.join(qrsig, signal, async (flight) => await checkMain(qrsig, hops(), flight)),
        async checkAlt (uuid) {
          const seat = seats.take(client)
          const begun = performance.now()
          const rest = (): number => Math.max(exchangeMs, times.pollMs + exchangeMs - (performance.now() - begun))
          try {
            return await altChecks.join(uuid, signal, async (flight) => await checkAlt(uuid, hops(), () => hops(rest()), scans, flight))
          } finally {
            seat.free()
          }
        }
      }
    },
    waiting: seats.taken,
    stop () {
      mainChecks.stop()
      altChecks.stop()
    }
  }
}
