/** Bytes of upstream answers that one request holds, charged to its client until it is answered. */
import type { Client, Holding } from '../../common/ledger.ts'
import type { Hold } from './transport.ts'

/** The bytes of one answer. */
export interface AnswerBytes {
  readonly hold: Hold
  /** Nothing is made of the answer: its bytes are charged no longer. */
  letGo (): void
}

/** The bytes of all answers of one request, which may be part of its own answer in the end. */
export interface HeldBytes {
  forAnswer (): AnswerBytes
  /** The request is answered. What arrives later may not be held. */
  end (): void
}

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
        hold (bytes) {
          if (ended || answerBytes?.take(client, bytes) === false) return false
          all += bytes
          own += bytes
          return true
        },
        letGo () {
          letGo(own)
          own = 0
        }
      }
    },
    end () {
      letGo(all)
      ended = true
    }
  }
}
