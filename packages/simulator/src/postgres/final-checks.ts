/**
 * Checks at the end of a run: balances against the auditor's, the product's own audits, and the
 * books of wallet and platform.
 */

import { statement } from 'purser/core/database/db'
import { auditPlatform } from 'purser/platform/platform-audit'
import { reconcile } from 'purser/reconcile/reconcile'
import type { WireWatch } from '../market/network/wire-watch.ts'
import { auditMarketWallet, findDifferingBets, readAcknowledgedBets } from '../market/oracle/market-books.ts'
import type { LocksBase } from './locks-base.ts'

interface Owner {
  readonly userId: string
  /** Deposits less withdrawals, in minor units. */
  readonly cash: bigint
}

/** Without this mark no balance of the run was checked. */
export const BALANCE_JUDGED = 'a balance is one that the auditor holds possible'
const BALANCE_NOT_JUDGED = 'a balance of which the auditor says nothing: too much is possible'

/** Returns complaints. */
export function checkBalances(
  players: readonly Owner[],
  has: ReadonlyMap<string, bigint>,
  wire: Pick<WireWatch, 'movedOf'>,
  mark: (name: string) => void,
): string[] {
  return players.flatMap(({ userId, cash }) => {
    const moved = wire.movedOf(userId)
    const may = moved && [...moved].map((one) => cash + one)
    const balance = has.get(userId)
    if (may !== undefined && !may.some((one) => one === balance))
      return [
        `the auditor: ${userId} has ${balance}, may have ${may.slice(0, 5).join(', ') || 'nothing that it can tell'}`,
      ]
    mark(may === undefined ? BALANCE_NOT_JUDGED : BALANCE_JUDGED)
    return []
  })
}

const BALANCES = statement('simulation_balances', "select player, balance from purser.account where currency = 'EUR'")

export async function readLocksBalances({ wallet }: LocksBase): Promise<ReadonlyMap<string, bigint>> {
  const rows = await wallet.db.query<{ player: string; balance: bigint }>(BALANCES)
  return new Map(rows.map(({ player, balance }) => [player, balance]))
}

/** Returns the complaints of the product's audits. `isWhole`: owed results are complaints too. */
export async function auditLocks({ wallet, platform }: LocksBase, isWhole: boolean): Promise<string[]> {
  const ofPlatform = isWhole ? ((await auditPlatform(platform.db)) ?? []) : []
  return [
    ...(await auditMarketWallet(wallet.db)),
    ...ofPlatform.map(({ check, row }) => `${check}: ${JSON.stringify(row)}`),
  ]
}

export interface BooksComparison {
  /** The wallets' state differs from the acknowledged one. */
  readonly lost: ReadonlySet<string>
  /** Reported by reconcile. */
  readonly named: ReadonlySet<string>
  /** Bets with a call in progress. */
  readonly inFlight: number
}

/** `others`: bets of other callers, which are ignored. */
export async function compareLocksBooks(
  { wallet, platform }: LocksBase,
  others: ReadonlySet<string>,
  blindTo: string | undefined,
): Promise<BooksComparison> {
  const named = new Set<string>()
  const { inFlight } = await reconcile(
    { platform: platform.db, wallet: { kind: 'database', db: wallet.db } },
    (one) => {
      if (one.type === 'difference' && one.kind !== blindTo && !others.has(one.betId)) named.add(one.betId)
    },
  )
  const { lost } = await findDifferingBets(wallet.db, await readAcknowledgedBets(platform.db))
  return { lost, named, inFlight }
}

/** Returns complaints. */
export function checkNamedBets({ lost, named }: BooksComparison, bet: (betId: string) => string): string[] {
  return [
    ...[...lost].filter((one) => !named.has(one)).map((one) => `reconcile does not name ${bet(one)}`),
    ...[...named].filter((one) => !lost.has(one)).map((one) => `reconcile names ${bet(one)} wrongly`),
  ]
}
