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
