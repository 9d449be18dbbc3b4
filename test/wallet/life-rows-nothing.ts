// Life table, first row: a bet id the wallet has never seen.
import { cashout, liveCashout, noToken, type Row } from './life-row.ts'
import {
  blocked,
  expiredToken,
  foreignToken,
  outOfDateToken,
  selfExcluded,
  testPlayer,
  underAge,
  unknownToken,
  unverified,
  withToken,
} from './moments.ts'

const given = 'nothing'

const place: Row[] = [
  { given, arrives: 'place', as: 'for a part of the balance', answers: 200, moves: '-100.00', leaves: 'open' },
  {
    given,
    arrives: 'place',
    as: 'for the whole balance',
    with: { amount: 1000 },
    answers: 200,
    moves: '-1000.00',
    leaves: 'open',
  },
  {
    given,
    arrives: 'place',
    as: 'for a cent more than the balance',
    with: { amount: 1000.01 },
    answers: 7,
    leaves: 'refused',
  },
  { given, arrives: 'place', as: 'with a token that never existed', with: unknownToken, answers: 3, leaves: given },
  { given, arrives: 'place', as: "with another player's token", with: foreignToken, answers: 3, leaves: given },
  { given, arrives: 'place', as: 'with an expired token', with: expiredToken, answers: 4, leaves: given },
  { given, arrives: 'place', as: 'with an out-of-date token', with: outOfDateToken, answers: 4, leaves: given },
  {
    given,
    arrives: 'place',
    as: 'in another currency than its token',
    with: { currency: 'USD' },
    answers: 5,
    leaves: given,
  },
  { given, arrives: 'place', as: 'in a currency nobody knows', with: { currency: 'QQQ' }, answers: 5, leaves: given },
  { given, arrives: 'place', as: 'by a blocked player', meanwhile: blocked, answers: 9, leaves: 'refused' },
  { given, arrives: 'place', as: 'by a self-excluded player', meanwhile: selfExcluded, answers: 14, leaves: 'refused' },
  { given, arrives: 'place', as: 'by an unverified player', meanwhile: unverified, answers: 15, leaves: 'refused' },
  { given, arrives: 'place', as: 'by a player under age', meanwhile: underAge, answers: 16, leaves: 'refused' },
  {
    given,
    arrives: 'place',
    as: 'by a test player',
    meanwhile: testPlayer,
    answers: 200,
    moves: '-100.00',
    leaves: 'open',
  },
  { given, arrives: 'place', as: 'of nothing (M-3)', with: { amount: 0 }, answers: 5, leaves: given },
  {
    given,
    arrives: 'place',
    as: 'of nothing, as a freebet (M-3)',
    with: { amount: 0, bonusId: 7 },
    answers: 200,
    leaves: 'open',
  },
  {
    given,
    arrives: 'place',
    as: 'with more decimals than EUR has',
    with: { amount: 10.001 },
    answers: 5,
    leaves: given,
  },
]

const settle: Row[] = [
  { given, arrives: 'settle', as: 'as won', answers: 5, leaves: given },
  { given, arrives: 'settle', as: 'as lost', with: { resultType: 'lost', amount: 0 }, answers: 5, leaves: given },
  { given, arrives: 'settle', as: 'as refund', with: { resultType: 'refund', amount: 100 }, answers: 5, leaves: given },
  { given, arrives: 'settle', as: 'as cashout with a live token', with: liveCashout, answers: 5, leaves: given },
  {
    given,
    arrives: 'settle',
    as: 'as cashout with a token that never existed: the bet is looked at first (R-6)',
    with: withToken(unknownToken, cashout),
    answers: 5,
    leaves: given,
  },
]

const unsettle: Row[] = [
  { given, arrives: 'unsettle', as: 'plainly', answers: 5, leaves: given },
  { given, arrives: 'unsettle', as: 'without amount', with: { amount: undefined }, answers: 5, leaves: given },
]

const rollback: Row[] = [
  { given, arrives: 'rollback', as: 'before its bet', answers: 200, leaves: 'cancelled' },
  { given, arrives: 'rollback', as: 'without token', with: noToken, answers: 200, leaves: 'cancelled' },
  { given, arrives: 'rollback', as: 'with an expired token', with: expiredToken, answers: 200, leaves: 'cancelled' },
  {
    given,
    arrives: 'rollback',
    as: "with another player's token",
    with: foreignToken,
    answers: 200,
    leaves: 'cancelled',
  },
  {
    given,
    arrives: 'rollback',
    as: 'with an amount of its own',
    with: { amount: 500 },
    answers: 200,
    leaves: 'cancelled',
  },
  { given, arrives: 'rollback', as: 'without amount', with: { amount: undefined }, answers: 200, leaves: 'cancelled' },
  {
    given,
    arrives: 'rollback',
    as: 'in another currency',
    with: { currency: 'USD' },
    answers: 200,
    leaves: 'cancelled',
  },
]

export const rowsOnNothing: Row[] = [...place, ...settle, ...unsettle, ...rollback]
