/**
 * The scale in which amounts of a currency are stored (M-5), of a wallet and of a platform. It is recorded in the database
 * with what it counts, and can neither change nor be forgotten afterwards: 1000 minor units would become another amount.
 */
import { type Scales, scaleOf } from '../protocol/money.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, statement, type Tx } from './db.ts'

/** Who stores amounts. The gateway has none: it passes them on as they are. */
export type Keeper = 'wallet' | 'platform'

interface Row extends Record<string, unknown> {
  currency: string
  scale: number
}

const STATEMENTS = {
  wallet: statementsOn('wallet', 'purser.currency'),
  platform: statementsOn('platform', 'platform.currency'),
}

function statementsOn(keeper: Keeper, table: string) {
  const read = `select currency, scale from ${table}`
  return {
    readAll: statement(`read_scales_of_${keeper}`, `${read} order by currency`),
    readSome: statement(`read_some_scales_of_${keeper}`, `${read} where currency = any($1::text[])`),
    record: statement(
      `record_scales_of_${keeper}`,
      `insert into ${table} (currency, scale) select * from unnest($1::text[], $2::smallint[]) on conflict (currency) do nothing`,
    ),
  }
}

/** Throws when a recorded currency is configured with another scale, or not at all. For the start of a process. */
export async function checkScales(db: Pick<Db, 'query'>, keeper: Keeper, scales: Scales): Promise<void> {
  refuseOthers(await db.query<Row>(STATEMENTS[keeper].readAll), scales)
}

/** What is recorded: for a command, which may run without the settings of the servers. */
export async function readScales(db: Pick<Db, 'query'>, keeper: Keeper): Promise<Scales> {
  return new Map((await db.query<Row>(STATEMENTS[keeper].readAll)).map(({ currency, scale }) => [currency, scale]))
}

function refuseOthers(recorded: readonly Row[], scales: Scales): void {
  const others = recorded.filter(({ currency, scale }) => scales.get(currency) !== scale)
  if (others.length === 0) return
  const list = others.map(({ currency, scale }) => {
    const configured = scales.get(currency)
    const here = configured === undefined ? ' and not configured' : `, configured are ${configured}`
    return `${currency} is stored with ${scale} decimals${here}`
  })
  const settings = others.map(({ currency, scale }) => `${currency}:${scale}`).join(',')
  throw new WrongUse(
    `the scale of a currency in use cannot change: ${list.join('; ')}. PURSER_CURRENCIES must have ${settings}`,
  )
}

/** Records the scales of currencies that come into use; throws when another process has recorded another one. */
export async function recordScales(
  tx: Tx,
  keeper: Keeper,
  currencies: readonly string[],
  scales: Scales,
): Promise<void> {
  const sorted = [...currencies].sort()
  await tx.execute(STATEMENTS[keeper].record, [sorted, sorted.map((currency) => scaleOf(scales, currency))])
  refuseOthers(await tx.query<Row>(STATEMENTS[keeper].readSome, [sorted]), scales)
}
