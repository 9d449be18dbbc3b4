/**
 * `purser reconcile` compares the bets of the platform with the wallet's, and writes the findings.
 */

import { findUrlFault } from '@purser/protocol/values/base-url'
import { PLATFORM_NAME } from '@purser/protocol/wire-ids'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Config } from '../core/config/config.ts'
import { type DatabaseConfig, openExistingDb } from '../core/database/database-factory.ts'
import type { Db } from '../core/database/db.ts'
import { findUrlProblem } from '../core/database/postgres/postgres-url.ts'
import { requireReadPrivileges } from '../core/database/schema/database-privileges.ts'
import { requireCurrentSchema } from '../core/database/schema/schema-migration.ts'
import type { ReconcileFinding } from './bet-comparison.ts'
import { reconcile, type Summary, type WalletSource } from './reconcile.ts'
import { reconcileFile } from './reconcile-file.ts'
import {
  createCsvFindingsReport,
  createJsonFindingsReport,
  createTextFindingsReport,
  type FindingsReport,
} from './reconcile-report.ts'

export interface ReconcileCommand {
  readonly partner?: string
  /** `postgres://…`, or the folder of an embedded database. */
  readonly platformDatabaseUrl?: string
  readonly walletDatabaseUrl?: string
  readonly operatorApi?: string
  readonly operatorKey?: string
  readonly csv?: string
  /** A file with the bets of another platform, which replaces its database. */
  readonly platformCsv?: string
  /** Names of the platforms to compare, as in PARTNER_SECRETS (W-43). */
  readonly platform?: readonly string[]
  readonly json?: true
}

/** Prints each finding at once; resolves to true when nothing differs. */
export async function runReconcile(
  options: ReconcileCommand,
  config: Config,
  write: (text: string) => void,
): Promise<boolean> {
  const opened: Db[] = []
  try {
    const compare = await openSides(options, config, opened)
    const reports = [
      options.json ? createJsonFindingsReport(write) : createTextFindingsReport(write),
      ...(options.csv ? [createCsvFindingsReport(options.csv)] : []),
    ]
    const found = (finding: ReconcileFinding) => reports.forEach((report: FindingsReport) => void report.found(finding))
    const summary = await compare(found)
    for (const report of reports) report.end(summary)
    return summary.differences === 0
  } finally {
    await Promise.all(opened.map((db) => db.close()))
  }
}

type Comparison = (found: (finding: ReconcileFinding) => void) => Promise<Summary>

async function openSides(options: ReconcileCommand, config: Config, opened: Db[]): Promise<Comparison> {
  const storeIn = (given: string | undefined) => (given === undefined ? config.store : parseStore(given, config))
  const stores = [storeIn(options.platformDatabaseUrl), storeIn(options.walletDatabaseUrl)] as const
  const open = async (store: DatabaseConfig, ...sides: readonly Side[]) => {
    const db = await openExistingDb(store)
    opened.push(db)
    await requireCurrentSchema(db)
    for (const side of sides) await requireReadPrivileges(db, TABLES_READ[side])
    return db
  }
  const api = parseApi(options, config)
  const { platformCsv: file, partner: partnerId, platform: platforms } = options
  for (const name of platforms ?? [])
    if (name !== '' && !NAME.test(name))
      throw new UsageError(`"${name}" is not a valid name of a platform in PARTNER_SECRETS`)
  if (file !== undefined) {
    if (partnerId !== undefined || options.platformDatabaseUrl !== undefined)
      throw new UsageError(
        '--platform-csv replaces the database of the platform: leave out --partner and --platform-database-url',
      )
    const wallet = api
      ? ({ kind: 'api', api } as const)
      : ({ kind: 'database', db: await open(stores[1], 'wallet') } as const)
    return (found) => reconcileFile(file, wallet, platforms, found)
  }
  const isSame = api === undefined && JSON.stringify(stores[0]) === JSON.stringify(stores[1])
  const platform = await open(stores[0], 'platform', ...(isSame ? (['wallet'] as const) : []))
  const walletDb = async (): Promise<WalletSource> =>
    isSame ? { kind: 'same' } : { kind: 'database', db: await open(stores[1], 'wallet') }
  const wallet: WalletSource = api === undefined ? await walletDb() : { kind: 'api', api }
  return (found) => reconcile({ platform, wallet, partnerId, platforms }, found)
}

/** The tables of each side, and the remedy for another source. */
const TABLES_READ = {
  platform: {
    ...{ schema: 'platform', tables: ['partner', 'bet', 'delivery', 'currency'] },
    otherwise: "or give the platform's database with --platform-database-url, or its bets with --platform-csv",
  },
  wallet: {
    ...{ schema: 'purser', tables: ['bet', 'currency', 'setting'] },
    otherwise: "or give the wallet's database with --wallet-database-url, or its API with --operator-api",
  },
} as const
type Side = keyof typeof TABLES_READ

const NAME = new RegExp(`^${PLATFORM_NAME}$`)

function parseStore(given: string, { urlRules, durability }: Config): DatabaseConfig {
  if (!/^postgres(ql)?:\/\//.test(given)) return { kind: 'pglite', dataDir: given }
  const problem = findUrlProblem(given, urlRules)
  if (problem !== undefined) throw new UsageError(`the address of the database ${problem}`)
  return { kind: 'postgres', url: given, durability }
}

function parseApi({ operatorApi, operatorKey, walletDatabaseUrl }: ReconcileCommand, config: Config) {
  if (operatorApi === undefined) return undefined
  if (walletDatabaseUrl !== undefined)
    throw new UsageError('the wallet is named twice: give --operator-api or --wallet-database-url, not both')
  const key = operatorKey ?? config.operatorKey
  if (key === '') throw new UsageError('the operator key is missing: give --operator-key or set OPERATOR_API_KEY')
  const fault = findUrlFault(operatorApi, 'api')
  if (fault !== undefined) throw new UsageError(`--operator-api ${fault}`)
  return { url: operatorApi, key }
}
