// A wallet's database, archived by its owner in this process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { openDb } from '../../src/server/core/database/database-factory.ts'
import { Findings } from '../../src/server/core/database/invariant-checks.ts'
import { auditArchive } from '../../src/server/wallet/archive/archive-audit.ts'
import { type ArchiveOptions, type ArchiveResult, runArchive } from '../../src/server/wallet/archive/archive-run.ts'
import type { TestWallet } from '../support/wallet.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** Behind so much, the day of what was done before is over for an hour. */
export const PAST_MIDNIGHT_MS = 25 * HOUR_MS

/** A folder of this test file's own. */
export function newFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'purser-archive-'))
  })
  afterAll(() => rm(folder.path, { recursive: true, force: true }))
  return folder
}

type Archived = Pick<TestWallet, 'databaseUrl' | 'clock'>

/** The first day that is not over for an hour, by the wallet's clock: the sums of those before can be kept. */
export function firstDay({ clock }: Pick<TestWallet, 'clock'>): Date {
  return new Date(Math.floor((clock.now().getTime() - HOUR_MS) / DAY_MS) * DAY_MS)
}

/** Tokens are not what archives are about: they live on behind the pause. */
export async function keepTokens({ databaseUrl }: Pick<TestWallet, 'databaseUrl'>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("update purser.session set expires_at = '2100-01-01'").finally(() => client.end())
}

/** All that is over since before that day. */
export async function archiveAll(
  wallet: Archived,
  folder: string,
  options: Partial<ArchiveOptions> = {},
): Promise<ArchiveResult> {
  const db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  const now = wallet.clock.now()
  const usual = { before: firstDay(wallet), now, signal: new AbortController().signal, printStatus: () => {} }
  return runArchive({ db, folder, ...usual, ...options }).finally(() => db.close())
}

/** What the audit of the files finds. */
export async function findingsInFiles({ databaseUrl }: Pick<TestWallet, 'databaseUrl'>, folder: string) {
  const db = await openDb({ kind: 'postgres', url: databaseUrl })
  const findings = new Findings()
  await auditArchive(db, folder, findings, () => {}).finally(() => db.close())
  return findings.all
}
