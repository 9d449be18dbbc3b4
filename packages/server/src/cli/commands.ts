/**
 * Entry point of the program `purser`: adds all commands.
 *
 * Exit codes: 0 good, 1 findings, 2 wrong use, 3 target unreachable, 70 a bug of ours. A command
 * loads its modules when it runs: a server's modules take half a second, for which `--help` need
 * not wait.
 */
import { buffer } from 'node:stream/consumers'
import { addConformanceCommands, completeCommand } from '@purser/conformance/cli/conformance-program'
import { addLoadCommand } from '@purser/conformance/cli/load-program'
import { signBody } from '@purser/protocol/signature'
import { findSecretFault } from '@purser/protocol/values/secret-text'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES, exitOnDefects, reportFailure } from '@purser/runtime/command/exit-codes'
import { createStopSignal, ignoreClosedPipes } from '@purser/runtime/command/stop-signals'
import { printableLines } from '@purser/runtime/text/printable-text'
import { Command } from 'commander'
import { formatEnvironmentHelp } from '../core/config/command-help.ts'
import { ConfigError, PROCESS_ROLES, readConfig } from '../core/config/config.ts'
import { withAdvice } from '../core/database/error-advice.ts'
import type { ReconcileCommand } from '../reconcile/reconcile-command.ts'
import type { SandboxFlags } from '../sandbox/sandbox-options.ts'
import { addCallsCommand } from './calls-command.ts'
import { addChangesCommand } from './changes-command.ts'
import { addDevCommand } from './dev-command.ts'
import { addKeysCommand } from './keys-command.ts'
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

addDevCommand(program)

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

addConformanceCommands(program.command('conformance'), 'purser conformance')
addLoadCommand(program, 'purser')

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

completeCommand(program, 'purser')
ignoreClosedPipes()
exitOnDefects('purser')
await program.parseAsync().catch((error: unknown) => reportFailure(error, 'purser', withAdvice))
