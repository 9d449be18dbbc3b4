/** Counts for the end of `purser dev`: Place bets, accepted bets, and right balance reads. */
import type { LiveCallListener } from '../../wire/live-call-log.ts'

export interface CallCounts {
  /** Place bets that reached the wallet, repeats included. */
  readonly placeBets: number
  readonly acceptedBets: number
  /** Balance reads without a line of their own. */
  readonly rightReads: number
}

const SUCCESS = 200

export function createCallCounts(): { readonly listener: LiveCallListener; read(): CallCounts } {
  const counts = { placeBets: 0, acceptedBets: 0, rightReads: 0 }
  return {
    read: () => counts,
    listener: {
      sent({ operation }) {
        if (operation === 'place') counts.placeBets += 1
      },
      ended({ operation, request, status }, [own]) {
        if (request === undefined) return
        if (operation === 'balance' && own?.verdict.kind === 'right') counts.rightReads += 1
        if (operation === 'place' && status === SUCCESS) counts.acceptedBets += 1
      },
    },
  }
}
