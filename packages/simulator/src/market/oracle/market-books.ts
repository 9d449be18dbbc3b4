/**
 * Checks the books of wallet and platform at the end of a run, written from decisions.md.
 *
 * Invariant: no call is in progress, nothing is owed, and each balance is right. A balance is the
 * cash that a player paid in, less the stakes of valid bets, plus their payouts. The product's own
 * audits and reconcile check the same books in addition.
 */

import { replyCode } from '@purser/protocol/reply-codes'
import { type Db, statement } from 'purser/core/database/db'
import type { Finding } from 'purser/core/database/invariant-checks'
import { auditPlatform, OWED_CHECK } from 'purser/platform/platform-audit'
import { reconcile } from 'purser/reconcile/reconcile'
import { runWalletAudit } from 'purser/wallet/operator-api/audit/wallet-audit'
import type { MarketPlayer, Participants } from '../actors/market-participants.ts'
import { listCurrencies } from '../actors/operator-staff.ts'
import { toAcknowledgedRows } from '../actors/other-platform.ts'
import { type WalletName, walletsOf } from '../actors/party-names.ts'
import { OTHER_PLATFORM } from '../databases/market-store.ts'
import type { Stores } from '../market.ts'
import { type Scenario, toMoneyRules } from '../scenario.ts'
import type { StoryNames } from '../story-names.ts'
import { type CurrencyName, toCents } from './market-money.ts'

const UNDER_WAY = statement(
  'simulation_under_way',
  `select (select count(*) from platform.bet where status = 'placing')
     + (select count(*) from platform.event where results_applied < results_version)
     + (select count(*) from platform.delivery where status in ('waiting', 'pending')) as count`,
)
const NEEDS_PERSON = statement(
  'simulation_needs_person',
  'select count(*) as count from platform.delivery where owed_since is not null',
)

const OF_BETS = statement(
  'simulation_under_way_of_bets',
  `select bet_id::text from platform.bet where status = 'placing'
   union select bet_id::text from platform.delivery where status in ('waiting', 'pending')`,
)
/** A result for a bet that the partner does not know (code 5). */
const NOT_UNDERSTOOD = statement(
  'simulation_not_understood',
  `select delivery_id from platform.delivery
   where owed_since is not null and status in ('refused', 'stuck') and code = $1::integer order by delivery_id`,
)
/** Players with too little money for a correction (code 21). */
const OWING = statement(
  'simulation_owing',
  `select distinct b.user_id, b.currency from platform.delivery d join platform.bet b using (bet_id)
   where d.owed_since is not null and d.code = $1::integer order by 1, 2`,
)
interface PlatformStore {
  readonly platform: { readonly db: Db }
}

interface Count extends Record<string, unknown> {
  count: bigint
}

/** Calls, bets and events that are not finished. */
export async function countUnderWay({ platform }: PlatformStore): Promise<number> {
  const [row] = await platform.db.query<Count>(UNDER_WAY)
  return Number.parseInt(`${row?.count}`, 10)
}

export async function countNeedingAttention({ platform }: PlatformStore): Promise<number> {
  const [row] = await platform.db.query<Count>(NEEDS_PERSON)
  return Number.parseInt(`${row?.count}`, 10)
}

export async function readBetsUnderWay({ platform }: Stores): Promise<ReadonlySet<string>> {
  return new Set((await platform.db.query<{ bet_id: string }>(OF_BETS)).map(({ bet_id }) => bet_id))
}

/** Retries do not help here: the wallet has lost the bet. */
export async function readNotUnderstood({ platform }: Pick<Stores, 'platform'>): Promise<bigint[]> {
  const rows = await platform.db.query<{ delivery_id: bigint }>(NOT_UNDERSTOOD, [replyCode('invalid_request')])
  return rows.map(({ delivery_id }) => delivery_id)
}

interface OwingPlayerRow extends Record<string, unknown> {
  user_id: string
  currency: CurrencyName
}

/** These players must pay before a result can be taken back (L-2). */
export function readOwingPlayers({ platform }: Pick<Stores, 'platform'>): Promise<OwingPlayerRow[]> {
  return platform.db.query<OwingPlayerRow>(OWING, [replyCode('recalculation_negative')])
}

interface BookRow extends Record<string, unknown> {
  bet_id: string
  player: string
  currency: string | null
  /** The wallet sets this if promotions pay the stake (M-4). */
  is_freebet: boolean
  status: string | null
  stake: bigint | null
  payout: bigint | null
  result_type: string | null
}

const ACKNOWLEDGED_BETS = statement(
  'simulation_told',
  `select bet_id::text, user_id as player, currency, coalesce(bonus_id, 0) > 0 as is_freebet, acknowledged_status as status, stake, acknowledged_payout as payout, acknowledged_result_type as result_type,
     status as decided, payout as decided_payout from platform.bet order by bet_id`,
)
const WALLET_BETS = statement(
  'simulation_held',
  `select split_part(bet_id, '@', 1) as bet_id, player, currency, coalesce(funder = 'promotions', false) as is_freebet, status, stake, payout, result_type
   from purser.bet where platform = $1::text order by bet_id`,
)
const BALANCES = statement('simulation_balances', 'select player, currency, balance from purser.account')

/** Stakes that the wallet had to refuse with code 7. */
const BORROWED = statement(
  'simulation_borrowed',
  `select player, bet_id, balance_after from purser.transfer
   where kind = 'stake' and debit = 'player' and balance_after < 0`,
)

/** The position in the write-ahead log. After a step most databases have not changed. */
const WRITTEN = statement('simulation_written', 'select pg_current_wal_insert_lsn()::text as lsn')

/** The log position at the last audit without findings. */
export type AuditedPositions = Map<Db, string>

/**
 * Returns the complaints of the product's audits.
 *
 * `isCalm`: owed results are complaints too. Databases without writes since their position in
 * `audited` are skipped.
 */
export async function auditMarketBooks(
  stores: Stores,
  scenario: Scenario,
  isCalm: boolean,
  audited: AuditedPositions = new Map(),
): Promise<string[]> {
  const found: string[] = []
  const inspect = async (db: Db, work: () => Promise<string[]>) => {
    const [written] = await db.query<{ lsn: string }>(WRITTEN)
    if (written === undefined || audited.get(db) === written.lsn) return
    const complaints = await work()
    if (complaints.length === 0) audited.set(db, written.lsn)
    found.push(...complaints)
  }
  for (const name of walletsOf(scenario))
    await inspect(stores[name].db, () => auditMarketWallet(stores[name].db, scenario))
  const { db } = stores.platform
  await inspect(db, async () => formatFindings((await auditPlatform(db)) ?? [], isCalm))
  return found
}

export async function auditMarketWallet(db: Db, scenario: Partial<Scenario> = {}): Promise<string[]> {
  const { findings } = await runWalletAudit(db, { clawback: toMoneyRules(scenario).clawback })
  const borrowed = await db.query<{ player: string; bet_id: string; balance_after: bigint }>(BORROWED)
  return [
    ...borrowed.map(({ player, balance_after }) => `a stake of ${player} leaves ${balance_after}`),
    ...formatFindings(findings, true),
  ]
}

/** An owed decision is no fault before the manual work. */
function formatFindings(findings: readonly Finding[], isCalm: boolean): string[] {
  return findings
    .filter(({ check }) => isCalm || check !== OWED_CHECK)
    .map(({ check, row }) => `${check}: ${JSON.stringify(row)}`)
}

/**
 * Returns complaints, once all calls are over. reconcile-check.ts compares wallets that lost data.
 */
export async function compareMarketBooks(
  stores: Stores,
  scenario: Scenario,
  participants: Participants,
  names: StoryNames,
): Promise<string[]> {
  const complaints: string[] = []
  for (const name of walletsOf(scenario)) {
    const { players, acknowledged, reconciled } = await readBookSides(stores, scenario, participants, name)
    if (participants.restored.has(name)) {
      const stored = await stores[name].db.query<BookRow>(WALLET_BETS, [''])
      complaints.push(...(await compareBalances(stores[name].db, scenario, players, stored, ({ userId }) => userId)))
      continue
    }
    const others = name === 'wallet' ? toAcknowledgedRows(participants.other?.bets ?? []) : []
    complaints.push(...(await compareBets(stores[name].db, acknowledged, names)))
    complaints.push(...(await compareBets(stores[name].db, others, names, OTHER_PLATFORM)))
    complaints.push(...(await compareBalances(stores[name].db, scenario, players, [...acknowledged, ...others])))
    complaints.push(...(await reconciled()).map(({ kind, betId }) => `reconcile: ${kind} of ${names.bet(betId)}`))
  }
  return complaints
}

export function readAcknowledgedBets(platform: Db): Promise<BookRow[]> {
  return platform.query<BookRow>(ACKNOWLEDGED_BETS)
}

/** The players, bets and reconcile findings of one operator. */
export async function readBookSides(
  { platform, blindTo, ...stores }: Stores,
  scenario: Scenario,
  participants: Participants,
  name: WalletName,
) {
  const players = participants.players.filter(({ wallet }) => wallet === name)
  const ids = new Set(players.map(({ knownAs }) => knownAs))
  const only = scenario.operators === 1 ? undefined : (userId: string) => ids.has(userId)
  const acknowledged = (await readAcknowledgedBets(platform.db)).filter(({ player }) => only?.(player) ?? true)
  const reconciled = async () => {
    const found: { readonly kind: string; readonly betId: string }[] = []
    const platforms = scenario.hasOtherPlatform === true ? [''] : undefined
    await reconcile(
      { platform: platform.db, wallet: { kind: 'database', db: stores[name].db }, platforms, only },
      (one) => {
        if (one.type === 'difference' && one.kind !== blindTo) found.push(one)
      },
    )
    return found
  }
  return { players, acknowledged, reconciled }
}

/**
 * `lost`: the wallet's state differs from the acknowledged one. `gone`: the wallet does not know
 * the acknowledged bet at all. A tombstone counts as known.
 */
export async function findDifferingBets(wallet: Db, acknowledged: readonly BookRow[]) {
  const stored = new Map((await wallet.query<BookRow>(WALLET_BETS, [''])).map((bet) => [bet.bet_id, bet]))
  const lost = acknowledged.filter((bet) => differences(bet, stored.get(bet.bet_id), '').length > 0)
  const gone = lost.filter(({ bet_id, status }) => status !== null && !stored.has(bet_id))
  const idsOf = (bets: readonly BookRow[]): ReadonlySet<string> => new Set(bets.map(({ bet_id }) => bet_id))
  return { lost: idsOf(lost), gone: idsOf(gone) }
}

async function compareBets(
  wallet: Db,
  acknowledged: readonly BookRow[],
  names: StoryNames,
  platform = '',
): Promise<string[]> {
  const stored = await wallet.query<BookRow>(WALLET_BETS, [platform])
  const atWallet = new Map(stored.map((bet) => [bet.bet_id, bet]))
  const complaints = acknowledged.flatMap((bet) => differences(bet, atWallet.get(bet.bet_id), names.bet(bet.bet_id)))
  const known = new Set(acknowledged.map(({ bet_id }) => bet_id))
  for (const { bet_id } of stored) if (!known.has(bet_id)) complaints.push(`${names.bet(bet_id)} is at the wallet only`)
  return complaints
}

function differences(bet: BookRow, stored: BookRow | undefined, name: string): string[] {
  const { status: acknowledgedStatus, payout, decided, decided_payout: decidedPayout } = bet
  const has = stored?.status ?? 'unknown'
  const isKnown = acknowledgedStatus === null || has !== 'unknown'
  const isOwed = toBookStatus(decided) !== toBookStatus(acknowledgedStatus) || decidedPayout !== payout
  return [
    ...(isOwed
      ? [`${name} is ${decided} ${decidedPayout}, and the wallet was told ${acknowledgedStatus} ${payout}`]
      : []),
    ...(isKnown &&
    toBookStatus(acknowledgedStatus) === toBookStatus(has) &&
    (has !== 'settled' || isSameResult(bet, stored))
      ? []
      : [
          `${name} is ${acknowledgedStatus} ${payout} by what was acknowledged, and ${has} ${stored?.payout} at the wallet`,
        ]),
  ]
}

function isSameResult(acknowledged: BookRow, stored: BookRow | undefined): boolean {
  return stored?.payout === acknowledged.payout && stored?.result_type === acknowledged.result_type
}

/** A declined or cancelled bet holds no money. */
function toBookStatus(status: unknown): string {
  if (status === 'accepted' || status === 'open') return 'open'
  return status === 'settled' ? 'settled' : 'none'
}

/** `nameOf`: the player's id in `bets`. */
async function compareBalances(
  wallet: Db,
  scenario: Scenario,
  players: readonly MarketPlayer[],
  bets: readonly BookRow[],
  nameOf = ({ knownAs }: MarketPlayer) => knownAs,
): Promise<string[]> {
  const rows = await wallet.query<{ player: string; currency: string; balance: bigint }>(BALANCES)
  const has = new Map(
    rows.map(({ player, currency, balance }) => [`${player} ${currency}`, toCents(currency, balance)]),
  )
  const isFunded = ({ is_freebet }: BookRow) => is_freebet && toMoneyRules(scenario).freebetStake === 'promotions'
  const broughtBy = (bet: BookRow) => {
    const staked = isFunded(bet) ? 0n : (bet.stake ?? 0n)
    const paid = isFunded(bet) && bet.result_type === 'refund' ? 0n : (bet.payout ?? 0n)
    return toCents(`${bet.currency}`, paid - staked)
  }
  return players.flatMap((player) =>
    listCurrencies(scenario).flatMap((currency) => {
      const [is, mine] = [
        has.get(`${player.userId} ${currency}`),
        bets.filter((bet) => isMine(bet, nameOf(player), currency)),
      ]
      const must = mine.reduce((sum, bet) => sum + broughtBy(bet), player.cash[currency])
      return is === must ? [] : [`${player.name} has ${is}, must have ${must}`]
    }),
  )
}

function isMine(bet: BookRow, player: string, currency: string): boolean {
  return bet.player === player && bet.currency === currency && toBookStatus(bet.status) !== 'none'
}
