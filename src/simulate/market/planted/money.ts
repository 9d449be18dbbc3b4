/** Faults that only those markets show in which corrections are refused, some bets have a bonus, and players have two currencies. */
import { REPLY_CODES, replyCode } from '../../../protocol/codes.ts'
import type { Answer } from '../network.ts'
import { done } from '../planting.ts'
import { altered } from '../planting-sql.ts'
import { below, inFront, type Row } from './row.ts'

const SHORT = replyCode('recalculation_negative')
const REFUSED: Answer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.recalculation_negative)) }
const FAILED: Answer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.system_error)) }

const isBonus = ({ bonusId }: Readonly<Record<string, unknown>>) => typeof bonusId === 'number' && bonusId > 0

export const MONEY: readonly Row[] = [
  [
    'a correction that the player cannot pay is answered 200, and not made',
    'L-2',
    5,
    inFront({ answer: ({ code }, answer, said) => (code === SHORT ? done(said) : answer) }),
  ],
  [
    'every Unsettle is refused for want of money',
    'L-2',
    2,
    inFront({ instead: ({ kind }) => (kind === 'unsettle' ? REFUSED : undefined) }),
  ],
  [
    'a bet with a bonus is debited from its player',
    'M-4',
    1,
    inFront({ call: ({ kind }, said) => (kind === 'place' && isBonus(said) ? { ...said, bonusId: null } : said) }),
  ],
  [
    'promotions pay for a bonusId of 0 and below',
    'D-1',
    1,
    inFront({
      call: ({ kind }, said) =>
        kind === 'place' && typeof said.bonusId === 'number' && !isBonus(said) ? { ...said, bonusId: 7 } : said,
    }),
  ],
  [
    'every bet with a bonus fails inside',
    'R-4',
    1,
    inFront({ instead: ({ kind }, said) => (kind === 'place' && isBonus(said) ? FAILED : undefined) }),
  ],
  [
    'tokens live on when the currency is switched',
    'P-1',
    1,
    below(
      'wallet',
      altered('read_sessions', (row) => ({ ...row, ended_at: null })),
    ),
  ],
]
