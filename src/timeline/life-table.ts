/** Why a call was answered as it was: the row of the life table (docs/reference/decisions.md, "The life of a bet") that it fell into. */
import { REMEMBERED_REFUSALS, REPLY_CODES } from '../protocol/reply-codes.ts'
import type { TimelineOperation, WalletCallView } from './bet-sources.ts'

export type LifeState = 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'

/** What the table says, word for word but for its links; a test compares the two. */
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
    place: 'as above',
    settle: 'L-1',
    unsettle: 'take the payout back → open',
    rollback: '400/8, no effect, an anomaly',
  },
  cancelled: { place: '400/8', settle: '400/20', unsettle: '400/20', rollback: '200, no effect' },
  refused: { place: 'the same refusal', settle: '400/5', unsettle: '400/5', rollback: '200, no effect' },
}

/** What the wallet knew of the bet before each of its calls, from the calls before. */
export function listStatesBefore(history: readonly WalletCallView[]): LifeState[] {
  let known: LifeState = 'nothing'
  return history.map((call) => {
    const before = known
    known = nextState(before, call)
    return before
  })
}

/** Refusals that the wallet remembers for good (I-3): what money, limits and the player's state decide. */
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
  'nothing/place': 'The bet was new: the token, the player and the money are looked at, then the stake is taken once.',
  'nothing/settle': 'The wallet knows no such bet, so there is nothing to pay.',
  'nothing/unsettle': 'The wallet knows no such bet, so there is nothing to take back.',
  'nothing/rollback':
    'The bet was not known: the wallet remembers that it is cancelled, so that a Place bet that comes late takes nothing.',
  'open/place':
    'The bet was placed already. The same bet again is answered as before and takes nothing; another one under its id is refused.',
  'open/settle': 'The first result of an open bet: what it pays is paid once.',
  'open/unsettle': 'There is no result to take back: nothing moves.',
  'open/rollback': 'The stake that was taken goes back, whatever amount the call says.',
  'settled/place': 'The bet was placed already. The same bet again is answered as before and takes nothing.',
  'settled/settle':
    'The same result again moves nothing. Another amount: the earlier payout is reversed and the new one paid, in one step.',
  'settled/unsettle': 'The payout is taken back, and the bet is open again.',
  'settled/rollback': 'A bet with a result is not rolled back: nothing moves, and a person should look at it.',
  'cancelled/place': 'The bet was cancelled before: it is not placed any more, and takes nothing.',
  'cancelled/settle': 'The stake is back with the player: a result pays nothing any more.',
  'cancelled/unsettle': 'The stake is back with the player: there is no result to take back.',
  'cancelled/rollback': 'The bet is cancelled already: a stake is never refunded twice.',
  'refused/place': 'This bet was refused before; the answer stays the same, whatever the balance is by now.',
  'refused/settle': 'The bet was never accepted, so there is nothing to pay.',
  'refused/unsettle': 'The bet was never accepted, so there is nothing to take back.',
  'refused/rollback': 'Nothing was taken, so nothing goes back.',
}

export function findLifeTableRow(
  known: LifeState,
  operation: TimelineOperation,
): { readonly row: string; readonly says: string } {
  return { row: LIFE_TABLE[known][operation], says: EXPLANATIONS[`${known}/${operation}`] ?? '' }
}
