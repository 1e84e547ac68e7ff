/** Charges the bytes of upstream answers to the client of a request until that request is answered. */
import type { Client, Holding } from '../../common/ledger.ts'
import type { Charge } from './collect.ts'

/** The bytes of one answer. */
export interface AnswerBytes {
  readonly charge: Charge
  /** Stops charging: the answer is not used. */
  letGo (): void
  /** Records the value that was parsed from the answer. If the answer was large, the size of the value is charged from now on. */
  becomes (value: unknown): void
}

/** The bytes of all answers of one request, which may become part of its own answer. */
export interface HeldBytes {
  forAnswer (): AnswerBytes
  /** Ends charging: the request is answered. Later bytes are refused. */
  end (): void
}

/** Answers up to this size are charged in full until the end: measuring the parsed value would cost more than it saves. Bytes. */
const large = 256 * 1024

/** `answerBytes`: the holding that counts the bytes; undefined: no limit. */
export function createHeldBytes (answerBytes: Holding | undefined, client: Client | undefined): HeldBytes {
  let all = 0
  let ended = false
  const letGo = (bytes: number): void => {
    if (ended) return
    answerBytes?.give(client, bytes)
    all -= bytes
  }
  return {
    forAnswer () {
      let own = 0
      return {
        charge (bytes) {
          if (bytes < 0) letGo(-bytes)
          else if (ended || answerBytes?.take(client, bytes) === false) return false
          else all += bytes
          own += bytes
          return true
        },
        letGo () {
          letGo(own)
          own = 0
        },
        becomes (value) {
          if (own <= large) return
          const size = Math.min(own, JSON.stringify(value)?.length ?? 0)
          letGo(own - size)
          own = size
        }
      }
    },
    end () {
      letGo(all)
      ended = true
    }
  }
}
