// Life table, last two rows: a bet that was cancelled, and one whose Place bet was refused for good (I-3).
import { cashout, noToken, type Row, tombstone, unsettledThenCancelled } from './life-row.ts'
import { blocked, expiredToken, richer, unknownToken, withToken } from './moments.ts'

const dead = { given: 'cancelled', leaves: 'cancelled' } as const
const ended = { ...dead, answers: 200, timeOf: 'rollback' } as const

const onCancelled: Row[] = [
  { ...dead, arrives: 'place', as: 'again, byte for byte', again: true, answers: 8 },
  { ...dead, arrives: 'place', as: 'again under a new requestId', answers: 8 },
  { ...dead, arrives: 'place', as: 'with another amount', with: { amount: 1 }, answers: 8 },
  {
    ...dead,
    arrives: 'place',
    as: 'with an expired token: the bet is looked at first (R-6)',
    with: expiredToken,
    answers: 8,
  },
  { ...dead, arrives: 'place', as: 'by a blocked player', meanwhile: blocked, answers: 8 },
  { ...dead, by: tombstone, arrives: 'place', as: 'after its own rollback (K19)', answers: 8 },
  {
    ...dead,
    by: tombstone,
    arrives: 'place',
    as: 'after its own rollback, unknown token',
    with: unknownToken,
    answers: 8,
  },
  { ...dead, arrives: 'settle', as: 'as won', answers: 20 },
  { ...dead, arrives: 'settle', as: 'as lost', with: { resultType: 'lost', amount: 0 }, answers: 20 },
  { ...dead, arrives: 'settle', as: 'as refund', with: { resultType: 'refund', amount: 100 }, answers: 20 },
  {
    ...dead,
    arrives: 'settle',
    as: 'as cashout, unknown token (R-6)',
    with: withToken(unknownToken, cashout),
    answers: 20,
  },
  { ...dead, by: tombstone, arrives: 'settle', as: 'after a rollback without a bet', answers: 20 },
  { ...dead, by: unsettledThenCancelled, arrives: 'settle', as: 'after unsettle and rollback', answers: 20 },
  { ...dead, arrives: 'unsettle', as: 'plainly', answers: 20 },
  { ...dead, by: tombstone, arrives: 'unsettle', as: 'after a rollback without a bet', answers: 20 },
  { ...dead, by: unsettledThenCancelled, arrives: 'unsettle', as: 'after unsettle and rollback', answers: 20 },
  { ...ended, arrives: 'rollback', as: 'again, byte for byte', again: true },
  { ...ended, arrives: 'rollback', as: 'again under a new requestId' },
  { ...ended, arrives: 'rollback', as: 'for another reason', with: { errorCode: 8 } },
  { ...ended, arrives: 'rollback', as: 'with another amount', with: { amount: 500 } },
  { ...ended, arrives: 'rollback', as: 'with an expired token', with: expiredToken },
  { ...ended, arrives: 'rollback', as: 'without token', with: noToken },
  { ...ended, by: tombstone, arrives: 'rollback', as: 'without a bet, again', again: true },
  { ...ended, by: tombstone, arrives: 'rollback', as: 'without a bet, under a new requestId' },
  { ...ended, by: unsettledThenCancelled, arrives: 'rollback', as: 'after unsettle and rollback' },
]

const barred = { given: 'refused', leaves: 'refused' } as const
const refusal = { ...barred, arrives: 'place', answers: 7, with: { amount: 5000 } } as const

const onRefused: Row[] = [
  { ...barred, arrives: 'place', as: 'again, byte for byte', again: true, answers: 7 },
  { ...refusal, as: 'again under a new requestId' },
  { ...refusal, as: 'again, there being enough money by now (I-3)', meanwhile: richer },
  { ...refusal, as: 'with an amount that the balance covers', with: { amount: 100 } },
  { ...refusal, as: 'again with an expired token (R-6)', with: withToken(expiredToken, { amount: 5000 }) },
  { ...refusal, as: 'again with a token that never existed (R-6)', with: withToken(unknownToken, { amount: 5000 }) },
  { ...refusal, as: 'again, the player being blocked by now', meanwhile: blocked },
  { ...barred, arrives: 'settle', as: 'as won', answers: 5 },
  { ...barred, arrives: 'settle', as: 'as refund', with: { resultType: 'refund', amount: 5000 }, answers: 5 },
  { ...barred, arrives: 'settle', as: 'as cashout, unknown token', with: withToken(unknownToken, cashout), answers: 5 },
  { ...barred, arrives: 'unsettle', as: 'plainly', answers: 5 },
  { ...barred, arrives: 'rollback', as: 'plainly (case 61)', answers: 200 },
  { ...barred, arrives: 'rollback', as: 'with the amount that was refused', with: { amount: 5000 }, answers: 200 },
  { ...barred, arrives: 'rollback', as: 'without token', with: noToken, answers: 200 },
  { ...barred, arrives: 'rollback', as: 'there being enough money by now', meanwhile: richer, answers: 200 },
]

export const rowsOnEnded: Row[] = [...onCancelled, ...onRefused]
