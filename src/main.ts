#!/usr/bin/env node
/** The commands; wiring only. Exit codes: 0 good, 1 findings, 2 wrong use, 3 target unreachable. */
import { buffer } from 'node:stream/consumers'
import { Command, CommanderError } from 'commander'
import { type Config, ConfigError, ROLES, type Role, readConfig, SETTINGS, type Setting } from './config.ts'
import { isOutage } from './db/errors.ts'
import { FolderInUse } from './db/folder-lock.ts'
import { migrate, requireMigrated } from './db/migrate.ts'
import { openDb } from './db/open.ts'
import { audit } from './operator/audit.ts'
import { sign } from './protocol/signature.ts'
import { runSandbox } from './sandbox.ts'
import { type Running, serveWallet } from './serve.ts'
import { servePlatform } from './serve-platform.ts'

const EXIT = { findings: 1, wrongUse: 2, unreachable: 3 } as const

const program = new Command('purser')
  .description('Sportsbook callbacks with exactly-once money on a double-entry ledger.')
  .exitOverride()
  .configureHelp({ sortSubcommands: false })

program
  .command('sandbox')
  .description('the wallet with two demo players and a ready curl line; what `npm start` runs')
  .addHelpText('before', examples('purser sandbox', 'PORT=9000 PURSER_DATA_DIR=memory:// purser sandbox'))
  .addHelpText('after', environment)
  .action(() =>
    serveUntilStopped((config) => runSandbox(config, (line) => process.stdout.write(`${line}\n`)), {
      tellGenerated: false,
    }),
  )

program
  .command('wallet')
  .description('the partner side and the operator API')
  .addHelpText(
    'before',
    examples(
      'purser wallet',
      'DATABASE_URL=postgres://… PARTNER_SECRET=… OPERATOR_API_KEY=… NODE_ENV=production purser wallet',
    ),
  )
  .addHelpText('after', environment)
  .action(() => serveUntilStopped((config) => serveWallet(config), { tellGenerated: true }))

program
  .command('platform')
  .description('the calling side: places bets, delivers results and rollbacks')
  .addHelpText(
    'before',
    examples('purser platform', 'DATABASE_URL=postgres://… PLATFORM_API_KEY=… NODE_ENV=production purser platform'),
  )
  .addHelpText('after', environment)
  .action(() => serveUntilStopped((config) => servePlatform(config), { tellGenerated: true, role: ROLES.platform }))

program
  .command('migrate')
  .description('creates or updates the schema of the configured database')
  .option('--json', 'print the result as JSON')
  .addHelpText('before', examples('DATABASE_URL=postgres://… purser migrate'))
  .action(async ({ json }: { json?: true }) => {
    const report = await withDb((db) => migrate(db))
    if (json) return print(JSON.stringify(report))
    print(`schema version ${report.version}; applied: ${report.applied.join(', ') || 'nothing, it was up to date'}`)
  })

program
  .command('audit')
  .description('checks every invariant of the ledger and of the bets; exit 1 if one is broken')
  .option('--json', 'print the findings as JSON')
  .addHelpText('before', examples('DATABASE_URL=postgres://… purser audit', 'purser audit --json'))
  .action(async ({ json }: { json?: true }) => {
    const config = readConfig(process.env, ROLES.tool)
    const report = await withDb(async (db) => {
      await requireMigrated(db)
      return audit(db, config.clawback)
    })
    if (json) print(JSON.stringify(report))
    else if (report.ok) print('audit: no findings')
    else for (const { check, row } of report.findings) print(`${check}: ${JSON.stringify(row)}`)
    if (!report.ok) process.exitCode = EXIT.findings
  })

program
  .command('sign')
  .description('reads a body on stdin and prints the x-sign-jws header for it')
  .option('--secret <secret>', 'the shared secret; the first of PARTNER_SECRET when absent')
  .addHelpText('before', examples(`printf '{"token":"…"}' | purser sign --secret testdemo`))
  .action(async ({ secret }: { secret?: string }) => {
    const key = secret ?? readConfig(process.env, ROLES.tool).secrets[0]
    if (!key) throw new ConfigError(['give --secret or set PARTNER_SECRET'])
    print(sign(await buffer(process.stdin), key))
  })

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function examples(...lines: string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
}

function environment(): string {
  const lines = SETTINGS.map(({ name, meaning, ...setting }: Setting) => {
    const fallback = setting.default === undefined ? '' : ` [${setting.default}]`
    return `  ${name.padEnd(26)}${meaning}${fallback}`
  })
  return `\nEnvironment:\n${lines.join('\n')}\n\nSecrets can also be given as NAME_FILE, the path of a file that holds them.`
}

async function withDb<T>(work: (db: Awaited<ReturnType<typeof openDb>>) => Promise<T>): Promise<T> {
  const db = await openDb(readConfig(process.env, ROLES.tool).store)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Runs a server until SIGINT or SIGTERM; the first one finishes what was accepted, a second one gives up. */
async function serveUntilStopped(
  start: (config: Config) => Promise<Running>,
  { tellGenerated, role = ROLES.wallet }: { tellGenerated: boolean; role?: Role },
): Promise<void> {
  const config = readConfig(process.env, role)
  const server = await start(config)
  if (tellGenerated) {
    for (const { name, value, path } of config.generated)
      process.stderr.write(`${name} was not set; using ${value}${path ? `, kept in ${path}` : ''}\n`)
  }
  const stop = () => {
    process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
    server.close().catch((error: unknown) => {
      process.stderr.write(`${describeError(error)}\n`)
      process.exitCode = EXIT.unreachable
    })
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message || String(error) : String(error)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.wrongUse
  if (error instanceof ConfigError || isAddressError(error)) return EXIT.wrongUse
  if (error instanceof FolderInUse || isOutage(error)) return EXIT.unreachable
  return EXIT.wrongUse
}

/** HOST and PORT that cannot be listened on are a matter of configuration. */
function isAddressError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`purser: ${describeError(error)}\n`)
  process.exitCode = exitCodeOf(error)
}
