/** Settings of a whole Postgres server that are changed while it runs, and a wait for what comes of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecondPostgres } from './second-postgres.ts'
import type { TcpProxy } from './tcp-proxy.ts'

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

const WAITING = "select from pg_stat_activity where wait_event = 'SyncRep'"

/** Makes every COMMIT wait for a standby that never comes. */
export async function waitForNobody(postgres: SecondPostgres): Promise<void> {
  await reload(postgres, 'synchronous_standby_names', 'nobody')
  await untilCommitsWait(postgres, () => cancelStandbyWaits(postgres))
}

/** Makes every COMMIT wait for the standby that follows by this link. */
export async function waitForStandby(
  postgres: SecondPostgres,
  link: Pick<TcpProxy, 'silence' | 'resume'>,
): Promise<void> {
  await reload(postgres, 'synchronous_standby_names', '*')
  await until(
    async () => (await postgres.execute("select from pg_stat_replication where sync_state = 'sync'")).length > 0,
  )
  await untilCommitsWait(
    postgres,
    async () => {
      const isWaiting = (await postgres.execute(WAITING)).length > 0
      if (isWaiting) link.resume()
      return isWaiting
    },
    () => link.silence(),
  )
  link.resume()
}

/**
 * The checkpointer tells the sessions of a setting some time after they have seen it: until then a COMMIT waits for nobody. `letGo`: ends the wait of
 * one that waits; whether there was one. `hold`: before each try.
 */
async function untilCommitsWait(
  postgres: SecondPostgres,
  letGo: () => Promise<boolean>,
  hold: () => void = () => {},
): Promise<void> {
  await until(async () => {
    let [isOver, hasWaited] = [false, false]
    const over = () => {
      isOver = true
    }
    hold()
    const probe = postgres.execute("comment on schema public is 'waits'").then(over, over)
    await until(async () => {
      hasWaited = await letGo()
      return hasWaited || isOver
    })
    await probe
    return hasWaited
  })
}
