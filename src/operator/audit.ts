/**
 * The audit of a wallet, of a live database, in slices with a snapshot each: the ledger's invariants, the bets', the feed's, those of kept days
 * and of adjustments by two persons (W-27). The whole one looks at everything; the other one at what the feed tells since an audit that was clean.
 * What a slice looks at is true in each snapshot on its own; what is not (the feed against the accounts) is compared in the last one.
 */
import { Type } from 'typebox'
import { type Finding, Findings } from '../db/checks.ts'
import type { Db } from '../db/db.ts'
import { type FeedEnd, isUpTo, readFeedEnd, walkFeed } from '../feed/audit.ts'
import { auditDays, lastKept } from '../ledger/daily-audit.ts'
import type { Rules } from '../wallet/decide/decision.ts'
import { WALLET_CHANGES } from '../wallet/store/change.ts'
import { balanceIn, TOLD_CHECKS, Told } from '../wallet/store/change-audit.ts'
import { Changed } from './audit-changed.ts'
import { auditPlayers } from './audit-players.ts'

export interface AuditReport {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

export interface AuditDone extends AuditReport {
  readonly isWhole: boolean
  /** Up to this event, and this day among those that are kept, everything was looked at. */
  readonly to: AuditedTo
}

export interface AuditedTo {
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
      'Of one audit at a time: whoever asks while this process is at one gets the answer of that one, which may have looked at what was there before.',
  },
)

/** How far it is; `of` where that is known. */
export type Progress = (what: string, done: number | bigint, of?: number | bigint) => void

export interface AuditOptions {
  readonly clawback: Rules['clawback']
  /** What an audit that was clean looked at. Absent, or not in the feed any more: everything is looked at. */
  readonly since?: AuditedTo | undefined
  readonly progress?: Progress
}

type Audited = Pick<Db, 'snapshot'>

/** Reads only. What has no number yet is read in one piece, so whoever may write gives numbers before. */
export async function audit(db: Audited, options: AuditOptions): Promise<AuditDone> {
  const { clawback, since: asked, progress = () => {} } = options
  const findings = new Findings()
  const end = await db.snapshot((tx) => readFeedEnd(tx, WALLET_CHANGES))
  const to = { number: end.number, day: await lastKept(db) }
  const since = asked && asked.number >= end.beforeFirst && asked.number <= end.number ? asked : undefined
  const allowNegative = clawback === 'allow-negative'
  if (since === undefined)
    await auditPlayers(db, findings, allowNegative, async (done, of) => progress('accounts', done, of))
  await auditDays(db, findings, since && (since.day ?? undefined), async (done, of) => progress('kept days', done, of))
  const first = since?.number ?? end.beforeFirst
  const isComplete = await auditFeed(db, findings, allowNegative, { after: since?.number, end }, (number) =>
    progress('events', number - first, end.number - first),
  )
  if (!isComplete) return audit(db, { ...options, since: undefined })
  return { ok: findings.all.length === 0, findings: findings.all, isWhole: since === undefined, to }
}

/** With the books of what it tells, when only that is looked at: false when retention took some of it meanwhile. */
async function auditFeed(
  db: Audited,
  findings: Findings,
  allowNegative: boolean,
  { after, end }: { readonly after: bigint | undefined; readonly end: FeedEnd },
  progress: (number: bigint) => void,
): Promise<boolean> {
  let isComplete = true
  const told = new Told(findings)
  const changed = after === undefined ? undefined : new Changed(db, findings, allowNegative)
  await walkFeed(
    { db, store: WALLET_CHANGES, after, findings },
    {
      see(event, place) {
        const balance = balanceIn(event, place.bucket)
        if (balance === null) findings.add(TOLD_CHECKS.follows, { event: JSON.stringify(event) })
        else if (balance !== undefined) told.see(balance)
        // What comes later is the next audit's: a busy wallet adds to it for as long as this one goes on.
        if (isUpTo(end, place)) changed?.see(event, place.bucket, balance ?? undefined)
      },
      forget() {
        told.forget()
        isComplete = changed === undefined
      },
      end: (tx) => told.compare(tx),
      async pause(number) {
        if (changed?.isEnough()) await changed.audit()
        progress(number)
      },
    },
  )
  await changed?.audit()
  return isComplete
}
