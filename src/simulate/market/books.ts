/**
 * What must be so when all is calm, from the two databases and from what people were told: nothing is under way, nothing is owed, and each
 * player has what came in, less the stakes of bets that stand, and their payouts. Written from decisions.md; the product's own audits and
 * its reconciliation judge the same books beside it.
 */
import { statement } from '../../db/db.ts'
import { audit } from '../../operator/audit.ts'
import { auditPlatform } from '../../platform/audit.ts'
import { reconcile } from '../../reconcile/reconcile.ts'
import type { Cast } from './cast.ts'
import type { Stores } from './market.ts'
import type { Names } from './names.ts'

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

interface Count extends Record<string, unknown> {
  count: bigint
}

/** Calls that are not over, and results that bets do not follow yet. */
export async function underWay({ platform }: Stores): Promise<number> {
  const [row] = await platform.db.query<Count>(UNDER_WAY)
  return Number.parseInt(`${row?.count}`, 10)
}

export async function needsPerson({ platform }: Stores): Promise<number> {
  const [row] = await platform.db.query<Count>(NEEDS_PERSON)
  return Number.parseInt(`${row?.count}`, 10)
}

interface Side extends Record<string, unknown> {
  bet_id: string
  player: string
  status: string | null
  stake: bigint | null
  payout: bigint | null
}

const TOLD = statement(
  'simulation_told',
  `select bet_id::text, user_id as player, told_status as status, stake, told_payout as payout,
     status as decided, payout as decided_payout from platform.bet order by bet_id`,
)
const HELD = statement(
  'simulation_held',
  'select bet_id, player, status, stake, payout from purser.bet order by bet_id',
)
const BALANCES = statement('simulation_balances', "select player, balance from purser.account where currency = 'EUR'")

/** Code 7: what is staked was there. */
const BORROWED = statement(
  'simulation_borrowed',
  `select player, bet_id, balance_after from purser.transfer
   where kind = 'stake' and debit = 'player' and balance_after < 0`,
)

/** What the audit says of a partner that refuses: true, and no fault of anybody's before people have looked at it. */
const OWED = /else it is owed/

/** Complaints of the product's own audits; none is good. `isCalm`: nothing may be owed either. */
export async function auditBooks({ wallet, platform }: Stores, isCalm: boolean): Promise<string[]> {
  const [ofWallet, ofPlatform] = [
    await audit(wallet.db, { clawback: 'allow-negative' }),
    await auditPlatform(platform.db),
  ]
  const borrowed = await wallet.db.query<{ player: string; bet_id: string; balance_after: bigint }>(BORROWED)
  return [
    ...borrowed.map(({ player, balance_after }) => `a stake of ${player} leaves ${balance_after}`),
    ...[...ofWallet.findings, ...(ofPlatform ?? [])]
      .filter(({ check }) => isCalm || !OWED.test(check))
      .map(({ check, row }) => `${check}: ${JSON.stringify(row)}`),
  ]
}

/** Complaints; none is good. For a time when all is over. */
export async function compareBooks(stores: Stores, cast: Cast, names: Names): Promise<string[]> {
  const { wallet, platform } = stores
  const [told, held] = [await platform.db.query<Side>(TOLD), await wallet.db.query<Side>(HELD)]
  const atWallet = new Map(held.map((bet) => [bet.bet_id, bet]))
  const complaints = told.flatMap((bet) => differences(bet, atWallet.get(bet.bet_id), names.bet(bet.bet_id)))
  const known = new Set(told.map(({ bet_id }) => bet_id))
  for (const { bet_id } of held) if (!known.has(bet_id)) complaints.push(`${names.bet(bet_id)} is at the wallet only`)
  const reconciled: string[] = []
  await reconcile({ platform: platform.db, wallet: { kind: 'database', db: wallet.db } }, ({ type, kind, betId }) => {
    if (type === 'difference') reconciled.push(`reconcile: ${kind} of ${names.bet(betId)}`)
  })
  return [...complaints, ...(await compareBalances(stores, cast, told)), ...reconciled]
}

function differences(bet: Side, held: Side | undefined, name: string): string[] {
  const { status: toldStatus, payout, decided, decided_payout: decidedPayout } = bet
  const has = held?.status ?? 'unknown'
  const isOwed = isOf(decided) !== isOf(toldStatus) || decidedPayout !== payout
  return [
    ...(isOwed ? [`${name} is ${decided} ${decidedPayout}, and the wallet was told ${toldStatus} ${payout}`] : []),
    ...(isOf(toldStatus) === isOf(has) && (has !== 'settled' || held?.payout === payout)
      ? []
      : [`${name} is ${toldStatus} ${payout} by what was acknowledged, and ${has} ${held?.payout} at the wallet`]),
  ]
}

/** In one word, whoever's word it was: of a bet that is no more, nobody has money. */
function isOf(status: unknown): string {
  if (status === 'accepted' || status === 'open') return 'open'
  return status === 'settled' ? 'settled' : 'none'
}

async function compareBalances({ wallet }: Stores, { players }: Cast, told: readonly Side[]): Promise<string[]> {
  const rows = await wallet.db.query<{ player: string; balance: bigint }>(BALANCES)
  const has = new Map(rows.map(({ player, balance }) => [player, balance]))
  return players.flatMap(({ userId, cash }) => {
    const mine = told.filter(({ player, status }) => player === userId && isOf(status) !== 'none')
    const must = mine.reduce((sum, { stake, payout }) => sum - (stake ?? 0n) + (payout ?? 0n), cash)
    return has.get(userId) === must ? [] : [`${userId} has ${has.get(userId)}, must have ${must}`]
  })
}
