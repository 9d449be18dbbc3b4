import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { changeSettings } from '../../src/servers/money-settings.ts'

/**
 * Changes the settings as `purser settings wallet --apply` does. Later wallets on this database
 * start with them.
 */
export async function changeMoneySettings(databaseUrl: string, env: Record<string, string>): Promise<void> {
  const config = readConfig({ ...env, DATABASE_URL: databaseUrl }, PROCESS_ROLES.tool)
  const db = await openDb(config.store)
  await changeSettings(db, 'wallet', config).finally(() => db.close())
}
