/**
 * The scale in which amounts of a currency are stored. It is recorded with the first account in the currency and can
 * neither change nor be forgotten afterwards: 1000 minor units would become another amount.
 */
import { type Db, statement, type Tx } from '../db/db.ts'
import type { Scales } from '../protocol/money.ts'
import { WrongUse } from '../wrong-use.ts'

interface Row extends Record<string, unknown> {
  currency: string
  scale: number
}

const READ_SCALES = statement('read_scales', 'select currency, scale from purser.currency order by currency')

/** Throws when a recorded currency is configured with another scale, or not at all. For the start of a process. */
export async function checkScales(db: Db, scales: Scales): Promise<void> {
  const recorded = await db.query<Row>(READ_SCALES)
  const forgotten = recorded.filter(({ currency }) => !scales.has(currency))
  if (forgotten.length > 0) {
    const list = forgotten.map(({ currency, scale }) => `${currency}:${scale}`)
    throw new WrongUse(
      `players have accounts in currencies that are not configured: add ${list.join(',')} to PURSER_CURRENCIES`,
    )
  }
  refuseChanged(recorded, scales)
}

function refuseChanged(recorded: readonly Row[], scales: Scales): void {
  const changed = recorded.filter(({ currency, scale }) => scales.get(currency) !== scale)
  if (changed.length === 0) return
  const list = changed.map(
    ({ currency, scale }) => `${currency} is stored with ${scale} decimals, configured are ${scales.get(currency)}`,
  )
  throw new WrongUse(`the scale of a currency in use cannot change: ${list.join('; ')}`)
}

const RECORD_SCALES = statement(
  'record_scales',
  `insert into purser.currency (currency, scale) select * from unnest($1::text[], $2::smallint[])
   on conflict (currency) do nothing`,
)
const READ_SOME_SCALES = statement(
  'read_some_scales',
  'select currency, scale from purser.currency where currency = any($1::text[])',
)

/** Records the scales of currencies that get an account; throws when another process has recorded another one. */
export async function recordScales(tx: Tx, currencies: readonly string[], scales: Scales): Promise<void> {
  const sorted = [...currencies].sort()
  await tx.execute(RECORD_SCALES, [sorted, sorted.map((currency) => scales.get(currency) ?? null)])
  refuseChanged(await tx.query<Row>(READ_SOME_SCALES, [sorted]), scales)
}
