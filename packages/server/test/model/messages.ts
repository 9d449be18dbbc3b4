/**
 * Turns a step of a random history into a call for the model, and a call into its message on the
 * wire.
 */
import { randomUUID } from 'node:crypto'
import { type Members, placeMessage, rollbackMessage, settleMessage, unsettleMessage } from '../support/wire.ts'
import type { Call, Common, PlaceCall, ReversalCall, SettleCall } from './call.ts'
import type { AgainStep, CallStep, CurrencyChoice, PlaceStep, ReversalStep, SettleStep, TokenChoice } from './steps.ts'
import { PLAIN_TERMS } from './steps.ts'
import type { BetSlot, Seat, Table } from './table.ts'

type NewStep = Exclude<CallStep, AgainStep>

const UNKNOWN_TOKEN = 'a-token-that-no-wallet-has-ever-given-out'
const UNKNOWN_CURRENCY = 'ZZZ'

export function messageOf(call: Call, behindAggregator: boolean): string {
  return JSON.stringify(membersOf(call, behindAggregator)).replace(/"number (.*?)"/g, '$1')
}

/** A number keeps its text, because JSON.stringify has no -0. */
const number = (written: string | undefined) => written && `number ${written}`

function membersOf(call: Call, behindAggregator: boolean): Members {
  const members = {
    ...{ requestId: call.request, transactionId: call.bet },
    ...namesOf(call, behindAggregator),
    ...moneyOf(call),
  }
  switch (call.kind) {
    case 'place':
      return placeMessage({ ...members, token: call.token, ...termsOf(call) })
    case 'settle':
      return settleMessage({ ...members, resultType: call.resultType, token: call.token })
    case 'unsettle':
      return unsettleMessage(members)
    case 'rollback':
      return rollbackMessage(members)
  }
}

function termsOf({ bonusId, bonusAmount, coefficient, booster }: PlaceCall): Members {
  const odds = { coefficient: number(coefficient), boosterCoefficient: number(booster) }
  const bonus = { bonusId: number(bonusId), bonusTemplateId: 12, bonusAmount: number(bonusAmount) }
  return { ...odds, ...(bonusId !== 'null' && bonus) }
}

/**
 * With an aggregator `userId` is the aggregator's own id; without one `operatorUser` has no meaning
 * (I-1).
 */
function namesOf({ player, viaAggregator }: Call, behindAggregator: boolean): Members {
  if (!viaAggregator) return { userId: player }
  return behindAggregator
    ? { userId: 'an-id-of-the-aggregator', operatorUser: player }
    : { userId: player, operatorUser: 'somebody-else' }
}

function moneyOf({ amount, currency }: Call): Members {
  return { amount: number(amount), currency }
}

export function callFor(table: Table, step: CallStep): Call {
  const slot = table.bets[step.bet]!
  const call = nextCall(table, slot, step)
  slot.sent.push(call)
  table.requests.push(call.request)
  return call
}

/** A bet without an earlier message is placed first, unless the step is early. */
function nextCall(table: Table, slot: BetSlot, step: CallStep): Call {
  if (step.do === 'place') return newCall(table, slot, step)
  if (slot.sent.length === 0 && !(step.do !== 'again' && step.early)) return newCall(table, slot, firstPlace(slot))
  return step.do === 'again' ? again(slot, step) : newCall(table, slot, step)
}

function again({ sent: all, refused }: BetSlot, { of, back, request }: AgainStep): Call {
  const sent = of === 'refused' && refused.length > 0 ? refused : all
  const earlier = sent[sent.length - 1 - (back % sent.length)]!
  return request === 'same' ? earlier : { ...earlier, request: randomUUID() }
}

function firstPlace({ number }: BetSlot): PlaceStep {
  const terms = { ...PLAIN_TERMS, ...(number === 1 && { bonusId: '7001', bonusAmount: '5' }) }
  const sent = { bet: number, early: false, sender: 'owner', viaAggregator: false, request: 'fresh' } as const
  return { do: 'place', ...sent, amount: '10', currency: 'own', token: 'live', ...terms }
}

function newCall(table: Table, slot: BetSlot, step: NewStep): Call {
  const player = { owner: ownerOf(table, slot).id, 'other player': otherThan(table, slot).id, nobody: table.nobody }
  const { viaAggregator } = step
  const common = { player: player[step.sender], viaAggregator, bet: slot.id, request: requestFor(table, slot, step) }
  switch (step.do) {
    case 'place':
      return { ...common, ...placeTerms(table, slot, step) }
    case 'settle':
      return { ...common, ...settleTerms(table, slot, step) }
    default:
      return { ...common, ...reversalTerms(table, slot, step) }
  }
}

function placeTerms(table: Table, slot: BetSlot, step: PlaceStep): Omit<PlaceCall, keyof Common> {
  const token = tokenFor(table, slot, step.token) ?? UNKNOWN_TOKEN
  const own = table.model.sessions.get(token)?.currency ?? ownerOf(table, slot).currency
  const currency = currencyFor(own, step.currency)
  if (step.currency === 'own') slot.currency ??= currency
  const { amount, bonusId, bonusAmount, coefficient, booster } = step
  return { kind: 'place', amount, currency, token, bonusId, bonusAmount, coefficient, booster }
}

function settleTerms(table: Table, slot: BetSlot, step: SettleStep): Omit<SettleCall, keyof Common> {
  const { amount, resultType } = step
  const currency = currencyFor(betCurrency(table, slot), step.currency)
  const token = resultType === 'cashout' ? tokenFor(table, slot, step.token) : undefined
  return { kind: 'settle', amount, resultType, currency, token }
}

function reversalTerms(table: Table, slot: BetSlot, step: ReversalStep): Omit<ReversalCall, keyof Common> {
  if (step.amount === undefined) return { kind: step.do, amount: undefined, currency: undefined }
  return { kind: step.do, amount: step.amount, currency: currencyFor(betCurrency(table, slot), step.currency) }
}

function ownerOf(table: Table, slot: BetSlot): Seat {
  return table.seats[slot.owner]!
}

function otherThan(table: Table, slot: BetSlot): Seat {
  return table.seats[(slot.owner + 1) % table.seats.length]!
}

function betCurrency(table: Table, slot: BetSlot): string {
  return slot.currency ?? ownerOf(table, slot).currency
}

function currencyFor(own: string, choice: CurrencyChoice): string {
  if (choice === 'unknown') return UNKNOWN_CURRENCY
  if (choice === 'own') return own
  return own === 'EUR' ? 'JPY' : 'EUR'
}

function tokenFor(table: Table, slot: BetSlot, choice: TokenChoice): string | undefined {
  switch (choice) {
    case 'live':
      return ownerOf(table, slot).tokens.at(-1)
    case 'first':
      return ownerOf(table, slot).tokens[0]
    case 'other player':
      return otherThan(table, slot).tokens.at(-1)
    case 'unknown':
      return UNKNOWN_TOKEN
    case 'absent':
      return undefined
  }
}

function requestFor(table: Table, slot: BetSlot, step: NewStep): string {
  const used = {
    fresh: undefined,
    'last of this bet': slot.sent.at(-1)?.request,
    'last of any bet': table.requests.at(-1),
  }
  return used[step.request] ?? randomUUID()
}
