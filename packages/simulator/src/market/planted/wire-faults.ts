/** Faults to plant in a wallet's answers to callers. */
import { REPLY_CODES, replyCode } from '@purser/protocol/reply-codes'
import { environment } from '@purser/runtime/environment'
import { addOne, changeReply, toAcknowledgement, toOtherId } from '../faults/fault-planting.ts'
import type { NetworkAnswer } from '../network/simulated-network.ts'
import { parseCents } from '../oracle/market-money.ts'
import { answerInFront, type PlantedFaultRow, plantInFront } from './planted-fault.ts'

const NO_MONEY = replyCode('not_enough_money')
const PROCESSED = replyCode('already_processed')
const BLOCKED = replyCode('recalculation_blocked')

const REFUSED: NetworkAnswer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.not_enough_money)) }
const FAILED: NetworkAnswer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.system_error)) }

export const WIRE_FAULTS: readonly PlantedFaultRow[] = [
  [
    'a result that a lock refuses is answered 200',
    'L-3',
    3,
    answerInFront({
      answer: ({ kind, code }, answer, message) =>
        kind !== 'place' && code === BLOCKED ? toAcknowledgement(message) : answer,
    }),
  ],
  [
    'a rollback of an unknown bet leaves no tombstone',
    'the bet’s life',
    1,
    answerInFront({
      instead: ({ kind, isKnown }, message) =>
        kind === 'rollback' && !isKnown ? toAcknowledgement(message) : undefined,
    }),
  ],
  [
    'a repeated Place bet is another bet',
    'I-1',
    1,
    answerInFront({
      call: ({ kind, isRepeat }, message) =>
        kind === 'place' && isRepeat ? { ...message, transactionId: toOtherId(`${message.transactionId}`) } : message,
    }),
  ],
  [
    'a payout is one too high',
    'M-2',
    1,
    answerInFront({
      call: ({ kind }, message) =>
        kind === 'settle' && message.amount !== 0 ? { ...message, amount: addOne(`${message.amount}`) } : message,
    }),
  ],
  [
    'a repeat gets a new time',
    'R-2',
    1,
    answerInFront({
      answer: ({ isRepeat, code }, answer, message) => (isRepeat && code === 200 ? toAcknowledgement(message) : answer),
    }),
  ],
  [
    'a Place bet is answered 200 before its decision',
    'R-4',
    1,
    answerInFront({ early: ({ kind }, message) => (kind === 'place' ? toAcknowledgement(message) : undefined) }),
  ],
  [
    'an unsettle is answered 200 and not applied',
    'the bet’s life',
    4,
    answerInFront({ instead: ({ kind }, message) => (kind === 'unsettle' ? toAcknowledgement(message) : undefined) }),
  ],
  [
    'a rollback of an open bet is answered 200 and not applied',
    'the bet’s life',
    1,
    answerInFront({
      instead: ({ kind, isKnown }, message) =>
        kind === 'rollback' && isKnown ? toAcknowledgement(message) : undefined,
    }),
  ],
  [
    'a refused Place bet is decided again',
    'I-3',
    10,
    answerInFront({
      answer: ({ kind, code, isRepeat }, answer, message) =>
        kind === 'place' && code === NO_MONEY && isRepeat ? toAcknowledgement(message) : answer,
    }),
  ],
  [
    'a bet above 20 is refused for lack of money',
    'R-6',
    1,
    answerInFront({
      instead: ({ kind }, message) =>
        kind === 'place' && parseCents(`${message.amount}`) > 2_000n ? REFUSED : undefined,
    }),
  ],
  [
    'every bet is refused for lack of money',
    'R-6',
    1,
    answerInFront({ instead: ({ kind }) => (kind === 'place' ? REFUSED : undefined) }),
  ],
  [
    'every Place bet fails in the wallet, so every bet is declined',
    'R-4',
    1,
    answerInFront({ instead: ({ kind }) => (kind === 'place' ? FAILED : undefined) }),
  ],
  [
    'User data contains values that no operator has stored',
    'P-2',
    1,
    plantInFront(
      'wallet',
      changeReply('profile', (members) => ({ ...members, isTest: false })),
    ),
  ],
  [
    'Balance always answers 0',
    'P-3',
    1,
    plantInFront(
      'wallet',
      changeReply('balance', (members) => ({ ...members, amount: 0 })),
    ),
  ],
  [
    'Check of a settled bet answers its stake',
    'P-4',
    3,
    plantInFront(
      'wallet',
      changeReply('check', (members) => (members.type === 2 ? { ...members, amount: 1 } : members)),
    ),
  ],
  [
    'Check answers the time of the request',
    'P-4',
    1,
    plantInFront(
      'wallet',
      changeReply('check', (members) => ({ ...members, transactionTime: new Date(environment.now()).toISOString() })),
    ),
  ],
  [
    'a Place bet of a cancelled bet is accepted',
    'the bet’s life',
    1,
    answerInFront({
      answer: ({ kind, code }, answer, message) =>
        kind === 'place' && code === PROCESSED ? toAcknowledgement(message) : answer,
    }),
  ],
]
