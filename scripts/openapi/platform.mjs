/**
 * Makes packages/server/openapi/platform.json, which describes the platform's API, with examples
 * from a platform whose partner is our wallet.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '@purser/runtime/logger'
import { readConfig } from 'purser/core/config/config'
import { openDb } from 'purser/core/database/database-factory'
import { statement } from 'purser/core/database/db'
import { migrateSchema } from 'purser/core/database/schema/schema-migration'
import { createPlatformApp } from 'purser/servers/platform-server'
import { createWalletApp } from 'purser/servers/wallet-server'
import { makeDocument } from './document.mjs'
import { recordExamples } from './platform-examples.mjs'
import { NAMED_SCHEMAS, OPENAPI } from './platform-frame.mjs'

const KEYS = { PARTNER_SECRET: 'shared-secret', OPERATOR_API_KEY: 'operator-key', PLATFORM_API_KEY: 'platform-key' }
const POLL_MS = 5

export function makePlatformOpenApi() {
  const keys = { url: '/keys', key: KEYS.PLATFORM_API_KEY }
  return makeDocument({ frame: OPENAPI, schemas: NAMED_SCHEMAS, start: startBoth, keys, record: recordExamples })
}

async function startBoth(beforeRoutes) {
  const config = readConfig({ PURSER_DATA_DIR: 'memory://', ...KEYS })
  const db = await openDb(config.store)
  await migrateSchema(db)
  const clock = steppedClock()
  const log = createLogger('silent')
  const wallet = await createWalletApp(config, { db, clock, buckets: 1, log })
  const walletUrl = await wallet.listen({ host: '127.0.0.1', port: 0 })
  const deps = { db, clock, timers: timersOf(clock), log, random: () => 0, beforeRoutes }
  const platform = await createPlatformApp(config, deps)
  await platform.app.ready()
  const close = async () => {
    await platform.close()
    await wallet.close()
  }
  return { ...platform, db, clock, wallet, walletUrl, keys: KEYS, delivered: () => delivered(db), close }
}

/** Moves only on step(), so that the document is the same on any day and machine. */
function steppedClock() {
  let time = Date.parse('2031-05-16T17:00:00.000Z')
  return {
    now: () => new Date(time),
    step() {
      time += 1_000
    },
  }
}

function timersOf(clock) {
  return {
    at(time, wake) {
      const timer = setTimeout(wake, Math.max(0, time.getTime() - clock.now().getTime()))
      return () => clearTimeout(timer)
    },
    elapsed: () => performance.now(),
  }
}

const UNFINISHED = statement(
  'unfinished',
  "select count(*)::int as count from platform.delivery where status in ('pending', 'waiting')",
)

async function delivered(db) {
  while ((await db.query(UNFINISHED))[0].count > 0) await sleep(POLL_MS)
}
