/**
 * The scale (number of decimals) in which a wallet or platform stores amounts of a currency (M-5).
 *
 * The scale is recorded in the database that stores the amounts. A recorded scale can neither
 * change nor disappear, because 1000 minor units would become another amount.
 */
import { requireScale, type Scales } from '@purser/protocol/values/money'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Db, statement, type Tx } from '../db.ts'

/** Servers that store amounts. The gateway forwards them unchanged. */
export type MoneyServer = 'wallet' | 'platform'

interface ScaleRow extends Record<string, unknown> {
  currency: string
  scale: number
}

const STATEMENTS = {
  wallet: createStatements('wallet', 'purser.currency'),
  platform: createStatements('platform', 'platform.currency'),
}

function createStatements(server: MoneyServer, table: string) {
  const read = `select currency, scale from ${table}`
  return {
    readAll: statement(`read_scales_of_${server}`, `${read} order by currency`),
    readSome: statement(`read_some_scales_of_${server}`, `${read} where currency = any($1::text[])`),
    record: statement(
      `record_scales_of_${server}`,
      `insert into ${table} (currency, scale) select * from unnest($1::text[], $2::smallint[]) on conflict (currency) do nothing`,
    ),
  }
}

/**
 * For the start. Throws when a recorded currency is configured with another scale, or not at all.
 */
export async function requireRecordedScales(db: Pick<Db, 'query'>, server: MoneyServer, scales: Scales): Promise<void> {
  refuseChangedScales(await db.query<ScaleRow>(STATEMENTS[server].readAll), scales)
}

/** For a command, which may run without the settings of the servers. */
export async function readRecordedScales(db: Pick<Db, 'query'>, server: MoneyServer): Promise<Scales> {
  return new Map((await db.query<ScaleRow>(STATEMENTS[server].readAll)).map(({ currency, scale }) => [currency, scale]))
}

function refuseChangedScales(recorded: readonly ScaleRow[], scales: Scales): void {
  const changed = recorded.filter(({ currency, scale }) => scales.get(currency) !== scale)
  if (changed.length === 0) return
  const list = changed.map(({ currency, scale }) => {
    const configured = scales.get(currency)
    const configuredText = configured === undefined ? ' and not configured' : `, configured are ${configured}`
    return `${currency} is stored with ${scale} decimals${configuredText}`
  })
  const settings = changed.map(({ currency, scale }) => `${currency}:${scale}`).join(',')
  throw new UsageError(
    `the scale of a currency in use cannot change: ${list.join('; ')}. PURSER_CURRENCIES must have ${settings}`,
  )
}

/** Records the scales of new currencies. Throws when another process has recorded another scale. */
export async function recordScales(
  tx: Tx,
  server: MoneyServer,
  currencies: readonly string[],
  scales: Scales,
): Promise<void> {
  const sorted = [...currencies].sort()
  await tx.execute(STATEMENTS[server].record, [sorted, sorted.map((currency) => requireScale(scales, currency))])
  refuseChangedScales(await tx.query<ScaleRow>(STATEMENTS[server].readSome, [sorted]), scales)
}
