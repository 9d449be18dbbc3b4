/**
 * When the books were last audited, and what was found (O-12): for the metrics. `purser audit` leaves a line in the action log; an audit
 * by the API is remembered by the process that made it, because what only reads writes nothing.
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
  /** Of this process. */
  audited(audit: AuditSummary): void
}

const SUBJECT = 'audit'

/** What an audit looked at: everything, or what changed since another one; and up to where, in the words of whoever audits. */
export interface AuditScope {
  readonly whole: boolean
  readonly to: Readonly<Record<string, string | null>>
}

/** In the action log: so many findings, and what was looked at. */
export function recordAudit(
  tx: Tx,
  actor: Actor,
  { at, findings, ...scope }: AuditSummary & AuditScope,
): Promise<void> {
  return actor.record(tx, { on: { audit: SUBJECT }, before: {}, after: { findings, ...scope }, at })
}

/**
 * Up to where the books are known to be clean: the last whole audit found nothing, and the last one that found nothing since then looked so far.
 * Undefined when there is none: what a whole audit found is looked at again until a whole one finds nothing.
 */
export async function readLastCleanAudit(
  schema: AuthSchema,
  db: Pick<Db, 'people'>,
): Promise<AuditScope['to'] | undefined> {
  const [row] = await db.people.query<Row & { to: AuditScope['to']; is_clean: boolean }>(defineLastClean(schema))
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

export function createLastAudit(schema: AuthSchema, db: Pick<Db, 'people'>): LastAudit {
  let own: AuditSummary | undefined
  const read = defineLast(schema)
  const metric = createDatabaseMetric('audit', async () => {
    const [row] = await db.people.query<Row & { at: Date; findings: number }>(read)
    return formatMetrics(selectLatest(own, row))
  })
  return {
    ...metric,
    audited(audit) {
      own = audit
    },
  }
}

/** By the primary key. A player may be called as the subject is. */
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
