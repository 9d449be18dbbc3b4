/** Faults of a wallet as its callers see it. */
import { REPLY_CODES, replyCode } from '../../../protocol/codes.ts'
import { world } from '../../../runtime/world.ts'
import { centsOf } from '../cents.ts'
import type { Answer } from '../network.ts'
import { done, oneMore, reworded, telling } from '../planting.ts'
import { before, inFront, type Row } from './row.ts'

const NO_MONEY = replyCode('not_enough_money')
const PROCESSED = replyCode('already_processed')
const BLOCKED = replyCode('recalculation_blocked')

const REFUSED: Answer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.not_enough_money)) }
const FAILED: Answer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.system_error)) }

export const WIRE: readonly Row[] = [
  [
    'a result that a lock refuses is answered 200',
    'L-3',
    3,
    inFront({ answer: ({ kind, code }, answer, said) => (kind !== 'place' && code === BLOCKED ? done(said) : answer) }),
  ],
  [
    'a rollback of an unknown bet leaves no tombstone',
    'the bet’s life',
    1,
    inFront({ instead: ({ kind, isKnown }, said) => (kind === 'rollback' && !isKnown ? done(said) : undefined) }),
  ],
  [
    'a Place bet that comes again is another bet',
    'I-1',
    1,
    inFront({
      call: ({ kind, isRepeat }, said) =>
        kind === 'place' && isRepeat ? { ...said, transactionId: reworded(`${said.transactionId}`) } : said,
    }),
  ],
  [
    'a payout is one too high',
    'M-2',
    1,
    inFront({
      call: ({ kind }, said) =>
        kind === 'settle' && said.amount !== 0 ? { ...said, amount: oneMore(`${said.amount}`) } : said,
    }),
  ],
  [
    'a repeat has the time of the repeat',
    'R-2',
    1,
    inFront({ answer: ({ isRepeat, code }, answer, said) => (isRepeat && code === 200 ? done(said) : answer) }),
  ],
  [
    'a Place bet is answered 200 before it is judged',
    'R-4',
    1,
    inFront({ early: ({ kind }, said) => (kind === 'place' ? done(said) : undefined) }),
  ],
  [
    'an unsettle is answered 200 and not done',
    'the bet’s life',
    4,
    inFront({ instead: ({ kind }, said) => (kind === 'unsettle' ? done(said) : undefined) }),
  ],
  [
    'a rollback of an open bet is answered 200 and not done',
    'the bet’s life',
    1,
    inFront({ instead: ({ kind, isKnown }, said) => (kind === 'rollback' && isKnown ? done(said) : undefined) }),
  ],
  [
    'a refused Place bet is judged anew',
    'I-3',
    10,
    inFront({
      answer: ({ kind, code, isRepeat }, answer, said) =>
        kind === 'place' && code === NO_MONEY && isRepeat ? done(said) : answer,
    }),
  ],
  [
    'a bet above 20 is refused for want of money',
    'R-6',
    1,
    inFront({
      instead: ({ kind }, said) => (kind === 'place' && centsOf(`${said.amount}`) > 2_000n ? REFUSED : undefined),
    }),
  ],
  [
    'every bet is refused for want of money',
    'R-6',
    1,
    inFront({ instead: ({ kind }) => (kind === 'place' ? REFUSED : undefined) }),
  ],
  [
    'every Place bet fails inside, and every bet is declined',
    'R-4',
    1,
    inFront({ instead: ({ kind }) => (kind === 'place' ? FAILED : undefined) }),
  ],
  [
    'User data tells what no operator has stored',
    'P-2',
    1,
    before(
      'wallet',
      telling('profile', (members) => ({ ...members, isTest: false })),
    ),
  ],
  [
    'Balance tells that there is nothing',
    'P-3',
    1,
    before(
      'wallet',
      telling('balance', (members) => ({ ...members, amount: 0 })),
    ),
  ],
  [
    'Check of a settled bet tells its stake',
    'P-4',
    3,
    before(
      'wallet',
      telling('check', (members) => (members.type === 2 ? { ...members, amount: 1 } : members)),
    ),
  ],
  [
    'Check tells the time of the question',
    'P-4',
    1,
    before(
      'wallet',
      telling('check', (members) => ({ ...members, transactionTime: new Date(world.wall()).toISOString() })),
    ),
  ],
  [
    'a Place bet of a cancelled bet is accepted',
    'the bet’s life',
    1,
    inFront({
      answer: ({ kind, code }, answer, said) => (kind === 'place' && code === PROCESSED ? done(said) : answer),
    }),
  ],
]
