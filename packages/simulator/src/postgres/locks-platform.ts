/**
 * The platform of a run with real locks. It runs in the process of the simulation. Its SQL
 * statements pass the same proxy as the wallets'.
 */

import { environment } from '@purser/runtime/environment'
import type { Db } from 'purser/core/database/db'
import { openPostgres } from 'purser/core/database/postgres/postgres'
import type { Platform } from 'purser/platform/platform'
import { MARKET_PARTNER } from '../market/actors/market-participants.ts'
import { AUTHORS, createTraceLogger, startPlatformParty } from '../market/actors/market-parties.ts'
import { PARTY_URLS } from '../market/actors/party-names.ts'
import { CONFIGS, MARKET_SECRET } from '../market/databases/market-store.ts'
import type { LocksFault, LocksHarness } from './locks-harness.ts'

export interface LocksPlatform {
  readonly platform: Platform
  readonly db: Db
}

const unchanged = (db: Db) => db

export async function startLocksPlatform(
  { base, proxy, trace }: Pick<LocksHarness, 'base' | 'proxy' | 'trace'>,
  planted: LocksFault['platform'] = unchanged,
): Promise<LocksPlatform> {
  const opened = await openPostgres(base.platform.url, { newSocket: () => proxy.newSocket('platform') })
  const platform = await startPlatformParty(
    planted(withVirtualClock(opened)),
    createTraceLogger(trace.note, 'platform'),
    CONFIGS.platform,
  )
  const partner = { partnerId: MARKET_PARTNER, baseUrl: PARTY_URLS.wallet, secrets: [MARKET_SECRET], connection: {} }
  await platform.deciding.partners.save(AUTHORS.platform(), partner, new Date(environment.now()))
  return { platform, db: opened }
}

/** The platform's clock is its database's (W-19); here it shows the virtual time. */
function withVirtualClock(db: Db): Db {
  const query = (async (statement, values) =>
    statement.name === 'platform_read_clock'
      ? [{ now: environment.now() }]
      : db.query(statement, values)) as Db['query']
  return { ...db, query }
}
