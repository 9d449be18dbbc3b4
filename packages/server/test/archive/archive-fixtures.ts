// Archives the database of a wallet in this process, as its owner does.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { Findings } from '../../src/core/database/invariant-checks.ts'
import { auditArchive } from '../../src/wallet/archive/archive-audit.ts'
import { type ArchiveOptions, type ArchiveResult, runArchive } from '../../src/wallet/archive/archive-run.ts'
import type { TestWallet } from '../support/wallet.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** Milliseconds after which the day of earlier work has been over for an hour. */
export const PAST_MIDNIGHT_MS = 25 * HOUR_MS

/** A folder of the test file. */
export function newFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'purser-archive-'))
  })
  afterAll(() => rm(folder.path, { recursive: true, force: true }))
  return folder
}

type ArchivedWallet = Pick<TestWallet, 'databaseUrl' | 'clock'>

/**
 * The first day that has not ended for an hour, on the wallet's clock. Earlier days can be closed.
 */
export function firstDay({ clock }: Pick<TestWallet, 'clock'>): Date {
  return new Date(Math.floor((clock.now().getTime() - HOUR_MS) / DAY_MS) * DAY_MS)
}

/** Makes the tokens outlast the pause, because archives do not concern them. */
export async function keepTokens({ databaseUrl }: Pick<TestWallet, 'databaseUrl'>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("update purser.session set expires_at = '2100-01-01'").finally(() => client.end())
}

/** Archives everything that is complete before this day. */
export async function archiveAll(
  wallet: ArchivedWallet,
  folder: string,
  options: Partial<ArchiveOptions> = {},
): Promise<ArchiveResult> {
  const db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  const now = wallet.clock.now()
  const usual = { before: firstDay(wallet), now, signal: new AbortController().signal, printStatus: () => {} }
  return runArchive({ db, folder, ...usual, ...options }).finally(() => db.close())
}

/** The findings of the audit of the files. */
export async function findingsInFiles({ databaseUrl }: Pick<TestWallet, 'databaseUrl'>, folder: string) {
  const db = await openDb({ kind: 'postgres', url: databaseUrl })
  const findings = new Findings()
  await auditArchive(db, folder, findings, () => {}).finally(() => db.close())
  return findings.all
}
