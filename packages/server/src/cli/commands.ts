/**
 * Entry point of the program `purser`: adds all commands.
 *
 * Exit codes: 0 good, 1 findings, 2 wrong use, 3 target unreachable, 70 a bug of ours. A command
 * loads its modules when it runs: a server's modules take half a second, for which `--help` need
 * not wait.
 */
import { buffer } from 'node:stream/consumers'
import type { ConformancePlatformFlags } from '@purser/conformance/platform/platform-conformance-command'
import type { ConformanceWalletFlags } from '@purser/conformance/wallet/wallet-conformance-command'
import { signBody } from '@purser/protocol/signature'
import { findSecretFault } from '@purser/protocol/values/secret-text'
import { printableLines } from '@purser/runtime/text/printable-text'
import { VERSION } from '@purser/runtime/version'
import { Command } from 'commander'
import { formatEnvironmentHelp, formatExamples, printResult } from '../core/config/command-help.ts'
import { ConfigError, PROCESS_ROLES, readConfig } from '../core/config/config.ts'
import type { ReconcileCommand } from '../reconcile/reconcile-command.ts'
import type { SandboxFlags } from '../sandbox/sandbox-options.ts'
import { EXIT_CODES, exitOnDefects, reportFailure } from '../servers/exit-codes.ts'
import { createStopSignal, ignoreClosedPipes } from '../servers/stop-signals.ts'
import { addCallsCommand } from './calls-command.ts'
import { addChangesCommand } from './changes-command.ts'
import { addKeysCommand } from './keys-command.ts'
import { addLoadCommand } from './load-command.ts'
import { addArchiveCommand } from './maintenance/archive-command.ts'
import { addAuditCommand } from './maintenance/audit-command.ts'
import { addImportCommand } from './maintenance/import-command.ts'
import { addMoveCommand } from './maintenance/move-command.ts'
import { addPlayerDataCommands } from './maintenance/player-data-commands.ts'
import { addReportCommand } from './maintenance/report-command.ts'
import { addRetentionCommand } from './maintenance/retention-command.ts'
import { addSchemaCommands } from './maintenance/schema-commands.ts'
import { serveUntilStopped } from './server-command.ts'
import { addShowCommand } from './show-command.ts'
import { addWebhooksCommand } from './webhooks-command.ts'

const program = new Command('purser')
  .description('Sportsbook callbacks with exactly-once money on a double-entry ledger.')
  .exitOverride()
  .configureHelp({ sortSubcommands: false })

program
  .command('sandbox')
  .description('runs a wallet, a platform and simulated bettors on the embedded database (`npm start`)')
  .option('--rate <number>', 'bets per second; 0 for no bettors', '1')
  .option('--duration <seconds>', 'stop after this many seconds; 0: run until Ctrl-C', '0')
  .option('--faults <fraction>', 'fraction of the wallet calls that fail, 0 to 1', '0.05')
  .option('--seed <number>', 'seed of the random choices; default: a random seed')
  .option('--quiet', 'do not print a line per bet')
  .option('--gateway', 'run a gateway with two operators')
  .option('--addresses', 'also print the address and API reference of each server')
  .addHelpText(
    'before',
    formatExamples(
      'purser sandbox',
      'purser sandbox --rate 20 --duration 60 --faults 0.2 --seed 1',
      'PORT=9000 PURSER_DATA_DIR=memory:// purser sandbox --rate 0',
      'purser sandbox --gateway',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('wallet', 'platform'))
  .action(async (flags: SandboxFlags) => {
    const config = readConfig(process.env, flags.gateway ? PROCESS_ROLES.sandboxWithGateway : PROCESS_ROLES.sandbox)
    for (const warning of config.warnings) process.stderr.write(`purser: ${warning}\n`)
    const noColour = (process.env.NO_COLOR ?? '') !== ''
    const deps = { output: process.stdout, noColour, signal: createStopSignal() }
    const [{ parseSandboxOptions }, { runSandbox }] = await Promise.all([
      import('../sandbox/sandbox-options.ts'),
      import('../sandbox/sandbox-run.ts'),
    ])
    const isClean = await runSandbox(config, parseSandboxOptions(flags), deps)
    if (!isClean) process.exitCode = EXIT_CODES.findings
  })

program
  .command('wallet')
  .description('runs the wallet: the partner API and the operator API')
  .addHelpText(
    'before',
    formatExamples(
      'purser wallet',
      'DATABASE_URL=postgres://… PARTNER_SECRET=… OPERATOR_API_KEY=… NODE_ENV=production purser wallet',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('wallet'))
  .action(async () => {
    const { serveWallet } = await import('../servers/wallet-server.ts')
    await serveUntilStopped(serveWallet, PROCESS_ROLES.wallet)
  })

program
  .command('platform')
  .description('runs the platform: places bets, delivers results and rollbacks')
  .addHelpText(
    'before',
    formatExamples(
      'purser platform',
      'DATABASE_URL=postgres://… PLATFORM_API_KEY=… NODE_ENV=production purser platform',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('platform'))
  .action(async () => {
    const { servePlatform } = await import('../servers/platform-server.ts')
    await serveUntilStopped(servePlatform, PROCESS_ROLES.platform)
  })

program
  .command('gateway')
  .description('runs the gateway (aggregator): one platform, many operators')
  .addHelpText(
    'before',
    formatExamples(
      'purser gateway',
      'DATABASE_URL=postgres://… PARTNER_SECRET=… GATEWAY_API_KEY=… NODE_ENV=production purser gateway',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('gateway'))
  .action(async () => {
    const { serveGateway } = await import('../servers/gateway-server.ts')
    await serveUntilStopped((config) => serveGateway(config), PROCESS_ROLES.gateway)
  })

addSchemaCommands(program)
addKeysCommand(program)
addCallsCommand(program)
addChangesCommand(program)
addShowCommand(program)
addReportCommand(program)
addPlayerDataCommands(program)
addImportCommand(program)
addWebhooksCommand(program)
addRetentionCommand(program)
addArchiveCommand(program)
addMoveCommand(program)

addAuditCommand(program)

program
  .command('reconcile')
  .description("compares the platform's bets with the wallet's; exit 1 if there is a difference")
  .option('--partner <id>', 'compare the bets of this partner; required if the platform has several')
  .option(
    '--platform-database-url <url>',
    'database of the platform: postgres://… or the folder of an embedded database; default: the configured one',
  )
  .option('--wallet-database-url <url>', 'database of the wallet, in the same form')
  .option('--operator-api <url>', "read the wallet's bets from its operator API, not from its database")
  .option('--operator-key <key>', 'key of the operator API; default: OPERATOR_API_KEY')
  .option('--platform-csv <file>', 'CSV file with the bets of any other platform; its first line names the columns')
  .option(
    '--platform <names...>',
    "compare only bets of this platform, named as in PARTNER_SECRETS; '' for the platform of PARTNER_SECRET",
  )
  .option('--csv <file>', 'also write the findings to this CSV file')
  .option('--json', 'print the findings as JSON')
  .addHelpText(
    'before',
    formatExamples(
      'DATABASE_URL=postgres://… purser reconcile',
      'purser reconcile --platform-database-url postgres://… --operator-api https://wallet.example --csv differences.csv',
      'DATABASE_URL=postgres://… purser reconcile --platform-csv bets-of-the-platform.csv',
      'DATABASE_URL=postgres://… purser reconcile --platform-csv bets-of-acme.csv --platform acme',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('tool'))
  .action(async (options: ReconcileCommand) => {
    const { runReconcile } = await import('../reconcile/reconcile-command.ts')
    const write = (text: string) => void process.stdout.write(printableLines(text))
    const isClean = await runReconcile(options, readConfig(process.env, PROCESS_ROLES.tool), write)
    if (!isClean) process.exitCode = EXIT_CODES.findings
  })

const conformance = program.command('conformance').description('tests a wallet or a platform against the interface')

/** Options of both conformance commands, with the same meaning. */
function addConformanceOptions(command: Command): Command {
  return command
    .option('--only <ids...>', 'run only these cases; `place` selects all cases whose names begin with it')
    .option('--list', 'list the cases and run none')
    .option('--strict', 'a failed SHOULD fails the run, as a failed MUST does')
    .option('--complete', 'a skipped MUST fails the run')
    .option('--verbose', 'print all calls of each failed case, including the calls of the kit')
    .option('--expected-failures <file>', 'file with lines of "ID reason"; these cases may fail')
    .option(
      '--header <headers...>',
      "headers to send with every call, as in 'Authorization: Basic …'; redacted in reports",
    )
    .option('--pace <calls>', 'maximum number of calls per second')
    .option('--json', 'print the report as JSON')
    .option(
      '--report <files...>',
      'also write the report to files: .html to read and share, .xml (JUnit) for CI, .json',
    )
    .option('--show-tokens', 'print tokens and signatures without redaction')
    .option('--unmasked', 'write tokens and signatures to these files without redaction')
}

addConformanceOptions(
  conformance
    .command('wallet')
    .description('tests a wallet in any language over HTTP; exit 1 if it fails a MUST')
    .option('--base-url <url>', 'base URL of the wallet; /payment/bet is appended')
    .option('--secret <secret>', 'shared secret that signs the calls; default: PARTNER_SECRET')
    .option('--fixtures <file>', 'file with players that exist in the wallet: docs/guides/certify-your-wallet.md')
    .option('--operator-api <url>', 'operator API of a Purser wallet, where the kit creates players')
    .option('--operator-key <key>', 'key of the operator API; default: OPERATOR_API_KEY')
    .option('--patient [seconds]', 'wait this long, 300 by default, before the calls are repeated at the end'),
)
  .addHelpText(
    'before',
    formatExamples(
      'purser conformance wallet --base-url https://wallet.example --secret … --fixtures players.json --report report.html',
      'purser conformance wallet --base-url http://127.0.0.1:8080 --secret … --operator-api http://127.0.0.1:8080 --operator-key …',
      'purser conformance wallet --list',
    ),
  )
  .action(async (flags: ConformanceWalletFlags) => {
    const { runConformanceWallet } = await import('@purser/conformance/wallet/wallet-conformance-command')
    process.exitCode = await runConformanceWallet(flags, getCommandContext())
  })

addConformanceOptions(
  conformance
    .command('platform')
    .description('acts as the wallet and tests the platform that calls it; exit 1 if it fails a MUST')
    .option('--listen <port>', 'the port on which the kit acts as the wallet')
    .option('--host <address>', 'address on which the kit listens', '127.0.0.1')
    .option('--public-url <url>', 'URL at which the platform reaches the kit, if it is not that address')
    .option('--platform-api <url>', 'API of a Purser platform, which the kit controls')
    .option('--platform-key <key>', 'key of the platform API; default: PLATFORM_API_KEY')
    .option('--drive <command>', 'for any other platform: a command that performs one action, given as JSON on stdin')
    .option('--restart <command>', 'command that kills and restarts the platform; without it four cases are skipped')
    .option('--slow', 'also test the full six minutes of Rollback retries'),
)
  .addHelpText(
    'before',
    formatExamples(
      'purser conformance platform --listen 9000 --platform-api http://127.0.0.1:8081 --platform-key …',
      'purser conformance platform --listen 9000 --public-url https://kit.example --drive ./drive.sh --restart ./restart.sh --slow',
      'purser conformance platform --list',
    ),
  )
  .action(async (flags: ConformancePlatformFlags) => {
    const { runConformancePlatform } = await import('@purser/conformance/platform/platform-conformance-command')
    process.exitCode = await runConformancePlatform(flags, getCommandContext())
  })

addLoadCommand(program)

program
  .command('sign')
  .description('reads a body from stdin and prints its x-sign-jws header')
  .option('--secret <secret>', 'shared secret; default: the first secret of PARTNER_SECRET')
  .addHelpText('before', formatExamples(`printf '{"token":"…"}' | purser sign --secret testdemo`))
  .action(async ({ secret }: { secret?: string }) => {
    const key = secret ?? readConfig(process.env, PROCESS_ROLES.tool).secrets[0]
    if (!key) throw new ConfigError(['the shared secret is missing: give --secret or set PARTNER_SECRET'])
    const fault = findSecretFault(key)
    if (fault !== undefined) throw new ConfigError([`--secret ${fault}`])
    printResult(signBody(await buffer(process.stdin), key))
  })

/** Adds `--version` to each command, and a hint to `--help` after an error. */
function completeCommand(command: Command, name = 'purser'): void {
  command.version(VERSION, '--version', 'print the version')
  command.showHelpAfterError(`(${name} --help lists commands and options)`)
  for (const subcommand of command.commands) completeCommand(subcommand, `${name} ${subcommand.name()}`)
}

function getCommandContext() {
  const { stdout, stderr, env } = process
  return { stdout, stderr, env, noColour: (env.NO_COLOR ?? '') !== '', signal: createStopSignal() }
}

completeCommand(program)
ignoreClosedPipes()
exitOnDefects()
await program.parseAsync().catch(reportFailure)
