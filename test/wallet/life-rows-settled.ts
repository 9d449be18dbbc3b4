// Life table, third row: a bet of 100.00 that was settled as won with 250.00.
import { cashout, liveCashout, noToken, type Row, settledAs } from './life-row.ts'
import { expiredToken, locked, outOfDateToken, spentAll, unknownToken, withToken } from './moments.ts'

const given = 'settled'
const repeated = { answers: 200, leaves: given, timeOf: 'settle' } as const

const place: Row[] = [
  { given, arrives: 'place', as: 'again, byte for byte', again: true, answers: 200, leaves: given, timeOf: 'place' },
  { given, arrives: 'place', as: 'again under a new requestId', answers: 200, leaves: given, timeOf: 'place' },
  {
    given,
    arrives: 'place',
    as: 'again, expired token (I-5)',
    with: expiredToken,
    answers: 200,
    leaves: given,
    timeOf: 'place',
  },
  { given, arrives: 'place', as: 'with another amount', with: { amount: 250 }, answers: 8, leaves: given },
  { given, arrives: 'place', as: 'with another currency', with: { currency: 'USD' }, answers: 8, leaves: given },
]

const repeats: Row[] = [
  { given, arrives: 'settle', as: 'again, byte for byte', again: true, ...repeated },
  { given, arrives: 'settle', as: 'again under a new requestId', ...repeated },
  { given, arrives: 'settle', as: 'again with a token that never existed', with: unknownToken, ...repeated },
  { given, arrives: 'settle', as: 'again, the money being spent (K15)', meanwhile: spentAll, ...repeated },
  { given, arrives: 'settle', as: 'again, the bet being locked (L-3)', meanwhile: locked, ...repeated },
  {
    given,
    by: settledAs({ resultType: 'lost', amount: 0 }),
    arrives: 'settle',
    as: 'as lost again',
    again: true,
    ...repeated,
  },
  { given, by: settledAs(liveCashout), arrives: 'settle', as: 'as cashout again', again: true, ...repeated },
  {
    given,
    by: settledAs(liveCashout),
    arrives: 'settle',
    as: 'as cashout again with an expired token (I-5)',
    with: withToken(expiredToken, cashout),
    ...repeated,
  },
]

const changed = { answers: 200, leaves: given } as const

const resettle: Row[] = [
  { given, arrives: 'settle', as: 'with more', with: { amount: 400 }, ...changed, moves: '+150.00' },
  { given, arrives: 'settle', as: 'with less', with: { amount: 50 }, ...changed, moves: '-200.00' },
  { given, arrives: 'settle', as: 'as lost', with: { resultType: 'lost', amount: 0 }, ...changed, moves: '-250.00' },
  {
    given,
    arrives: 'settle',
    as: 'as refund',
    with: { resultType: 'refund', amount: 100 },
    ...changed,
    moves: '-150.00',
  },
  { given, arrives: 'settle', as: 'as cashout with a live token', with: liveCashout, ...changed, moves: '-100.00' },
  { given, arrives: 'settle', as: 'as refund of the same amount', with: { resultType: 'refund' }, ...changed },
  {
    given,
    arrives: 'settle',
    as: 'as lost with the same amount (L-6)',
    with: { resultType: 'lost' },
    ...changed,
    anomaly: true,
  },
  {
    given,
    arrives: 'settle',
    as: 'as won with nothing (L-6)',
    with: { amount: 0 },
    ...changed,
    moves: '-250.00',
    anomaly: true,
  },
  {
    given,
    by: settledAs({ resultType: 'lost', amount: 0 }),
    arrives: 'settle',
    as: 'as won after lost',
    ...changed,
    moves: '+250.00',
  },
  { given, arrives: 'settle', as: 'as cashout without token', with: cashout, answers: 5, leaves: given },
  {
    given,
    arrives: 'settle',
    as: 'as cashout, unknown token',
    with: withToken(unknownToken, cashout),
    answers: 3,
    leaves: given,
  },
  {
    given,
    arrives: 'settle',
    as: 'as cashout, expired token',
    with: withToken(expiredToken, cashout),
    answers: 4,
    leaves: given,
  },
  {
    given,
    arrives: 'settle',
    as: 'as cashout of the same amount, out-of-date token: another type is no repeat',
    with: withToken(outOfDateToken, { resultType: 'cashout' }),
    answers: 4,
    leaves: given,
  },
  {
    given,
    arrives: 'settle',
    as: 'in another currency (I-4)',
    with: { currency: 'USD', amount: 300 },
    answers: 5,
    leaves: given,
  },
  {
    given,
    arrives: 'settle',
    as: 'with more, the bet being locked',
    with: { amount: 400 },
    meanwhile: locked,
    answers: 20,
    leaves: given,
  },
  {
    given,
    arrives: 'settle',
    as: 'with less, the bet being locked',
    with: { amount: 50 },
    meanwhile: locked,
    answers: 20,
    leaves: given,
  },
  {
    given,
    arrives: 'settle',
    as: 'as refund of the same amount, the bet being locked',
    with: { resultType: 'refund' },
    meanwhile: locked,
    answers: 20,
    leaves: given,
  },
]

const broke = { given, meanwhile: spentAll, leaves: given } as const
const lowered = {
  ...broke,
  arrives: 'settle',
  as: 'with less, the money being spent (L-2)',
  with: { amount: 50 },
} as const
const lost = {
  ...broke,
  arrives: 'settle',
  as: 'as lost, the money being spent',
  with: { resultType: 'lost', amount: 0 },
} as const
const takenBack = { given, arrives: 'unsettle', as: 'the money being spent (case 96)', meanwhile: spentAll } as const

const clawedBack: Row[] = [
  { ...lowered, clawback: 'refuse', answers: 21 },
  { ...lowered, clawback: 'allow-negative', answers: 200, moves: '-200.00' },
  { ...lost, clawback: 'refuse', answers: 21 },
  { ...lost, clawback: 'allow-negative', answers: 200, moves: '-250.00' },
  { ...takenBack, clawback: 'refuse', answers: 21, leaves: 'settled' },
  { ...takenBack, clawback: 'allow-negative', answers: 200, moves: '-250.00', leaves: 'open' },
  {
    ...broke,
    arrives: 'settle',
    as: 'with more, the money being spent',
    with: { amount: 400 },
    answers: 200,
    moves: '+150.00',
  },
]

const reverted = { answers: 200, moves: '-250.00', leaves: 'open' } as const

const unsettle: Row[] = [
  { given, arrives: 'unsettle', as: 'after won', ...reverted },
  {
    given,
    arrives: 'unsettle',
    as: 'without amount and currency',
    with: { amount: undefined, currency: undefined },
    ...reverted,
  },
  { given, arrives: 'unsettle', as: 'with another amount than paid (K16)', with: { amount: 17 }, ...reverted },
  { given, arrives: 'unsettle', as: 'with an expired token', with: expiredToken, ...reverted },
  { given, arrives: 'unsettle', as: 'in another currency (I-4)', with: { currency: 'USD' }, answers: 5, leaves: given },
  { given, arrives: 'unsettle', as: 'the bet being locked (L-3)', meanwhile: locked, answers: 20, leaves: given },
  {
    given,
    by: settledAs({ resultType: 'lost', amount: 0 }),
    arrives: 'unsettle',
    as: 'after lost',
    answers: 200,
    leaves: 'open',
  },
  {
    given,
    by: settledAs({ resultType: 'refund', amount: 100 }),
    arrives: 'unsettle',
    as: 'after refund',
    answers: 200,
    moves: '-100.00',
    leaves: 'open',
  },
  {
    given,
    by: settledAs(liveCashout),
    arrives: 'unsettle',
    as: 'after cashout',
    answers: 200,
    moves: '-150.00',
    leaves: 'open',
  },
]

const tooLate = { answers: 8, leaves: given, anomaly: true } as const

const rollback: Row[] = [
  { given, arrives: 'rollback', as: 'after won', ...tooLate },
  { given, by: settledAs({ resultType: 'lost', amount: 0 }), arrives: 'rollback', as: 'after lost', ...tooLate },
  { given, by: settledAs(liveCashout), arrives: 'rollback', as: 'after cashout (K21)', ...tooLate },
  { given, arrives: 'rollback', as: 'with an expired token', with: expiredToken, ...tooLate },
  { given, arrives: 'rollback', as: 'without token', with: noToken, ...tooLate },
  { given, arrives: 'rollback', as: 'with the payout as amount', with: { amount: 250 }, ...tooLate },
]

export const rowsOnSettled: Row[] = [...place, ...repeats, ...resettle, ...clawedBack, ...unsettle, ...rollback]
