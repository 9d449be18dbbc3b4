/**
 * Audit of the invariants of players' money and bets.
 *
 * Players are checked in slices, in the order of their ids, and each slice has its own snapshot. So
 * no snapshot lasts long, and a slice fits into memory. A slice contains a player completely, even
 * one with millions of bets.
 */

import {
  AUDIT_CHUNK_SETTINGS,
  type Db,
  type Row,
  type Statement,
  statement,
  type Tx,
} from '../../../core/database/db.ts'
import {
  composeChecks,
  type Findings,
  type InvariantChecks,
  runChecks,
} from '../../../core/database/invariant-checks.ts'
import { iterateBuckets } from '../../../core/database/schema/buckets.ts'
import { BET_CHECKS } from '../../bet-audit.ts'
import { AUDIT_TRANSFER_COLUMNS, buildBaseRows } from '../../ledger/carried-balance.ts'
import { ledgerChecks } from '../../ledger/ledger-audit.ts'

/** SQL that normalizes a name like `isSamePerson` (dual-approval.ts). */
function normalizeNameSql(name: string): string {
  return String.raw`lower(btrim(regexp_replace(normalize(${name}, NFKC), '\s+', ' ', 'g')))`
}

/** For adjustments by two persons (W-27). */
const PROPOSAL_CHECKS: InvariantChecks = {
  'each approved adjustment equals its request, and each request has at most one adjustment': `
    select coalesce(p.player, m.player) as player, coalesce(p.reference, m.reference) as reference, p.status
    from purser.proposal p full join (select * from purser.cash_movement where approved_by is not null) m
      on m.bucket = p.bucket and m.player = p.player and m.reference = p.reference
      left join (select bucket, player, reference, true as is_made from purser.cash_movement) c
      on c.bucket = p.bucket and c.player = p.player and c.reference = p.reference
    where case when p.status = 'approved' then (m.kind, m.currency, m.amount, m.reason, m.person, m.ticket, m.bet_id, m.approved_by)
        is distinct from ('adjustment', p.currency, p.amount, p.reason, p.person, p.ticket, p.bet_id, p.decided_person)
      else m.player is not null or c.is_made is not null end`,
  'no person approved their own adjustment': `
    select player, reference from purser.proposal
    where status = 'approved' and array[${normalizeNameSql('decided_key')}, ${normalizeNameSql('decided_person')}] && array[${normalizeNameSql('key_name')}, ${normalizeNameSql('person')}]`,
}

/** All checks. The statement must provide the transfers of bets as `bet_transfer`. */
export function buildPlayerChecks(allowNegative: boolean): InvariantChecks {
  const ofBets = Object.entries(BET_CHECKS).map(
    ([check, sql]) => [check, sql.replaceAll(/\bpurser\.transfer\b/g, 'bet_transfer')] as const,
  )
  return { ...ledgerChecks(allowNegative), ...Object.fromEntries(ofBets), ...PROPOSAL_CHECKS }
}

/** Approximate transfers per slice, and accounts per slice at most. */
const TRANSFERS = 50_000
const ACCOUNTS = 5_000

const NEXT_BUCKET = statement(
  'audit_next_bucket',
  `select least(${['account', 'transfer', 'carried_balance', 'bet', 'bet_call', 'cash_movement', 'proposal']
    .map((table) => `(select bucket from purser.${table} where bucket > $1::int order by bucket limit 1)`)
    .join(', ')}) as bucket`,
)
/** Last player of the slice after `$2`; null if the rest fits into one slice. */
const SLICE_BOUND = statement(
  'audit_bound_of_slice',
  `select max(player) as bound, count(*)::int as accounts from (
     select player, sum(version) over (order by player, currency) - version as before
     from (select player, currency, version from purser.account where bucket = $1::int and player > $2::text order by player, currency limit ${ACCOUNTS}) a
   ) a where before < ${TRANSFERS}`,
)
const COUNT_ACCOUNTS = statement('audit_count_accounts', 'select count(*)::int as accounts from purser.account')

const SLICE = 'bucket = $1::int and player > $2::text and ($3::text is null or player <= $3::text)'
const PARTS = `
  account as materialized (select * from purser.account where ${SLICE}),
  carried as materialized (
    select distinct on (bucket, player, currency) * from purser.carried_balance where ${SLICE} order by bucket, player, currency, version desc
  ),
  transfer as materialized (
    select ${AUDIT_TRANSFER_COLUMNS}, false as is_base from purser.transfer where ${SLICE} union all ${buildBaseRows('carried c')}
  ),
  bet_transfer as not materialized (select * from transfer),
  cash_movement as materialized (select * from purser.cash_movement where ${SLICE}),
  proposal as materialized (select * from purser.proposal where ${SLICE}),
  bet_call as materialized (select * from purser.bet_call where ${SLICE}),
  bet as materialized (select * from purser.bet where first_seen_at > '-infinity' and ${SLICE})`

/** Checks the players of a bucket after $2 up to $3, or all players after $2. */
export function buildPlayerSlice(checks: InvariantChecks, allowNegative: boolean): Statement {
  return composeChecks(`audit_players${allowNegative ? '_lenient' : ''}`, PARTS, checks)
}

/** `pause` receives the number of checked accounts and their total. */
export async function auditPlayers(
  db: Pick<Db, 'snapshot'>,
  findings: Findings,
  allowNegative: boolean,
  pause: (done: number, of: number) => Promise<void>,
): Promise<void> {
  const checks = buildPlayerChecks(allowNegative)
  const query = buildPlayerSlice(checks, allowNegative)
  const [{ accounts = 0 } = {}] = await db.snapshot((tx) => tx.query<{ accounts: number }>(COUNT_ACCOUNTS))
  let done = 0
  for await (const bucket of iterateBuckets(db, NEXT_BUCKET))
    for (let after: string | null = ''; after !== null; ) {
      const from: string = after
      after = await db.snapshot(async (tx) => {
        const bound = await readSliceBound(tx, bucket, from)
        await tx.query(AUDIT_CHUNK_SETTINGS)
        await runChecks(tx, query, [bucket, from, bound?.bound ?? null], checks, findings)
        done += bound?.accounts ?? 0
        return bound?.bound ?? null
      })
      await pause(done, Math.max(done, accounts))
    }
}

interface SliceBound extends Row {
  bound: string
  accounts: number
}

async function readSliceBound(tx: Tx, bucket: number, after: string): Promise<SliceBound | undefined> {
  const [row] = await tx.query<Row & { bound: string | null; accounts: number }>(SLICE_BOUND, [bucket, after])
  return row?.bound == null ? undefined : { bound: row.bound, accounts: row.accounts }
}
