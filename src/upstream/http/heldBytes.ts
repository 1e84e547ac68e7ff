/** Bytes of upstream answers that one request holds, charged to its client until it is answered. */
import type { Client, Holding } from '../../common/ledger.ts'
import type { Charge } from './collect.ts'

/** The bytes of one answer. */
export interface AnswerBytes {
  readonly charge: Charge
  /** Nothing is made of the answer: its bytes are charged no longer. */
  letGo (): void
  /** This is made of the answer. From now on its own size is charged, if the answer was large. */
  becomes (value: unknown): void
}

/** The bytes of all answers of one request, which may be part of its own answer in the end. */
export interface HeldBytes {
  forAnswer (): AnswerBytes
  /** The request is answered. What arrives later may not be held. */
  end (): void
}

/** Answers up to this size are charged in full until the end: measuring what is made of them would cost more than it tells. */
const large = 256 * 1024

/** `answerBytes`: the account book; undefined: without a limit. */
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
