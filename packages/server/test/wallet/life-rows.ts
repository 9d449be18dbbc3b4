// Cases of the life table outside the grid: single amounts, members and reasons.
import { type Row, settledAs } from './life-row.ts'
import { blocked, expiredToken, outOfDateToken, richer, unknownToken, withToken } from './moments.ts'

const lost = { resultType: 'lost', amount: 0 }
const nothingSaid = { amount: undefined, currency: undefined }

const placeNew = { given: 'nothing', arrives: 'place' } as const

const onNothing: Row[] = [
  {
    ...placeNew,
    ...{ as: 'for the whole balance', with: { amount: 1000 }, answers: 200, moves: '-1000.00', leaves: 'open' },
  },
  { ...placeNew, as: 'for a cent more than the balance', with: { amount: 1000.01 }, answers: 7, leaves: 'refused' },
  { ...placeNew, as: 'in a currency nobody knows', with: { currency: 'QQQ' }, answers: 5 },
  { ...placeNew, as: 'of nothing (M-3)', with: { amount: 0 }, answers: 5 },
  { ...placeNew, as: 'of nothing, as a freebet (M-3)', with: { amount: 0, bonusId: 7 }, answers: 200, leaves: 'open' },
  { ...placeNew, as: 'with more decimals than EUR has', with: { amount: 10.001 }, answers: 5 },
]

const settleFirst = { given: 'open', arrives: 'settle' } as const
const paid = { ...settleFirst, answers: 200, leaves: 'settled' } as const
const refunded = { given: 'open', arrives: 'rollback', answers: 200, moves: '+100.00', leaves: 'cancelled' } as const
const reasons = [8, 9, 10, 32, 50, 52, 110, 111, 112, 113, 114, 115, 31337]

const onOpen: Row[] = [
  { given: 'open', arrives: 'place', as: 'with another info', with: { info: 'x' }, answers: 200, timeOf: 'place' },
  { ...paid, as: 'as refund of the stake', with: { resultType: 'refund', amount: 100 }, moves: '+100.00' },
  { ...paid, as: 'as won with nothing (L-6)', with: { amount: 0 }, anomaly: true },
  {
    ...paid,
    ...{ as: 'as lost with something (L-6)', with: { resultType: 'lost', amount: 50 }, moves: '+50.00', anomaly: true },
  },
  { ...settleFirst, as: 'with more decimals than EUR has', with: { amount: 0.001 }, answers: 5 },
  { ...settleFirst, as: 'with an unknown resultType', with: { resultType: 'win' }, answers: 5 },
  { ...refunded, as: 'with amount 0 (case 60)', with: { amount: 0 } },
  { ...refunded, as: 'without amount and currency', with: nothingSaid },
  ...reasons.map((errorCode): Row => ({ ...refunded, as: `for reason ${errorCode}`, with: { errorCode } })),
]

const resettle = { given: 'settled', arrives: 'settle', answers: 200 } as const
const unsettle = { given: 'settled', arrives: 'unsettle', answers: 200, leaves: 'open' } as const
const tooLate = { given: 'settled', arrives: 'rollback', answers: 8 } as const

const onSettled: Row[] = [
  { ...resettle, by: settledAs(lost), as: 'as lost again', again: true, timeOf: 'settle' },
  { ...resettle, by: settledAs(lost), as: 'as won after lost', moves: '+250.00' },
  { ...resettle, as: 'as refund of the stake', with: { resultType: 'refund', amount: 100 }, moves: '-150.00' },
  { ...resettle, as: 'as lost with the same amount (L-6)', with: { resultType: 'lost' }, anomaly: true },
  { ...resettle, as: 'as won with nothing (L-6)', with: { amount: 0 }, moves: '-250.00', anomaly: true },
  {
    ...resettle,
    as: 'as cashout of the same amount, out-of-date token: another type is no repeat',
    with: withToken(outOfDateToken, { resultType: 'cashout' }),
    answers: 4,
  },
  { ...unsettle, as: 'without amount and currency', with: nothingSaid, moves: '-250.00' },
  { ...unsettle, by: settledAs(lost), as: 'after lost' },
  { ...unsettle, by: settledAs({ resultType: 'refund', amount: 100 }), as: 'after refund', moves: '-100.00' },
  { ...tooLate, by: settledAs(lost), as: 'after lost' },
  { ...tooLate, as: 'with the payout as amount', with: { amount: 250 } },
]

const refusedStake = { amount: 5000 }
const placeRefused = { given: 'refused', arrives: 'place', answers: 7, with: refusedStake } as const

const onEnded: Row[] = [
  {
    ...{ given: 'cancelled', arrives: 'rollback', as: 'for another reason', with: { errorCode: 8 } },
    ...{ answers: 200, timeOf: 'rollback' },
  },
  { ...placeRefused, as: 'for the same stake' },
  { ...placeRefused, as: 'for the same stake, there being enough money by now (I-3)', meanwhile: richer },
  { ...placeRefused, as: 'for the same stake with an expired token', with: withToken(expiredToken, refusedStake) },
  { ...placeRefused, as: 'for the same stake with an unknown token', with: withToken(unknownToken, refusedStake) },
  { ...placeRefused, as: 'for the same stake, the player being blocked by now', meanwhile: blocked },
  { given: 'refused', arrives: 'rollback', as: 'with the refused stake', with: refusedStake, answers: 200 },
]

export const rows: Row[] = [...onNothing, ...onOpen, ...onSettled, ...onEnded]
