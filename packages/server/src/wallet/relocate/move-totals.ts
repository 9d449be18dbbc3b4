/**
 * Compares the totals of whole tables in the old and the new database, each read in one snapshot.
 * This finds rows that the comparison by player does not visit.
 */
import { type Db, type Row, statement } from '../../core/database/db.ts'
import type { MoveSides, MoveTable } from './row-sync.ts'

const MONEY = statement(
  'move_money',
  `select currency, count(*)::text as accounts, sum(balance)::text as balance, sum(version)::text as versions from purser.account
   group by currency order by currency collate "C"`,
)
const BETS = statement(
  'move_bets',
  `select coalesce(currency, '') as currency, status, count(*)::text as bets, sum(calls)::text as calls, sum(stake)::text as stakes,
     sum(payout)::text as payouts
   from purser.bet group by 1, 2 order by 1, 2`,
)

interface Money extends Row {
  currency: string
  accounts: string
  /** Minor units. */
  balance: string
}

interface Bets extends Row {
  status: string
  bets: string
}

export interface MoveTotals {
  readonly money: readonly Money[]
  readonly bets: readonly Bets[]
  readonly rows: Readonly<Record<string, string>>
}

/** `walked` has the number of compared rows per table. */
export async function compareTotals(
  { from, to }: MoveSides,
  tables: readonly MoveTable[],
  walked: Readonly<Record<string, number>>,
): Promise<{ readonly totals: MoveTotals; readonly differences: string[] }> {
  const [source, target] = await Promise.all([from, to].map((db) => readTotals(db, tables)))
  if (source === undefined || target === undefined) throw new Error('there are two sides')
  const differences = tables.flatMap(({ shape: { table } }) => {
    const [a, b, c] = [source.rows[table], target.rows[table], String(walked[table] ?? 0)]
    return a === b && a === c ? [] : [`${table}: ${a} rows there, ${b} here, ${c} of players that are known`]
  })
  for (const kind of ['money', 'bets'] as const)
    for (const row of [...source[kind], ...target[kind]])
      if (!hasRow(source[kind], row) || !hasRow(target[kind], row)) differences.push(`${kind}: ${JSON.stringify(row)}`)
  return { totals: source, differences: [...new Set(differences)] }
}

function hasRow(rows: readonly Row[], expected: Row): boolean {
  return rows.some((row) => JSON.stringify(row) === JSON.stringify(expected))
}

function readTotals(db: Db, tables: readonly MoveTable[]): Promise<MoveTotals> {
  return db.snapshot(async (tx) => {
    const [money, bets] = [await tx.query<Money>(MONEY), await tx.query<Bets>(BETS)]
    const rows: Record<string, string> = {}
    for (const { shape, statements } of tables) {
      const [row] = await tx.query<{ rows: string }>(statements.count)
      rows[shape.table] = row?.rows ?? ''
    }
    return { money, bets, rows }
  })
}
