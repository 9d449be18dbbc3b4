/**
 * Explains an answer of the wallet by its row in the table "The life of a bet"
 * (docs/reference/decisions.md).
 */
import { REMEMBERED_REFUSALS, REPLY_CODES } from '@purser/protocol/reply-codes'
import type { TimelineOperation, WalletCallView } from './bet-sources.ts'

export type LifeState = 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'

/** The text of the table without links; a test compares the two. */
export const LIFE_TABLE: Readonly<Record<LifeState, Readonly<Record<TimelineOperation, string>>>> = {
  nothing: {
    place: 'debit → open, or refuse',
    settle: '400/5',
    unsettle: '400/5',
    rollback: 'tombstone → cancelled, 200',
  },
  open: {
    place: 'same currency and amount: 200, no effect; else 400/8',
    settle: 'pay → settled',
    unsettle: '200, no effect',
    rollback: 'refund the stored stake → cancelled, 200',
  },
  settled: {
    place: 'as for open',
    settle: 'L-1',
    unsettle: 'take the payout back → open',
    rollback: '400/8, no effect, an anomaly',
  },
  cancelled: { place: '400/8', settle: '400/20', unsettle: '400/20', rollback: '200, no effect' },
  refused: { place: 'the same refusal', settle: '400/5', unsettle: '400/5', rollback: '200, no effect' },
}

/** The state of the bet before each call, derived from the earlier calls. */
export function listStatesBefore(history: readonly WalletCallView[]): LifeState[] {
  let known: LifeState = 'nothing'
  return history.map((call) => {
    const before = known
    known = nextState(before, call)
    return before
  })
}

/** Rejections that the wallet remembers (I-3). */
const REMEMBERED: readonly number[] = REMEMBERED_REFUSALS.map((name) => REPLY_CODES[name].code)

function nextState(known: LifeState, { operation, outcome, code }: WalletCallView): LifeState {
  if (outcome === 'refused')
    return operation === 'place' && known === 'nothing' && REMEMBERED.includes(code ?? 0) ? 'refused' : known
  if (outcome === 'repeated' && known !== 'nothing') return known
  switch (operation) {
    case 'place':
      return 'open'
    case 'settle':
      return 'settled'
    case 'unsettle':
      return known === 'settled' ? 'open' : known
    case 'rollback':
      return known === 'refused' ? 'refused' : 'cancelled'
    default:
      return operation satisfies never
  }
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'nothing/place':
    'The bet was new. The wallet checks the token, the player and the balance, then debits the stake once.',
  'nothing/settle': 'The wallet has no bet with this ID, so there is nothing to pay.',
  'nothing/unsettle': 'The wallet has no bet with this ID, so there is no result to withdraw.',
  'nothing/rollback':
    'The wallet had no bet with this ID. It recorded the cancellation, so a late Place bet debits nothing.',
  'open/place':
    'The bet was already placed. A repeat gets the same response and debits nothing; another bet with this ID is declined.',
  'open/settle': 'This is the first result of an open bet. Its payout is paid once.',
  'open/unsettle': 'The bet has no result to withdraw. No money moves.',
  'open/rollback': 'The debited stake is refunded, whatever amount the call contains.',
  'settled/place': 'The bet was already placed. A repeat gets the same response and debits nothing.',
  'settled/settle':
    'A repeated result moves no money. With another amount, the earlier payout is reversed and the new one is paid, in one step.',
  'settled/unsettle': 'The payout is reversed, and the bet is open again.',
  'settled/rollback': 'A bet with a result is not rolled back. No money moves, and the call needs review.',
  'cancelled/place': 'The bet was cancelled before and can no longer be placed. No money is taken.',
  'cancelled/settle': 'The bet is cancelled, so a result pays nothing.',
  'cancelled/unsettle': 'The bet is cancelled, so there is no result to withdraw.',
  'cancelled/rollback': 'The bet is already cancelled. A stake is never refunded twice.',
  'refused/place': 'The bet was declined before. The response stays the same, whatever the balance is now.',
  'refused/settle': 'The bet was never accepted, so there is nothing to pay.',
  'refused/unsettle': 'The bet was never accepted, so there is no result to withdraw.',
  'refused/rollback': 'No stake was debited, so nothing is refunded.',
}

export function findLifeTableRow(
  known: LifeState,
  operation: TimelineOperation,
): { readonly row: string; readonly explanation: string } {
  return { row: LIFE_TABLE[known][operation], explanation: EXPLANATIONS[`${known}/${operation}`] ?? '' }
}
