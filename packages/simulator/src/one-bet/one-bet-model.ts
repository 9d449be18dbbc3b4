/**
 * One player with one bet in memory, under the wallet's own rules.
 *
 * On Postgres, one function decides a batch of calls; here it gets a batch of one call. States
 * share no data, so a search can return to any state.
 */

import { type Money, money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import type { Account } from 'purser/wallet/ledger/account'
import { openBook } from 'purser/wallet/ledger/book'
import { effectOnPlayer } from 'purser/wallet/ledger/posting'
import type { Transfer } from 'purser/wallet/ledger/transfer'
import type { CallBatch } from 'purser/wallet/queue/call-batch'
import { betKey } from 'purser/wallet/queue/call-batch'
import { applyCall, type BetCallOutcome } from 'purser/wallet/queue/rules-path'
import type { Rules } from 'purser/wallet/rules/decision'
import type { EarlierCall } from 'purser/wallet/rules/replay-detection'
import type { BetCall } from 'purser/wallet/store/bet'
import type { BetRecord } from 'purser/wallet/store/bet-store'
import type { Session, TokenHash } from 'purser/wallet/store/session'
import { type BetCallName, type BetEventName, CALLS } from './one-bet-actions.ts'

const PLAYER = 'player-of-one-bet' as PlayerId
const BET = 'the-only-bet' as BetId
const EUR = 'EUR' as Currency
const TOKEN = 'token' as TokenHash
const KEY = betKey({ player: PLAYER, betId: BET })
/** Minor units: enough for each stake once. */
export const OPENING = money(30n)
/** Step n happens n seconds later. */
const BEGINNING_MS = Date.UTC(2026, 0, 1, 12)
const DAY = '2026-01-01'

export const ONE_BET_RULES: Omit<Rules, 'clawback'> = {
  scales: new Map([['EUR', 2]]),
  freebetStake: 'player',
  resettleWindowMs: null,
  minimumAge: 18,
  sharedBets: false,
}

export interface OneBetState {
  readonly record: BetRecord | undefined
  readonly seen: readonly EarlierCall[]
  readonly account: Account
  /** `live`: valid by the wallet's clock. `isSpent`: ended for good, by any clock (P-1). */
  readonly live: boolean
  readonly isSpent: boolean
  /** The sums of the bet's transfers. */
  readonly moved: { readonly player: bigint; readonly openStakes: bigint }
}

export const NEW_ONE_BET_STATE: OneBetState = {
  record: undefined,
  seen: [],
  account: { player: PLAYER, currency: EUR, balance: OPENING, version: 1n, day: DAY, openingVersion: 0n },
  live: true,
  isSpent: false,
  moved: { player: 0n, openStakes: 0n },
}

const PLAYERS: CallBatch['players'] = new Map([
  [
    PLAYER,
    {
      id: PLAYER,
      status: 'active',
      selfExcludedUntil: null,
      verified: true,
      birthday: null,
      limits: {},
      isMarked: true,
    },
  ],
])
const session: Session = {
  player: PLAYER,
  currency: EUR,
  expiresAt: new Date(BEGINNING_MS + 86_400_000),
  endedAt: null,
}
const LIVE: CallBatch['sessions'] = new Map([[TOKEN, session]])
const EXPIRED: CallBatch['sessions'] = new Map([[TOKEN, { ...session, expiresAt: new Date(BEGINNING_MS) }]])
const ENDED: CallBatch['sessions'] = new Map([[TOKEN, { ...session, endedAt: new Date(BEGINNING_MS) }]])

export function toMomentTime(moment: number): Date {
  return new Date(BEGINNING_MS + moment * 1_000)
}

/** The number of the step. */
export function toMoment(at: Date): number {
  return (at.getTime() - BEGINNING_MS) / 1_000
}

export function toRequestId(request: number): RequestId {
  return `request-${request}` as RequestId
}

export function toBetCall(name: BetCallName, request: number): BetCall {
  const template = CALLS[name]
  const base = { requestId: toRequestId(request), betId: BET, player: PLAYER, platform: '' }
  const amount = template.amount as Money
  switch (template.kind) {
    case 'place':
      return {
        ...base,
        kind: 'place',
        token: TOKEN,
        currency: EUR,
        stake: amount,
        hasBonus: false,
        bonusAmount: null,
        oddsPayout: null,
        site: '',
        details: '{}',
        events: [],
      }
    case 'settle':
      return { ...base, kind: 'settle', currency: EUR, payout: amount, resultType: template.resultType, token: TOKEN }
    case 'unsettle':
      return { ...base, kind: 'unsettle', currency: EUR }
    case 'rollback':
      return { ...base, kind: 'rollback', currency: EUR, reason: 52 }
    default:
      return template satisfies never
  }
}

/** The bytes of a Place bet, sent with PUT (S-5). */
export function placeWithPut(request: number): BetCall {
  const { requestId, betId, player, platform } = toBetCall('place', request)
  return { kind: 'unsettle', requestId, betId, player, platform, currency: EUR, amount: CALLS.place.amount as Money }
}

export interface OneBetAnswer {
  readonly outcome: BetCallOutcome
  readonly state: OneBetState
  /** The transfers of this call. */
  readonly posted: readonly Transfer[]
}

export function answerCall(state: OneBetState, call: BetCall, moment: number, rules: Rules): OneBetAnswer {
  const book = openBook([state.account])
  const batch: CallBatch = {
    bucket: 0,
    now: toMomentTime(moment),
    players: PLAYERS,
    sessions: state.isSpent ? ENDED : state.live ? LIVE : EXPIRED,
    book,
    earlierToday: new Map(),
    stored: new Map(),
    bets: new Map(state.record === undefined ? [] : [[KEY, state.record]]),
    earlierCalls: new Map([[KEY, state.seen]]),
    expired: new Set(),
    calls: [],
    changes: [],
  }
  const outcome = applyCall(batch, call, rules)
  return {
    outcome,
    posted: book.transfers,
    state: {
      record: batch.bets.get(KEY),
      seen: batch.earlierCalls.get(KEY) ?? [],
      account: book.account(PLAYER, EUR) as Account,
      live: state.live,
      isSpent: state.isSpent || batch.expired.size > 0,
      moved: book.transfers.reduce(addTransfer, state.moved),
    },
  }
}

function addTransfer({ player, openStakes }: OneBetState['moved'], transfer: Transfer): OneBetState['moved'] {
  const { debit, credit, amount } = transfer
  const into = credit === 'open_stakes' ? amount : 0n
  const outOf = debit === 'open_stakes' ? amount : 0n
  return { player: player + effectOnPlayer(transfer), openStakes: openStakes + into - outOf }
}

/** `money` takes the whole balance, or restores the opening balance. */
export function applyBetEvent(state: OneBetState, event: BetEventName): OneBetState {
  const { record, account } = state
  switch (event) {
    case 'lock':
      return record === undefined ? state : { ...state, record: { ...record, locked: !record.locked } }
    case 'money':
      return { ...state, account: { ...account, balance: account.balance > 0n ? money(0n) : OPENING } }
    case 'token':
      return { ...state, live: false }
    case 'token back':
      return { ...state, live: true }
    default:
      return event satisfies never
  }
}
