/** Changes settings of a whole Postgres server while it runs, and waits for their effect. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecondPostgres } from './second-postgres.ts'
import type { TcpProxy } from './tcp-proxy.ts'

const POLL_MS = 20
const TIMEOUT_MS = 30_000

/** Resolves when the condition is true; throws when it stays false. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it has never become so')
    await sleep(POLL_MS)
  }
}

/** Makes the server read its settings again. Resolves when new sessions have this value. */
export async function reloaded(postgres: SecondPostgres, setting: string, value: string): Promise<void> {
  await postgres.execute('select pg_reload_conf()')
  await until(async () => (await postgres.execute(`show ${setting}`))[0]?.[setting] === value)
}

export async function reload(postgres: SecondPostgres, setting: string, value: string): Promise<void> {
  await postgres.execute(`alter system set ${setting} = '${value}'`)
  await reloaded(postgres, setting, value)
}

const CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"

/** Ends the wait of each COMMIT that waits for a standby. True if a COMMIT was waiting. */
export async function cancelStandbyWaits(postgres: SecondPostgres): Promise<boolean> {
  return (await postgres.execute(CANCEL)).length > 0
}

const WAITING = "select from pg_stat_activity where wait_event = 'SyncRep'"

/** Makes every COMMIT wait for a standby that does not exist. */
export async function waitForMissingStandby(postgres: SecondPostgres): Promise<void> {
  await reload(postgres, 'synchronous_standby_names', 'nobody')
  await untilCommitsWait(postgres, () => cancelStandbyWaits(postgres))
}

/** Makes every COMMIT wait for the standby that is connected over this link. */
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
 * The checkpointer notifies sessions later than they see the new setting, and until then a COMMIT
 * does not wait. `letGo` ends the wait of a COMMIT and returns if one was waiting. `hold` runs
 * before each try.
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
