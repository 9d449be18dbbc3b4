/**
 * Reads the query plans of our SQL statements: the indexes used, and the number of rows and pages
 * read.
 */
import type pg from 'pg'
import type { Queryable, Statement } from '../../src/core/database/db.ts'

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

export type SentStatement = readonly [Statement, readonly unknown[]]

/** Each statement of `work` gets no rows. */
export async function sentBy(work: (reading: Queryable) => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const query = async (statement: Statement, values: readonly unknown[] = []) => {
    sent.push([statement, values])
    return []
  }
  await work({ query })
  return sent
}

export interface Plan {
  /** Each scanned index, `ctid` for a row with a known position, or `none` for the table itself. */
  readonly scans: readonly string[]
  readonly rows: number
  /** Pages of 8 KiB. */
  readonly pages: number
}

/** Runs the statement as the server does from the sixth time on: with one plan for all values. */
export async function planOf(sql: pg.Client, settings: string, [{ name, text }, values]: SentStatement): Promise<Plan> {
  const given = values.length === 0 ? '' : ` (${values.map((value) => toLiteral(sql, value)).join(', ')})`
  await sql.query(`${settings}; prepare ${name} as ${text}`)
  const { rows } = await sql.query(`explain (analyze, buffers, format json) execute ${name}${given}`)
  await sql.query(`deallocate ${name}; reset all`)
  const [root, ...others] = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  const scans = [root, ...others].filter(isScan)
  return {
    // A bitmap scan has two nodes: one has the index, the other one has the rows.
    scans: scans.filter((node) => node['Node Type'] !== 'Bitmap Heap Scan').map(nameOf),
    rows: scans
      .filter((node) => node['Node Type'] !== 'Bitmap Index Scan')
      .reduce((sum, node) => sum + rowsReadBy(node), 0),
    pages: (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0),
  }
}

function toLiteral(sql: pg.Client, value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Date) return sql.escapeLiteral(value.toISOString())
  if (!Array.isArray(value)) return sql.escapeLiteral(String(value))
  return sql.escapeLiteral(`{${value.map((one) => (one === null ? 'null' : JSON.stringify(String(one)))).join(',')}}`)
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function nameOf(node: PlanNode): string {
  return node['Node Type'] === 'Tid Scan' ? 'ctid' : (node['Index Name'] ?? 'none')
}

const NO_TABLE = /^(CTE|Subquery|Function|WorkTable|Values) Scan$/

function isScan(node: PlanNode | undefined): node is PlanNode {
  const type = node?.['Node Type'] ?? ''
  return /Scan$/.test(type) && !NO_TABLE.test(type)
}

function rowsReadBy(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}
