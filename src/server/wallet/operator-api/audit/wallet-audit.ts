/**
 * The audit of a wallet, of a live database, in slices with a snapshot each: the ledger's invariants, the bets', the feed's, those of kept days
 * and of adjustments by two persons (W-27). The whole one looks at everything; the other one at what the feed tells since an audit that was clean.
 * What a slice looks at is true in each snapshot on its own; what is not (the feed against the accounts) is compared in the last one.
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
  /** Up to this event, and this day among those that are kept, everything was looked at. */
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

/** How far it is; `of` where that is known. */
export type AuditProgress = (subject: string, done: number | bigint, of?: number | bigint) => void

export interface AuditOptions {
  readonly clawback: Rules['clawback']
  /** What an audit that was clean looked at. Absent, or not in the feed any more: everything is looked at. */
  readonly since?: AuditPosition | undefined
  readonly progress?: AuditProgress
}

type AuditDb = Pick<Db, 'snapshot'>

/** Reads only. What has no number yet is read in one piece, so whoever may write gives numbers before. */
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

/** With the books of what it tells, when only that is looked at: false when retention took some of it meanwhile. */
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
        // What comes later is the next audit's: a busy wallet adds to it for as long as this one goes on.
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
