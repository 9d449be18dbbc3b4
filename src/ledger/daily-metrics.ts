/** Which day is the first one whose sums are not kept yet: an old one makes every report sum its transfers again. */
import type { Db } from '../db/db.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Measured, metricText, toldByDatabase } from '../runtime/metric-text.ts'
import { firstOpen } from './daily.ts'

export function createDailyMetrics(db: Pick<Db, 'people'>, clock: Clock): Measured {
  return toldByDatabase('days', async () => {
    const day = await firstOpen(db.people, clock.now())
    return metricText('wallet_first_open_day_timestamp_seconds', 'gauge', HELP, [[{}, day.getTime() / 1_000]])
  })
}

const HELP = 'Midnight (UTC) of the first day whose sums are not kept'
