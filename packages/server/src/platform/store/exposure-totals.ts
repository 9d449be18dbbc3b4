/**
 * Running totals of the accepted and settled bets per outcome and event, for limits 110 to 112.
 *
 * Invariant: the transaction that accepts a bet adds the bet to the totals. The transaction that
 * cancels the bet subtracts it, and nothing else changes the totals. The audit compares them with
 * the bets.
 *
 * A change locks a total. A transaction that adds a bet therefore sees all earlier bets, and no
 * other bet is added until the transaction ends. Rows are written in the order of their keys,
 * outcomes before events.
 */

import type { Money } from '@purser/protocol/values/money'
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { computePayout, multiplyOdds } from './odds.ts'
import type { PlatformBet, Selection } from './platform-bet.ts'

export interface CountedBet {
  readonly currency: string
  readonly stake: Money
  /** Payout of the bet if it wins. */
  readonly win: Money
  readonly selections: readonly Pick<Selection, 'eventId' | 'outcomeId'>[]
}

/** Undefined if the odds exceed the maximum. */
export function computeWin({
  stake,
  odds,
  booster,
}: Pick<PlatformBet, 'stake' | 'odds' | 'booster'>): Money | undefined {
  const paid = multiplyOdds(booster === null ? [odds] : [odds, booster])
  return paid && computePayout(stake, paid)
}

/** The largest totals over the bet's outcomes and events, in its currency and in minor units. */
export interface Exposure {
  readonly outcomeStake: bigint
  readonly outcomeWin: bigint
  readonly eventBets: bigint
}

interface OutcomeTotal {
  readonly key: readonly [eventId: string, outcomeId: string, currency: string]
  readonly stake: bigint
  readonly win: bigint
}

export class ExposureTotals {
  readonly outcomes = new Map<string, OutcomeTotal>()
  readonly events = new Map<string, bigint>()

  add(bet: CountedBet): void {
    this.count(bet, 1n)
  }

  subtract(bet: CountedBet): void {
    this.count(bet, -1n)
  }

  exposureOf({ currency, selections }: CountedBet): Exposure {
    const outcomes = selections.map(({ eventId, outcomeId }) =>
      this.outcomes.get(joinTotalKey([eventId, outcomeId, currency])),
    )
    return {
      outcomeStake: largest(outcomes.map((total) => total?.stake)),
      outcomeWin: largest(outcomes.map((total) => total?.win)),
      eventBets: largest(selections.map(({ eventId }) => this.events.get(eventId))),
    }
  }

  private count({ currency, stake, win, selections }: CountedBet, sign: bigint): void {
    for (const { eventId, outcomeId } of selections) {
      const key = [eventId, outcomeId, currency] as const
      const name = joinTotalKey(key)
      const total = this.outcomes.get(name)
      this.outcomes.set(name, { key, stake: (total?.stake ?? 0n) + sign * stake, win: (total?.win ?? 0n) + sign * win })
      this.events.set(eventId, (this.events.get(eventId) ?? 0n) + sign)
    }
  }
}

/** No stored id contains NUL (storable-text.ts). */
function joinTotalKey(key: OutcomeTotal['key']): string {
  return key.join('\u0000')
}

function largest(values: readonly (bigint | undefined)[]): bigint {
  return values.reduce<bigint>((most, value = 0n) => (value > most ? value : most), 0n)
}

export function addToTotals(tx: Tx, bets: readonly CountedBet[]): Promise<ExposureTotals> {
  const changes = new ExposureTotals()
  for (const bet of bets) changes.add(bet)
  return writeTotals(tx, changes)
}

export async function subtractFromTotals(tx: Tx, bets: readonly CountedBet[]): Promise<void> {
  const changes = new ExposureTotals()
  for (const bet of bets) changes.subtract(bet)
  await writeTotals(tx, changes)
}

const OUTCOMES = mapRows<OutcomeTotal>(1, {
  event_id: ['text', ({ key: [eventId] }) => eventId],
  outcome_id: ['text', ({ key: [, outcomeId] }) => outcomeId],
  currency: ['text', ({ key: [, , currency] }) => currency],
  stake: ['numeric', ({ stake }) => stake],
  win: ['numeric', ({ win }) => win],
})
const EVENTS = mapRows<readonly [eventId: string, bets: bigint]>(1, {
  event_id: ['text', ([eventId]) => eventId],
  bets: ['bigint', ([, bets]) => bets],
})

/** A sum can exceed every integer type, so it is transferred as text. */
const CHANGE_OUTCOMES = statement(
  'platform_change_outcome_totals',
  `insert into platform.outcome_total as t (${OUTCOMES.columns}) select ${OUTCOMES.columns} from ${OUTCOMES.from} r
   on conflict (event_id, outcome_id, currency) do update set stake = t.stake + excluded.stake, win = t.win + excluded.win
   returning event_id, outcome_id, currency, stake::text, win::text`,
)
const CHANGE_EVENTS = statement(
  'platform_change_event_totals',
  `insert into platform.event_total as t (${EVENTS.columns}) select ${EVENTS.columns} from ${EVENTS.from} r
   on conflict (event_id) do update set bets = t.bets + excluded.bets returning event_id, bets`,
)

interface OutcomeRow extends Record<string, unknown> {
  event_id: string
  outcome_id: string
  currency: string
  stake: string
  win: string
}

async function writeTotals(tx: Tx, changes: ExposureTotals): Promise<ExposureTotals> {
  const after = new ExposureTotals()
  if (changes.events.size === 0) return after
  const outcomes = sortByKey(changes.outcomes).map(([, total]) => total)
  const events = sortByKey(changes.events)
  const [outcomeRows, eventRows] = await Promise.all([
    tx.query<OutcomeRow>(CHANGE_OUTCOMES, OUTCOMES.values(outcomes)),
    tx.query<{ event_id: string; bets: bigint }>(CHANGE_EVENTS, EVENTS.values(events)),
  ])
  for (const row of outcomeRows) {
    const key = [row.event_id, row.outcome_id, row.currency] as const
    after.outcomes.set(joinTotalKey(key), { key, stake: BigInt(row.stake), win: BigInt(row.win) })
  }
  for (const { event_id, bets } of eventRows) after.events.set(event_id, bets)
  return after
}

/** Transactions that change the same totals meet at the first one and cannot deadlock. */
function sortByKey<T>(totals: ReadonlyMap<string, T>): [name: string, total: T][] {
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1))
}
