/**
 * Events of the wallet's feed (packages/server/src/core/change-feed, W-40): bets, balances, players
 * and sessions. They are written in the transaction of the change, once per batch. An item about a
 * bet can include its effect on the player's balance; the feed then has two events for it.
 */
import { isDeepStrictEqual } from 'node:util'
import { addChanges, createChangeStore, type StoredEvent } from '../../core/change-feed/change-store.ts'
import type { Tx } from '../../core/database/db.ts'
import { effectOnPlayer } from '../ledger/posting.ts'
import type { Transfer } from '../ledger/transfer.ts'
import type { Decision } from '../rules/decision.ts'
import type { Bet, BetCall } from './bet.ts'
import type { Player } from './player.ts'
import type { Session, TokenHash } from './session.ts'

export type BetEvent =
  | 'bet.placed'
  | 'bet.settled'
  | 'bet.resettled'
  | 'bet.unsettled'
  | 'bet.rolled_back'
  | 'bet.refused'

/**
 * Members of an event of a bet as stored, with amounts in minor units (M-5). The last three members
 * are null if the balance did not change.
 */
export type BetMembers = readonly [
  player: string,
  betId: string,
  requestId: string,
  currency: string | null,
  /** Stake, payout, or refunded stake. */
  amount: string | null,
  /** Payer of the stake, type of the result, or reason of the refusal or rollback. */
  detail: string | null,
  change: string | null,
  balance: string | null,
  version: string | null,
]

export type BalanceMembers = readonly [
  player: string,
  currency: string,
  change: string,
  balance: string,
  version: string,
  /** Event of the bet, or kind of the movement. */
  cause: string,
  betId: string | null,
  reference: string | null,
]

/**
 * Members of an event of a player. They contain no personal data; `changed` has only the names of
 * changed members.
 */
export type PlayerMembers = readonly [
  player: string,
  status: Player['status'],
  currency: string,
  currencies: readonly string[],
  selfExcludedUntil: string | null,
  verified: boolean | null,
  changed: readonly string[],
]

export type SessionMembers = readonly [player: string, hash: string, currency: string, expiresAt: string]
export type LockMembers = readonly [player: string, betId: string]

/**
 * Calls that the fast path took, as columns, which cost Postgres half as much as a list of items.
 */
type TakenMembers = readonly [
  name: 'bet.placed' | 'bet.settled',
  player: readonly string[],
  betId: readonly string[],
  requestId: readonly string[],
  currency: readonly string[],
  amount: readonly string[],
  /** Null for Place bets, which the player pays. */
  resultType: readonly string[] | null,
  balance: readonly string[],
  version: readonly string[],
]

function expandItem(item: StoredEvent): readonly StoredEvent[] {
  const [name, ...members] = item
  if (name === 'taken') return expandTakenItem(members as unknown as TakenMembers)
  return name.startsWith('bet.') && members.length === BET_MEMBERS
    ? withBalanceEvent(name, members as unknown as BetMembers)
    : [item]
}

const BET_MEMBERS: BetMembers['length'] = 9

function withBalanceEvent(name: string, bet: BetMembers): readonly StoredEvent[] {
  const [player, betId, , currency, , , change, balance, version] = bet
  return change === null
    ? [[name, ...bet]]
    : [
        [name, ...bet],
        ['balance.changed', player, currency, change, balance, version, name, betId, null],
      ]
}

function expandTakenItem([name, players, ...columns]: TakenMembers): readonly StoredEvent[] {
  const [betIds, requestIds, currencies, amounts, resultTypes, balances, versions] = columns
  return players.flatMap((player, i) => {
    const [amount, balance, version] = [amounts[i] as string, balances[i] as string, versions[i] as string]
    const effect =
      amount === '0' ? NO_EFFECT : ([name === 'bet.placed' ? `-${amount}` : amount, balance, version] as const)
    const about = [player, betIds[i] as string, requestIds[i] as string, currencies[i] as string] as const
    return withBalanceEvent(name, [...about, amount, resultTypes?.[i] ?? 'player', ...effect])
  })
}

export function renamePlayerInItem(item: StoredEvent, player: string, name: string): StoredEvent {
  const [kind, first, second, ...more] = item
  if (kind === 'taken' && Array.isArray(second)) {
    return [kind, first ?? null, second.map((one) => (one === player ? name : one)), ...more]
  }
  return first === player ? ([kind, name, ...item.slice(2)] as unknown as StoredEvent) : item
}

/**
 * Splits an item into parts of consecutive players for whom `placeOf` returns the same place.
 * Together the parts have the item's events in the same order.
 */
export function splitItemByPlayer<P>(
  item: StoredEvent,
  placeOf: (player: string) => P,
): { place: P; item: StoredEvent }[] {
  if (item[0] !== 'taken') return [{ place: placeOf(String(item[1])), item }]
  const [, name, players, ...columns] = item as unknown as readonly ['taken', ...TakenMembers]
  const parts: { place: P; item: StoredEvent }[] = []
  for (let from = 0; from < players.length; ) {
    const place = placeOf(players[from] as string)
    let to = from + 1
    while (to < players.length && placeOf(players[to] as string) === place) to += 1
    const own = [players, ...columns].map((column) => column?.slice(from, to) ?? null)
    parts.push({ place, item: ['taken', name, ...own] as unknown as StoredEvent })
    from = to
  }
  return parts
}

export const WALLET_CHANGES = createChangeStore('purser', expandItem)

/** Adds items to the feed. The caller holds the locks of their players. */
export function recordWalletChanges(tx: Tx, bucket: number, items: readonly StoredEvent[], at: Date): Promise<void> {
  return addChanges(tx, WALLET_CHANGES, items, at, bucket)
}

/**
 * Item of a decided call; undefined if the bet did not change. `before` is the bet before the
 * decision.
 */
export function betItem(
  call: BetCall,
  before: Bet,
  decision: Decision,
  transfers: readonly Transfer[],
): StoredEvent | undefined {
  if (decision.kind === 'repeat' || decision.bet === undefined) return undefined
  const { player, betId, requestId } = call
  const [name, ...members] = describeBetEvent(call, before, decision.bet)
  return [name, player, betId, requestId, ...members, ...balanceEffect(transfers)] satisfies readonly [
    BetEvent,
    ...BetMembers,
  ]
}

type BetEventParts = readonly [name: BetEvent, currency: string | null, amount: string | null, detail: string | null]

function describeBetEvent(call: BetCall, before: Bet, after: Bet): BetEventParts {
  const placement = 'placement' in after ? after.placement : undefined
  const currency = placement?.currency ?? null
  switch (call.kind) {
    case 'place':
      return after.kind === 'refused'
        ? ['bet.refused', call.currency, String(call.stake), after.refusal]
        : ['bet.placed', currency, String(call.stake), placement?.funder ?? null]
    case 'settle':
      return [
        before.kind === 'settled' ? 'bet.resettled' : 'bet.settled',
        currency,
        String(call.payout),
        call.resultType,
      ]
    case 'unsettle':
      return ['bet.unsettled', currency, null, null]
    case 'rollback':
      return ['bet.rolled_back', currency, placement ? String(placement.stake) : null, String(call.reason)]
    default:
      return call satisfies never
  }
}

const NO_EFFECT = [null, null, null] as const

function balanceEffect(transfers: readonly Transfer[]): readonly [string, string, string] | typeof NO_EFFECT {
  const change = transfers.reduce((sum, transfer) => sum + effectOnPlayer(transfer), 0n)
  const last = transfers.at(-1)
  return change === 0n || last === undefined
    ? NO_EFFECT
    : [String(change), String(last.balanceAfter), String(last.version)]
}

/**
 * SQL that records the fast path's calls from the rows of `table`, with the same events as
 * `betItem`. `changeId` replaces the table's default on Citus.
 */
export function buildTakenChangesSql(name: TakenMembers[0], table: string, changeId?: string): string {
  const amount = name === 'bet.placed' ? 'stake' : 'payout'
  const columns = ['player', 'bet_id', 'request_id', 'currency', `${amount}::text`].map(
    (column) => `json_agg(${column})`,
  )
  const resultType = name === 'bet.placed' ? 'null' : 'json_agg(result_type)'
  const item = `'taken', '${name}', ${columns.join(', ')}, ${resultType}, json_agg(balance::text), json_agg(version::text)`
  const [column, its] = changeId === undefined ? ['', ''] : ['change_id, ', `${changeId}, `]
  return `insert into purser.change (bucket, ${column}size, at, events)
     select $1::int, ${its}count(*) + count(*) filter (where ${amount} > 0), $2::timestamptz, json_build_array(json_build_array(${item}))
     from ${table} having count(*) > 0`
}

/** Item of a deposit, withdrawal or adjustment. */
export function movementItem(transfer: Transfer, betId: string | null): StoredEvent {
  const { player, currency, version, balanceAfter, kind, reference = null } = transfer
  const effect = [String(effectOnPlayer(transfer)), String(balanceAfter), String(version)] as const
  return ['balance.changed', player, currency, ...effect, kind, betId, reference] satisfies readonly [
    string,
    ...BalanceMembers,
  ]
}

export function playerItem(
  name: 'player.created' | 'player.changed',
  player: Omit<Player, 'createdAt'>,
  changed: readonly string[] = [],
): StoredEvent {
  const { id, status, currency, currencies, selfExcludedUntil, verified } = player
  const members: PlayerMembers = [
    ...([id, status, currency, currencies] as const),
    ...([selfExcludedUntil?.toISOString() ?? null, verified, changed] as const),
  ]
  return [name, ...members]
}

export function playerChangedItems(before: Player, after: Player): StoredEvent[] {
  const names = Object.keys(after) as (keyof Player)[]
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return changed.length === 0 ? [] : [playerItem('player.changed', after, changed)]
}

export type SessionKey = Pick<Session, 'player' | 'currency' | 'expiresAt'>

export function sessionItem(
  name: 'session.opened' | 'session.ended',
  hash: TokenHash,
  { player, currency, expiresAt }: SessionKey,
): StoredEvent {
  const members: SessionMembers = [player, hash, currency, expiresAt.toISOString()]
  return [name, ...members]
}

export function lockItem(isLocked: boolean, player: string, betId: string): StoredEvent {
  const members: LockMembers = [player, betId]
  return [isLocked ? 'bet.locked' : 'bet.unlocked', ...members]
}
