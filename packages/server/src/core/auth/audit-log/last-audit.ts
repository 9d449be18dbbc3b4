/**
 * Time and findings of the last check of the database (`purser audit`), for the metrics (O-12).
 *
 * The command records its result in the audit log. A check through the API only reads, so only the
 * process that ran it remembers the result.
 */
import { type Db, type Row, statement, type Tx } from '../../database/db.ts'
import { createDatabaseMetric, formatMetric, type MetricSource } from '../../observability/metrics-exposition.ts'
import type { AuthSchema } from '../auth-settings.ts'
import type { Actor } from './audit-log.ts'

interface AuditSummary {
  readonly at: Date
  readonly findings: number
}

export interface LastAudit extends MetricSource {
  /** Reports an audit by this process. */
  audited(audit: AuditSummary): void
}

const SUBJECT = 'audit'

/** `whole` is false for changes since an earlier audit. `to` has the last audited feed event. */
export interface AuditScope {
  readonly whole: boolean
  readonly to: Readonly<Record<string, string | null>>
}

export function recordAudit(
  tx: Tx,
  actor: Actor,
  { at, findings, ...scope }: AuditSummary & AuditScope,
): Promise<void> {
  return actor.record(tx, { on: { audit: SUBJECT }, before: {}, after: { findings, ...scope }, at })
}

/**
 * Returns the position that the last audit without findings reached. Undefined if the last complete
 * audit had findings: they are checked again until a complete audit has none (O-12).
 */
export async function readLastCleanAudit(
  schema: AuthSchema,
  db: Pick<Db, 'userQueries'>,
): Promise<AuditScope['to'] | undefined> {
  const [row] = await db.userQueries.query<Row & { to: AuditScope['to']; is_clean: boolean }>(defineLastClean(schema))
  return row?.is_clean ? row.to : undefined
}

function defineLastClean(schema: AuthSchema) {
  const audits = `select at, after -> 'to' as place, (after ->> 'findings')::int as findings, (after ->> 'whole')::boolean as is_whole
     from ${schema}.action where subject = '${SUBJECT}' and operation = 'audit' and after ->> 'to' is not null`
  return statement(
    `${schema}_last_clean_audit`,
    `select (select place from (${audits}) a where findings = 0 order by at desc limit 1) as to,
       coalesce((select findings = 0 from (${audits}) a where is_whole order by at desc limit 1), false) as is_clean`,
  )
}

export function createLastAudit(schema: AuthSchema, db: Pick<Db, 'userQueries'>): LastAudit {
  let own: AuditSummary | undefined
  const read = defineLast(schema)
  const metric = createDatabaseMetric('audit', async () => {
    const [row] = await db.userQueries.query<Row & { at: Date; findings: number }>(read)
    return formatMetrics(selectLatest(own, row))
  })
  return {
    ...metric,
    audited(audit) {
      own = audit
    },
  }
}

/** The operation excludes entries of a player with the name of the subject. */
function defineLast(schema: AuthSchema) {
  return statement(
    `${schema}_last_audit`,
    `select at, (after ->> 'findings')::int as findings from ${schema}.action
     where subject = '${SUBJECT}' and operation = 'audit' order by at desc limit 1`,
  )
}

function selectLatest(a: AuditSummary | undefined, b: AuditSummary | undefined): AuditSummary {
  if (a === undefined || b === undefined) return a ?? b ?? NO_AUDIT
  return a.at > b.at ? a : b
}

const NO_AUDIT: AuditSummary = { at: new Date(0), findings: 0 }

function formatMetrics({ at, findings }: AuditSummary): string {
  return (
    formatMetric('purser_last_audit_timestamp_seconds', 'gauge', 'Time of the last audit, 0 before the first one', [
      [{}, at.getTime() / 1_000],
    ]) + formatMetric('purser_last_audit_findings', 'gauge', 'Findings of the last audit', [[{}, findings]])
  )
}
