/**
 * The verdict of a failed case names the wrong call, its answer, the expected answer, and the
 * clause of the interface.
 */
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../src/http-exchange.ts'
import { findMatches, findPossibleBooks, type JudgedCall } from '../src/wallet/case/answer-match.ts'
import { allowAnyFailure, placeStep, rollbackStep, settleStep } from '../src/wallet/case/step-builders.ts'
import type { CallStep } from '../src/wallet/case/wallet-case.ts'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'
import { type AnswerMeaning, interpretAnswer } from '../src/wallet/play/answer-meaning.ts'
import { addClause, findWrongCount, reportNoMatch } from '../src/wallet/play/case-finding.ts'
import { failing, judgeTestWallet } from './mutants/judged.ts'
import type { MutantId } from './mutants/mutants.ts'
import { misnamed } from './mutants/named-mutants.ts'

describe('the finding of a case over HTTP', () => {
  test.concurrent.each<[MutantId, string, string]>([
    [
      'rollback-repeat-refunds',
      'rollback-02',
      'Rollback X 100: accepted, and then the balance is 1100.00 EUR; it had to be 1000.00 EUR. ' +
        'Rollback, never twice: "A bet is never refunded twice."',
    ],
    [
      'funds-unchecked',
      'place-03',
      'Place bet X 1000.01: accepted; it had to be refused with 7 (Not enough money). Place bet, insufficient funds: ' +
        '"Insufficient funds: HTTP 400, body code 7, message \'Not enough money\'."',
    ],
    [
      'rollback-limits-refused',
      'rollback-11',
      'Rollback X110 10, errorCode: 110: refused with code 5; it had to be accepted or be refused with 8 ' +
        '(The bet has already been processed), as no result of the bet is in force. Rollback, partner action 4: ' +
        '"If found, cancel it and refund the amount to the user."',
    ],
  ])('reports %s in %s with the call that failed', async (fault, id, why) => {
    const report = await judgeTestWallet(
      fault,
      WALLET_CASES.filter((one) => one.id === id),
    )
    expect(report.results.map(({ verdict }) => verdict)).toEqual([expect.objectContaining({ kind: 'failed', why })])
    expect(misnamed(fault, report, failing(report))).toEqual([])
  })
})

describe('the finding of concurrent calls', () => {
  const ACCEPTED = { status: 200, body: '{"transactionId":"x"}' }
  const REFUSED = { status: 400, body: '{"code":5,"message":""}' }
  const START = { balances: new Map([['A/first', 1000n]]), bets: new Map() }

  function judged(name: string, call: CallStep, { status, body }: typeof ACCEPTED): JudgedCall {
    const answered = { kind: 'some', status, contentType: 'application/json', body } as const
    const request = { method: 'PUT', url: '', headers: {}, body: '' }
    const exchange: Exchange = { what: name, request, answer: answered, startedAt: new Date(0), durationMs: 1 }
    const answer: AnswerMeaning = interpretAnswer(exchange)
    return { call, name, answer, exchange, amount: 100n, matches: findMatches(call, answer) }
  }

  test('names the call whose answer is wrong, and not the first call', () => {
    const ifUnplaced = allowAnyFailure().map((one) => ({ ...one, only: 'unplaced' }) as const)
    const calls = [
      judged('Place bet X 100', placeStep(), ACCEPTED),
      judged('Settle X won 200', settleStep('won', '200', {}, [{ ...placed }, ...ifUnplaced]), REFUSED),
    ]
    const possible = findPossibleBooks(START, calls)
    expect(possible.kind === 'none' && reportNoMatch(possible)).toEqual({
      why: 'Settle X won 200: refused with code 5; it had to be accepted, as the stake of the bet is debited',
      ...{ blamed: calls[1]?.exchange, operation: 'settle' },
    })
  })
  const placed = { kind: 'accepted', effect: 'pay', body: [], only: 'placed' } as const

  test('names the calls that are accepted above the limit', () => {
    const calls = ['X', 'Y'].map((bet) => judged(`Place bet ${bet} 800`, placeStep({ bet }), ACCEPTED))
    expect(findWrongCount(calls, { min: 0, max: 1 })?.why).toBe(
      'Place bet X 800 + Place bet Y 800: accepted, 2 of 2 calls at once; at most 1 may be accepted',
    )
  })

  test('names the refused calls when too few are accepted', () => {
    const calls = [judged('Rollback X 100', rollbackStep(), ACCEPTED), judged('Place bet Y 10', placeStep(), REFUSED)]
    expect(findWrongCount(calls, { min: 2, max: 2 })?.why).toBe(
      'Place bet Y 10: refused with code 5; of 2 calls at once 2 must be accepted',
    )
  })
})

test('a case that rests on a decision gives the sentence of the decision as its reason', () => {
  const sentence = 'the repeat of a bet is answered with the time of the first'
  expect(addClause({ why: 'seen' }, { clause: 'R-2', sentence }).why).toBe(`seen. R-2: ${sentence}`)
})
