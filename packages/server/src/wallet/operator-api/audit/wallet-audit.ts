/**
 * Audit of a wallet on a live database, in slices that each have a snapshot. It checks the ledger,
 * the bets, the feed, the closed days, and that two persons approved adjustments (W-27).
 *
 * A complete audit checks everything. An incremental one checks the feed's events since the last
 * audit without findings. Each slice is consistent within its snapshot. The last snapshot serves to
 * compare the feed with the accounts.
 */
import { Type } from 'typebox'
import { type FeedEnd, isBeforeFeedEnd, readFeedEnd, visitFeed } from '../../../core/change-feed/feed-audit.ts'
import type { Db } from '../../../core/database/db.ts'
import { type Finding, Findings } from '../../../core/database/invariant-checks.ts'
import { auditDays, readLastClosedDay } from '../../ledger/daily-sums-audit.ts'
import type { Rules } from '../../rules/decision.ts'
import { FEED_BALANCE_CHECKS, FeedBalanceAuditor, parseFeedBalance } from '../../store/feed-balance-audit.ts'
import { WALLET_CHANGES } from '../../store/wallet-changes.ts'
import { IncrementalAuditor } from './incremental-audit.ts'
import { auditPlayers } from './player-audit.ts'

export interface AuditReport {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

export interface AuditResult extends AuditReport {
  readonly isWhole: boolean
  /** Last event and last closed day that were checked. */
  readonly to: AuditPosition
}

export interface AuditPosition {
  readonly number: bigint
  readonly day: string | null
}

export const AuditSchema = Type.Object(
  {
    ok: Type.Boolean(),
    findings: Type.Array(Type.Object({ check: Type.String(), row: Type.Record(Type.String(), Type.String()) })),
  },
  {
    description:
      'A process runs one audit at a time. A request during an audit gets the result of that audit, which may not contain the newest changes.',
  },
)

/** `of` is the total, if it is known. */
export type AuditProgress = (subject: string, done: number | bigint, of?: number | bigint) => void

export interface AuditOptions {
  readonly clawback: Rules['clawback']
  /**
   * Position of an audit without findings. If it is absent or no longer in the feed, everything is
   * checked.
   */
  readonly since?: AuditPosition | undefined
  readonly progress?: AuditProgress
}

type AuditDb = Pick<Db, 'snapshot'>

/**
 * Only reads. Events without a number are read at once, so a caller with write access numbers them
 * first.
 */
export async function runWalletAudit(db: AuditDb, options: AuditOptions): Promise<AuditResult> {
  const { clawback, since: requestedSince, progress = () => {} } = options
  const findings = new Findings()
  const end = await db.snapshot((tx) => readFeedEnd(tx, WALLET_CHANGES))
  const to = { number: end.number, day: await readLastClosedDay(db) }
  const since =
    requestedSince && requestedSince.number >= end.beforeFirst && requestedSince.number <= end.number
      ? requestedSince
      : undefined
  const allowNegative = clawback === 'allow-negative'
  if (since === undefined)
    await auditPlayers(db, findings, allowNegative, async (done, of) => progress('accounts', done, of))
  await auditDays(db, findings, since && (since.day ?? undefined), async (done, of) => progress('kept days', done, of))
  const first = since?.number ?? end.beforeFirst
  const isComplete = await auditFeed(db, findings, allowNegative, { after: since?.number, end }, (number) =>
    progress('events', number - first, end.number - first),
  )
  if (!isComplete) return runWalletAudit(db, { ...options, since: undefined })
  return { ok: findings.all.length === 0, findings: findings.all, isWhole: since === undefined, to }
}

/**
 * Checks the feed, and in an incremental audit the rows of its changes. False if retention has
 * deleted some of these events meanwhile.
 */
async function auditFeed(
  db: AuditDb,
  findings: Findings,
  allowNegative: boolean,
  { after, end }: { readonly after: bigint | undefined; readonly end: FeedEnd },
  progress: (number: bigint) => void,
): Promise<boolean> {
  let isComplete = true
  const feedBalances = new FeedBalanceAuditor(findings)
  const incremental = after === undefined ? undefined : new IncrementalAuditor(db, findings, allowNegative)
  await visitFeed(
    { db, store: WALLET_CHANGES, after, findings },
    {
      visit(event, place) {
        const balance = parseFeedBalance(event, place.bucket)
        if (balance === null) findings.add(FEED_BALANCE_CHECKS.follows, { event: JSON.stringify(event) })
        else if (balance !== undefined) feedBalances.add(balance)
        // Later events are left to the next audit; a busy wallet would add events without end.
        if (isBeforeFeedEnd(end, place)) incremental?.add(event, place.bucket, balance ?? undefined)
      },
      reset() {
        feedBalances.clear()
        isComplete = incremental === undefined
      },
      end: (tx) => feedBalances.compare(tx),
      async pause(number) {
        if (incremental?.isFull()) await incremental.audit()
        progress(number)
      },
    },
  )
  await incremental?.audit()
  return isComplete
}
