/** The platform of a run: in this process, as nobody else's code is in it, with a database of its own behind the same proxy. */
import type { Db } from '../../db/db.ts'
import { openPostgres } from '../../db/postgres.ts'
import type { Platform } from '../../platform/platform.ts'
import { world } from '../../runtime/world.ts'
import { PARTNER } from '../market/cast.ts'
import { AUTHORS, beginPlatform, logTo } from '../market/parties.ts'
import { CONFIGS, SECRET } from '../market/store.ts'
import { URLS } from '../market/who.ts'
import type { Plant, Scene } from './scene.ts'

export interface Begun {
  readonly platform: Platform
  readonly db: Db
}

const asItIs = (db: Db) => db

export async function openPlatform(
  { base, proxy, trace }: Pick<Scene, 'base' | 'proxy' | 'trace'>,
  planted: Plant['platform'] = asItIs,
): Promise<Begun> {
  const opened = await openPostgres(base.platform.url, { newSocket: () => proxy.newLine('platform') })
  const platform = await beginPlatform(planted(inOurTime(opened)), logTo(trace.note, 'platform'), CONFIGS.platform)
  const partner = { partnerId: PARTNER, baseUrl: URLS.wallet, secrets: [SECRET], connection: {} }
  await platform.deciding.partners.save(AUTHORS.platform(), partner, new Date(world.wall()))
  return { platform, db: opened }
}

/** Its database tells it the time of the simulation (W-19). */
function inOurTime(db: Db): Db {
  const query = (async (statement, values) =>
    statement.name === 'platform_read_clock' ? [{ now: world.wall() }] : db.query(statement, values)) as Db['query']
  return { ...db, query }
}
