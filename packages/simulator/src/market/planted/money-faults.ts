/**
 * Faults to plant that only show with refused corrections, bets with a bonus, or players with two
 * currencies.
 */
import { REPLY_CODES, replyCode } from '@purser/protocol/reply-codes'
import { toAcknowledgement } from '../faults/fault-planting.ts'
import { alterRows } from '../faults/sql-faults.ts'
import type { NetworkAnswer } from '../network/simulated-network.ts'
import { answerInFront, type PlantedFaultRow, plantBelow } from './planted-fault.ts'

const SHORT = replyCode('recalculation_negative')
const REFUSED: NetworkAnswer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.recalculation_negative)) }
const FAILED: NetworkAnswer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.system_error)) }

const isBonus = ({ bonusId }: Readonly<Record<string, unknown>>) => typeof bonusId === 'number' && bonusId > 0

export const MONEY_FAULTS: readonly PlantedFaultRow[] = [
  [
    'a correction that the player cannot pay is answered 200, and not made',
    'L-2',
    5,
    answerInFront({ answer: ({ code }, answer, message) => (code === SHORT ? toAcknowledgement(message) : answer) }),
  ],
  [
    'every Unsettle is refused for lack of money',
    'L-2',
    2,
    answerInFront({ instead: ({ kind }) => (kind === 'unsettle' ? REFUSED : undefined) }),
  ],
  [
    'a bet with a bonus is debited from its player',
    'M-4',
    1,
    answerInFront({
      call: ({ kind }, message) => (kind === 'place' && isBonus(message) ? { ...message, bonusId: null } : message),
    }),
  ],
  [
    'promotions pay for a bonusId of 0 and below',
    'D-1',
    1,
    answerInFront({
      call: ({ kind }, message) =>
        kind === 'place' && typeof message.bonusId === 'number' && !isBonus(message)
          ? { ...message, bonusId: 7 }
          : message,
    }),
  ],
  [
    'every bet with a bonus fails in the wallet',
    'R-4',
    1,
    answerInFront({ instead: ({ kind }, message) => (kind === 'place' && isBonus(message) ? FAILED : undefined) }),
  ],
  [
    'tokens live on when the currency is switched',
    'P-1',
    1,
    plantBelow(
      'wallet',
      alterRows('read_sessions', (row) => ({ ...row, ended_at: null })),
    ),
  ],
]
