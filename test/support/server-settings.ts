/** Settings of a whole Postgres server that are changed while it runs, and a wait for what comes of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecondPostgres } from './second-postgres.ts'

const POLL_MS = 20
const PATIENCE_MS = 30_000

/** Resolves when it has become so; throws when it does not. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it has never become so')
    await sleep(POLL_MS)
  }
}

/** Makes the server read its settings again; resolves when new sessions see this one. */
export async function reloaded(postgres: SecondPostgres, setting: string, value: string): Promise<void> {
  await postgres.execute('select pg_reload_conf()')
  await until(async () => (await postgres.execute(`show ${setting}`))[0]?.[setting] === value)
}

/** Sets it for the server, which goes on running. */
export async function reload(postgres: SecondPostgres, setting: string, value: string): Promise<void> {
  await postgres.execute(`alter system set ${setting} = '${value}'`)
  await reloaded(postgres, setting, value)
}

const CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"

/** Ends the wait of each COMMIT that waits for a standby; whether there was one. */
export async function cancelStandbyWaits(postgres: SecondPostgres): Promise<boolean> {
  return (await postgres.execute(CANCEL)).length > 0
}

/**
 * Makes every COMMIT wait for a standby that never comes. The checkpointer tells the sessions, some time after they have seen the setting: until
 * then a COMMIT waits for nobody.
 */
export async function waitForNobody(postgres: SecondPostgres): Promise<void> {
  await reload(postgres, 'synchronous_standby_names', 'nobody')
  await until(async () => {
    let [isOver, hasWaited] = [false, false]
    const over = () => {
      isOver = true
    }
    const probe = postgres.execute("comment on schema public is 'waits'").then(over, over)
    await until(async () => {
      hasWaited = await cancelStandbyWaits(postgres)
      return hasWaited || isOver
    })
    await probe
    return hasWaited
  })
}
