/**
 * What must be so when all is calm, from the two databases and from what people were told: nothing is under way, nothing is owed, and each
 * player has what came in, less the stakes of bets that stand, and their payouts. Written from decisions.md; the product's own audits and
 * its reconciliation judge the same books beside it.
 */
import type { Finding } from '../../db/checks.ts'
import { type Db, statement } from '../../db/db.ts'
import { audit } from '../../operator/audit.ts'
import { auditPlatform } from '../../platform/audit.ts'
import { replyCode } from '../../protocol/codes.ts'
import { reconcile } from '../../reconcile/reconcile.ts'
import type { Cast, Player } from './cast.ts'
import { type CurrencyName, centsIn } from './cents.ts'
import type { Stores } from './market.ts'
import type { Names } from './names.ts'
import { currenciesOf } from './operator-people.ts'
import { toldOfOther } from './other-platform.ts'
import { moneyRulesOf, type Scene } from './scene.ts'
import { OTHER_PLATFORM } from './store.ts'
import { type WalletName, walletsOf } from './who.ts'

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
/** A result of a bet that the partner does not know (code 5). */
const NOT_UNDERSTOOD = statement(
  'simulation_not_understood',
  `select delivery_id from platform.delivery
   where owed_since is not null and status in ('refused', 'stuck') and code = $1::integer order by delivery_id`,
)
/** Who has too little for what is taken back (code 21). */
const OWING = statement(
  'simulation_owing',
  `select distinct b.user_id, b.currency from platform.delivery d join platform.bet b using (bet_id)
   where d.owed_since is not null and d.code = $1::integer order by 1, 2`,
)
interface Platforms {
  readonly platform: { readonly db: Db }
}

interface Count extends Record<string, unknown> {
  count: bigint
}

/** Calls that are not over, and results that bets do not follow yet. */
export async function underWay({ platform }: Platforms): Promise<number> {
  const [row] = await platform.db.query<Count>(UNDER_WAY)
  return Number.parseInt(`${row?.count}`, 10)
}

export async function needsPerson({ platform }: Platforms): Promise<number> {
  const [row] = await platform.db.query<Count>(NEEDS_PERSON)
  return Number.parseInt(`${row?.count}`, 10)
}

/** Bets about which a call is on its way. */
export async function underWayOf({ platform }: Stores): Promise<ReadonlySet<string>> {
  return new Set((await platform.db.query<{ bet_id: string }>(OF_BETS)).map(({ bet_id }) => bet_id))
}

/** Deliveries that sending again does not help: of bets that the wallet has lost. */
export async function notUnderstood({ platform }: Pick<Stores, 'platform'>): Promise<bigint[]> {
  const rows = await platform.db.query<{ delivery_id: bigint }>(NOT_UNDERSTOOD, [replyCode('invalid_request')])
  return rows.map(({ delivery_id }) => delivery_id)
}

interface Owing extends Record<string, unknown> {
  user_id: string
  currency: CurrencyName
}

/** Players who must pay before a result can be taken back (L-2). */
export function owing({ platform }: Pick<Stores, 'platform'>): Promise<Owing[]> {
  return platform.db.query<Owing>(OWING, [replyCode('recalculation_negative')])
}

interface Side extends Record<string, unknown> {
  bet_id: string
  player: string
  currency: string | null
  /** With a bonus above 0; of the wallet: promotions pay its stake (M-4). */
  is_freebet: boolean
  status: string | null
  stake: bigint | null
  payout: bigint | null
  result_type: string | null
}

const TOLD = statement(
  'simulation_told',
  `select bet_id::text, user_id as player, currency, coalesce(bonus_id, 0) > 0 as is_freebet, told_status as status, stake, told_payout as payout, told_result_type as result_type,
     status as decided, payout as decided_payout from platform.bet order by bet_id`,
)
const HELD = statement(
  'simulation_held',
  `select split_part(bet_id, '@', 1) as bet_id, player, currency, coalesce(funder = 'promotions', false) as is_freebet, status, stake, payout, result_type
   from purser.bet where platform = $1::text order by bet_id`,
)
const BALANCES = statement('simulation_balances', 'select player, currency, balance from purser.account')

/** Code 7: what is staked was there. */
const BORROWED = statement(
  'simulation_borrowed',
  `select player, bet_id, balance_after from purser.transfer
   where kind = 'stake' and debit = 'player' and balance_after < 0`,
)

/** What the audit says of a partner that refuses: true, and no fault of anybody's before people have looked at it. */
const OWED = /else it is owed/

/** How far the log of its changes goes. Behind a step most databases are as they were. */
const WRITTEN = statement('simulation_written', 'select pg_current_wal_insert_lsn()::text as lsn')

/** By database: what was written when its books were last audited and found in order. */
export type Audited = Map<Db, string>

/** Complaints of the product's own audits; none is good. `isCalm`: nothing may be owed either. What was `audited` and not written since is left out. */
export async function auditBooks(
  stores: Stores,
  scene: Scene,
  isCalm: boolean,
  audited: Audited = new Map(),
): Promise<string[]> {
  const found: string[] = []
  const inspect = async (db: Db, work: () => Promise<string[]>) => {
    const [written] = await db.query<{ lsn: string }>(WRITTEN)
    if (written === undefined || audited.get(db) === written.lsn) return
    const complaints = await work()
    if (complaints.length === 0) audited.set(db, written.lsn)
    found.push(...complaints)
  }
  for (const name of walletsOf(scene)) await inspect(stores[name].db, () => auditWallet(stores[name].db, scene))
  const { db } = stores.platform
  await inspect(db, async () => shown((await auditPlatform(db)) ?? [], isCalm))
  return found
}

export async function auditWallet(db: Db, scene: Partial<Scene> = {}): Promise<string[]> {
  const { findings } = await audit(db, { clawback: moneyRulesOf(scene).clawback })
  const borrowed = await db.query<{ player: string; bet_id: string; balance_after: bigint }>(BORROWED)
  return [
    ...borrowed.map(({ player, balance_after }) => `a stake of ${player} leaves ${balance_after}`),
    ...shown(findings, true),
  ]
}

function shown(findings: readonly Finding[], isCalm: boolean): string[] {
  return findings
    .filter(({ check }) => isCalm || !OWED.test(check))
    .map(({ check, row }) => `${check}: ${JSON.stringify(row)}`)
}

/** Complaints; none is good. For a time when all is over. Of a wallet that has lost something other bets are compared (misnamed.ts). */
export async function compareBooks(stores: Stores, scene: Scene, cast: Cast, names: Names): Promise<string[]> {
  const complaints: string[] = []
  for (const name of walletsOf(scene)) {
    const { players, told, reconciled } = await sidesOf(stores, scene, cast, name)
    if (cast.restored.has(name)) {
      const held = await stores[name].db.query<Side>(HELD, [''])
      complaints.push(...(await compareBalances(stores[name].db, scene, players, held, ({ userId }) => userId)))
      continue
    }
    const others = name === 'wallet' ? toldOfOther(cast.other?.bets ?? []) : []
    complaints.push(...(await compareWith(stores[name].db, told, names)))
    complaints.push(...(await compareWith(stores[name].db, others, names, OTHER_PLATFORM)))
    complaints.push(...(await compareBalances(stores[name].db, scene, players, [...told, ...others])))
    complaints.push(...(await reconciled()).map(({ kind, betId }) => `reconcile: ${kind} of ${names.bet(betId)}`))
  }
  return complaints
}

/** Every bet of the platform. */
export function readTold(platform: Db): Promise<Side[]> {
  return platform.query<Side>(TOLD)
}

/** One operator's: its players, what the platform was told about their bets, and what reconcile finds. */
export async function sidesOf({ platform, blindTo, ...stores }: Stores, scene: Scene, cast: Cast, name: WalletName) {
  const players = cast.players.filter(({ wallet }) => wallet === name)
  const ids = new Set(players.map(({ knownAs }) => knownAs))
  const only = scene.operators === 1 ? undefined : (userId: string) => ids.has(userId)
  const told = (await readTold(platform.db)).filter(({ player }) => only?.(player) ?? true)
  const reconciled = async () => {
    const found: { readonly kind: string; readonly betId: string }[] = []
    const platforms = scene.hasOtherPlatform === true ? [''] : undefined
    await reconcile(
      { platform: platform.db, wallet: { kind: 'database', db: stores[name].db }, platforms, only },
      (one) => {
        if (one.type === 'difference' && one.kind !== blindTo) found.push(one)
      },
    )
    return found
  }
  return { players, told, reconciled }
}

/**
 * `lost`: ids of bets of which the wallet knows something else than the platform was told, or nothing: a tombstone counts too. `gone`: those of
 * which it was told something, and the wallet has nothing.
 */
export async function differing(wallet: Db, told: readonly Side[]) {
  const held = new Map((await wallet.query<Side>(HELD, [''])).map((bet) => [bet.bet_id, bet]))
  const lost = told.filter((bet) => differences(bet, held.get(bet.bet_id), '').length > 0)
  const gone = lost.filter(({ bet_id, status }) => status !== null && !held.has(bet_id))
  const idsOf = (bets: readonly Side[]): ReadonlySet<string> => new Set(bets.map(({ bet_id }) => bet_id))
  return { lost: idsOf(lost), gone: idsOf(gone) }
}

/** Of one operator. */
async function compareWith(wallet: Db, told: readonly Side[], names: Names, platform = ''): Promise<string[]> {
  const held = await wallet.query<Side>(HELD, [platform])
  const atWallet = new Map(held.map((bet) => [bet.bet_id, bet]))
  const complaints = told.flatMap((bet) => differences(bet, atWallet.get(bet.bet_id), names.bet(bet.bet_id)))
  const known = new Set(told.map(({ bet_id }) => bet_id))
  for (const { bet_id } of held) if (!known.has(bet_id)) complaints.push(`${names.bet(bet_id)} is at the wallet only`)
  return complaints
}

function differences(bet: Side, held: Side | undefined, name: string): string[] {
  const { status: toldStatus, payout, decided, decided_payout: decidedPayout } = bet
  const has = held?.status ?? 'unknown'
  const isKnown = toldStatus === null || has !== 'unknown'
  const isOwed = isOf(decided) !== isOf(toldStatus) || decidedPayout !== payout
  return [
    ...(isOwed ? [`${name} is ${decided} ${decidedPayout}, and the wallet was told ${toldStatus} ${payout}`] : []),
    ...(isKnown && isOf(toldStatus) === isOf(has) && (has !== 'settled' || isSameResult(bet, held))
      ? []
      : [`${name} is ${toldStatus} ${payout} by what was acknowledged, and ${has} ${held?.payout} at the wallet`]),
  ]
}

function isSameResult(told: Side, held: Side | undefined): boolean {
  return held?.payout === told.payout && held?.result_type === told.result_type
}

/** In one word, whoever's word it was: of a bet that is no more, nobody has money. */
function isOf(status: unknown): string {
  if (status === 'accepted' || status === 'open') return 'open'
  return status === 'settled' ? 'settled' : 'none'
}

/** `bets`: by the name that `nameOf` a player says. */
async function compareBalances(
  wallet: Db,
  scene: Scene,
  players: readonly Player[],
  bets: readonly Side[],
  nameOf = ({ knownAs }: Player) => knownAs,
): Promise<string[]> {
  const rows = await wallet.query<{ player: string; currency: string; balance: bigint }>(BALANCES)
  const has = new Map(
    rows.map(({ player, currency, balance }) => [`${player} ${currency}`, centsIn(currency, balance)]),
  )
  const isFunded = ({ is_freebet }: Side) => is_freebet && moneyRulesOf(scene).freebetStake === 'promotions'
  const broughtBy = (bet: Side) => {
    const staked = isFunded(bet) ? 0n : (bet.stake ?? 0n)
    const paid = isFunded(bet) && bet.result_type === 'refund' ? 0n : (bet.payout ?? 0n)
    return centsIn(`${bet.currency}`, paid - staked)
  }
  return players.flatMap((who) =>
    currenciesOf(scene).flatMap((currency) => {
      const [is, mine] = [
        has.get(`${who.userId} ${currency}`),
        bets.filter((bet) => isMine(bet, nameOf(who), currency)),
      ]
      const must = mine.reduce((sum, bet) => sum + broughtBy(bet), who.cash[currency])
      return is === must ? [] : [`${who.name} has ${is}, must have ${must}`]
    }),
  )
}

function isMine(bet: Side, player: string, currency: string): boolean {
  return bet.player === player && bet.currency === currency && isOf(bet.status) !== 'none'
}
