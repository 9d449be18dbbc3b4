/**
 * Explains the outcome of a call: the rule in "The life of a bet" (decisions.md) that decided it,
 * with the amounts.
 */

import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { negateDecimal, sumDecimals, toCommonUnits } from '@purser/protocol/values/decimal'
import { moneyText } from './amount-text.ts'
import type { WalletBetDetail, WalletCallView } from './bet-sources.ts'
import { findLifeTableRow, type LifeState, listStatesBefore } from './life-table.ts'
import { REFUSAL_REASONS } from './refusal-reasons.ts'

const { not_enough_money, already_processed, recalculation_blocked, recalculation_negative } = REPLY_CODES

/** `available` is the player's balance when the call arrived, if known. */
export function explainCall({ history, currency }: WalletBetDetail, at: number, available?: string): string {
  const found = history[at]
  if (found === undefined) return ''
  const call = { ...found, currency: found.currency ?? currency ?? '' }
  const known = listStatesBefore(history)[at] ?? 'nothing'
  if (call.outcome === 'refused') return explainRefusal(call, known, findPayoutBefore(history, at), available)
  if (call.outcome === 'repeated') return explainRepeat(call, known)
  return explainApplied(call, known)
}

/** The balance that the rejected call required. Undefined if the balance did not decide. */
export function findNeededBalance(history: readonly WalletCallView[], at: number): string | undefined {
  const call = history[at]
  if (call?.outcome !== 'refused') return undefined
  if (call.code === recalculation_negative.code) return amountToTakeBack(call, findPayoutBefore(history, at))
  const isFirst = call.operation === 'place' && listStatesBefore(history)[at] === 'nothing'
  return isFirst && call.code === not_enough_money.code ? call.amount : undefined
}

/**
 * The index of the Place bet that was declined for good, or -1. An earlier one, rejected for its
 * token, may have had another stake.
 */
export function findRefusedPlace({ status, refusalCode, history }: WalletBetDetail): number {
  if (status !== 'refused') return -1
  return history.findIndex(
    ({ operation, outcome, code }) => operation === 'place' && outcome === 'refused' && code === refusalCode,
  )
}

/** Undefined if no payout was in effect. */
function findPayoutBefore(history: readonly WalletCallView[], at: number): string | undefined {
  const results = history.slice(0, at).filter(({ operation, outcome }) => {
    return outcome === 'applied' && (operation === 'settle' || operation === 'unsettle')
  })
  const last = results.at(-1)
  return last?.operation === 'settle' ? last.amount : undefined
}

function amountToTakeBack({ operation, amount }: WalletCallView, before: string | undefined): string | undefined {
  if (before === undefined) return undefined
  return operation === 'settle' && amount !== undefined ? sumDecimals([before, negateDecimal(amount)]) : before
}

function explainRefusal(
  call: WalletCallView,
  known: LifeState,
  before: string | undefined,
  available: string | undefined,
): string {
  const { operation, code, currency = '' } = call
  const money = (text: string) => moneyText(text, currency)
  if (code === recalculation_negative.code) {
    const needed = amountToTakeBack(call, before)
    if (needed === undefined)
      return `Rejected (code ${code}): the player no longer had the amount to take back. No money moved.`
    const there = isLess(available, needed) ? `only ${money(available)} was available` : 'less was available'
    return `Rejected (code ${code}): ${money(needed)} had to be taken back, but ${there}. No money moved.`
  }
  if (code === recalculation_blocked.code)
    return known === 'cancelled'
      ? `Rejected (code ${code}): the bet was cancelled before. No money moved.`
      : `Rejected (code ${code}): the result is final. No money moved.`
  if (operation === 'place') return explainPlaceRefusal(call, known, available)
  if (operation === 'rollback' && known === 'settled')
    return `Rejected (code ${code}): the bet has a result, so it was not rolled back. No money moved.`
  if (known === 'nothing' || known === 'refused')
    return `${findLifeTableRow(known, operation).explanation} Rejected (code ${code}).`
  return `Rejected with code ${code}${codeMessage(code)}. No money moved.`
}

function explainPlaceRefusal(
  { code, amount, currency = '' }: WalletCallView,
  known: LifeState,
  available: string | undefined,
): string {
  if (known === 'refused') return `Declined again (code ${code}): the bet was declined before. No money was taken.`
  if (code === not_enough_money.code && amount !== undefined) {
    const there = isLess(available, amount)
      ? `only ${moneyText(available, currency)} was available`
      : 'less was available'
    return `Declined (code ${code}): the stake was ${moneyText(amount, currency)}, but ${there}. No money was taken.`
  }
  if (code === already_processed.code)
    return known === 'cancelled'
      ? `Declined (code ${code}): the bet was cancelled before this call arrived. No money was taken.`
      : `Declined (code ${code}): another bet has the same ID. No money was taken.`
  const why = REFUSAL_REASONS.get(code ?? 0)
  if (why !== undefined) return `Declined (code ${code}), because ${why}. No money was taken.`
  return `Declined with code ${code}${codeMessage(code)}. No money was taken.`
}

function codeMessage(code: number | undefined): string {
  const known = Object.values(REPLY_CODES).find((one) => one.code === code)
  return known === undefined ? '' : ` (${known.message})`
}

export function isLess(available: string | undefined, needed: string): available is string {
  if (available === undefined) return false
  const [one = 0n, other = 0n] = toCommonUnits([available, needed])
  return one < other
}

function explainRepeat({ operation }: WalletCallView, known: LifeState): string {
  if (operation === 'place') return 'The call repeats the bet: the response is the same, and no money was taken.'
  if (operation === 'settle') return 'The call repeats the result: the response is the same, and no money moved.'
  return findLifeTableRow(known, operation).explanation
}

function explainApplied({ operation, transfers, currency = '', amount }: WalletCallView, known: LifeState): string {
  const moved = (kind: string) => transfers.find((one) => one.kind === kind)?.amount.replace('-', '')
  if (operation === 'place')
    return `The bet was new and valid: the stake of ${moneyText(amount ?? '', currency)} was taken once.`
  if (operation === 'settle' && known === 'settled') {
    const [back, paid] = [moved('payout_reversal'), moved('payout')]
    if (back === undefined && paid === undefined) return 'Another result of the same amount: no money moved.'
    const isLost = paid === undefined ? 'and nothing paid' : `and ${moneyText(paid, currency)} paid`
    return back === undefined
      ? `Another result: ${moneyText(paid ?? '', currency)} was paid; nothing had to be taken back.`
      : `Another result: ${moneyText(back, currency)} was taken back, ${isLost}, in one step.`
  }
  return findLifeTableRow(known, operation).explanation
}
