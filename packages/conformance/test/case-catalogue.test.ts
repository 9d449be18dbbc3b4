/**
 * Every row of the case catalogue has a case of the kit, or a reason for having no case. Every case
 * is complete and has a unique id.
 */
import { expect, test } from 'vitest'
import { CASE_CATALOGUE, UNOBSERVABLE_ROWS } from '../src/wallet/case/case-catalogue.ts'
import type { CaseStep, WalletCase } from '../src/wallet/case/wallet-case.ts'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'

const covered = new Set(WALLET_CASES.flatMap(({ covers }) => covers))

test('every row of the case catalogue has a case or a reason for none', () => {
  const missing = CASE_CATALOGUE.filter((row) => !covered.has(row) && UNOBSERVABLE_ROWS[row] === undefined)
  expect(missing).toEqual([])
})

test('every row that a case names exists, and a row with a reason has no case', () => {
  expect([...covered, ...Object.keys(UNOBSERVABLE_ROWS)].filter((row) => !CASE_CATALOGUE.includes(row))).toEqual([])
  expect(Object.keys(UNOBSERVABLE_ROWS).filter((row) => covered.has(row))).toEqual([])
})

test('case ids are unique, and ordered within their group', () => {
  const ids = WALLET_CASES.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z]+-\d{2}$/.test(id))).toEqual([])
  const groups = [...new Set(ids.map((id) => id.slice(0, -3)))]
  expect(ids).toEqual(groups.flatMap((group) => ids.filter((id) => id.slice(0, -3) === group).sort()))
})

test('every case has a sentence of its own', () => {
  const texts = (member: (one: WalletCase) => string) => WALLET_CASES.map(member)
  expect(new Set(texts(({ sentence }) => sentence)).size).toBe(WALLET_CASES.length)
  expect(
    WALLET_CASES.filter(({ loses, clause, covers }) => loses === '' || clause === '' || covers.length === 0),
  ).toEqual([])
})

function allSteps(steps: readonly CaseStep[]): CaseStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'rounds') return [step, ...allSteps(step.steps)]
    return step.kind === 'together' ? [step, ...step.calls] : [step]
  })
}

const endsSessions = (steps: readonly CaseStep[]) =>
  steps.some((step) => step.kind === 'act' && step.act === 'end sessions')

test('a case declares the players and operations that it uses', () => {
  const wrong = WALLET_CASES.flatMap((one) => {
    if (!('steps' in one)) return []
    const { id, needs = [], player } = one
    const uses = allSteps(one.steps).flatMap((step): string[] => {
      if (step.kind === 'act') return ['operator', ...(step.who === 'B' ? ['B'] : [])]
      if (step.kind !== 'call') return []
      const { who, token, currency, operation } = step
      return [
        ...(who === 'B' || token === 'of B' ? ['B'] : []),
        ...(token === 'dead' && !endsSessions(one.steps) ? ['dead token'] : []),
        ...(currency === 'second' && player !== 'switched' ? ['second currency'] : []),
        ...(operation === 'balance' ? ['/user/balance'] : []),
        ...(operation === 'check' ? ['/payment/check'] : []),
      ]
    })
    const given: readonly string[] = needs
    return [...new Set(uses)].filter((use) => !given.includes(use)).map((use) => `${id} uses ${use}`)
  })
  expect(wrong).toEqual([])
})
