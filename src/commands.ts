/**
 * The commands; wiring only. Exit codes: 0 good, 1 findings, 2 wrong use, 3 target unreachable, 70 a bug of ours. What only
 * one command needs is imported when that command runs: a server's modules take half a second that `--help` need not wait for.
 */
import { buffer } from 'node:stream/consumers'
import { Command } from 'commander'
import { formatEnvironmentHelp, formatExamples, printResult } from './config/command-help.ts'
import { ConfigError, PROCESS_ROLES, readConfig } from './config/config.ts'
import type { ConformancePlatformFlags } from './conformance/platform/platform-conformance-command.ts'
import type { ConformanceWalletFlags } from './conformance/wallet/wallet-conformance-command.ts'
import { addArchiveCommand } from './process/archive-command.ts'
import { addAuditCommand } from './process/audit-command.ts'
import { addCallsCommand } from './process/calls-command.ts'
import { addChangesCommand } from './process/changes-command.ts'
import { EXIT_CODES, exitOnDefects, reportFailure } from './process/exit-codes.ts'
import { addImportCommand } from './process/import-command.ts'
import { addKeysCommand } from './process/keys-command.ts'
import { addLoadCommand } from './process/load-command.ts'
import { addMoveCommand } from './process/move-command.ts'
import { addPlayerDataCommands } from './process/player-data-commands.ts'
import { addReportCommand } from './process/report-command.ts'
import { addRetentionCommand } from './process/retention-command.ts'
import { addSchemaCommands } from './process/schema-commands.ts'
import { serveUntilStopped } from './process/server-command.ts'
import { addShowCommand } from './process/show-command.ts'
import { createStopSignal, ignoreClosedPipes } from './process/stop-signals.ts'
import { addWebhooksCommand } from './process/webhooks-command.ts'
import { findSecretFault } from './protocol/secret-text.ts'
import { signBody } from './protocol/signature.ts'
import type { ReconcileCommand } from './reconcile/reconcile-command.ts'
import { printableLines } from './runtime/printable-text.ts'
import { VERSION } from './runtime/version.ts'
import type { SandboxFlags } from './sandbox/sandbox-options.ts'

const program = new Command('purser')
  .description('Sportsbook callbacks with exactly-once money on a double-entry ledger.')
  .exitOverride()
  .configureHelp({ sortSubcommands: false })

program
  .command('sandbox')
  .description('wallet, platform and simulated bettors on the embedded database; what `npm start` runs')
  .option('--rate <number>', 'bets per second; 0: no bettors', '1')
  .option('--duration <seconds>', 'ends by itself; 0: until Ctrl-C', '0')
  .option('--faults <fraction>', 'part of the calls to the wallet that go wrong, 0 to 1', '0.05')
  .option('--seed <number>', 'the same seed makes the same choices; absent: another one each time')
  .option('--quiet', 'no line per bet')
  .option('--gateway', 'two operators behind a gateway')
  .option('--addresses', 'prints the address and API reference of each server too')
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
      import('./sandbox/sandbox-options.ts'),
      import('./sandbox/sandbox-run.ts'),
    ])
    const isClean = await runSandbox(config, parseSandboxOptions(flags), deps)
    if (!isClean) process.exitCode = EXIT_CODES.findings
  })

program
  .command('wallet')
  .description('the partner side and the operator API')
  .addHelpText(
    'before',
    formatExamples(
      'purser wallet',
      'DATABASE_URL=postgres://… PARTNER_SECRET=… OPERATOR_API_KEY=… NODE_ENV=production purser wallet',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('wallet'))
  .action(async () => {
    const { serveWallet } = await import('./process/wallet-server.ts')
    await serveUntilStopped(serveWallet, PROCESS_ROLES.wallet)
  })

program
  .command('platform')
  .description('the calling side: places bets, delivers results and rollbacks')
  .addHelpText(
    'before',
    formatExamples(
      'purser platform',
      'DATABASE_URL=postgres://… PLATFORM_API_KEY=… NODE_ENV=production purser platform',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('platform'))
  .action(async () => {
    const { servePlatform } = await import('./process/platform-server.ts')
    await serveUntilStopped(servePlatform, PROCESS_ROLES.platform)
  })

program
  .command('gateway')
  .description('the aggregator: one platform, many operators')
  .addHelpText(
    'before',
    formatExamples(
      'purser gateway',
      'DATABASE_URL=postgres://… PARTNER_SECRET=… GATEWAY_API_KEY=… NODE_ENV=production purser gateway',
    ),
  )
  .addHelpText('after', formatEnvironmentHelp('gateway'))
  .action(async () => {
    const { serveGateway } = await import('./process/gateway-server.ts')
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
  .option('--partner <id>', 'the partner to look at; needed when the platform has several')
  .option(
    '--platform-database-url <url>',
    'postgres://… or the folder of an embedded database; else the configured one',
  )
  .option('--wallet-database-url <url>', 'the same for the wallet')
  .option('--operator-api <url>', "read the wallet's bets through its operator API instead")
  .option('--operator-key <key>', 'its key; OPERATOR_API_KEY when absent')
  .option('--platform-csv <file>', 'the bets of another platform: a CSV file whose first line names its columns')
  .option(
    '--platform <names...>',
    "of the wallet's bets only this platform's, by its name in PARTNER_SECRETS; '': PARTNER_SECRET's",
  )
  .option('--csv <file>', 'also write the findings to a file')
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
    const { runReconcile } = await import('./reconcile/reconcile-command.ts')
    const write = (text: string) => void process.stdout.write(printableLines(text))
    const isClean = await runReconcile(options, readConfig(process.env, PROCESS_ROLES.tool), write)
    if (!isClean) process.exitCode = EXIT_CODES.findings
  })

const conformance = program.command('conformance').description('judges any wallet, any platform')

/** What both commands can be asked: the same words mean the same. */
function addConformanceOptions(command: Command): Command {
  return command
    .option('--only <ids...>', 'only these cases; `place` stands for all that begin so')
    .option('--list', 'print the cases, judge nothing')
    .option('--strict', 'a SHOULD counts like a MUST')
    .option('--complete', 'a MUST that is not judged fails the run')
    .option('--verbose', 'print each failed case with all of its calls, those of the kit included')
    .option('--expected-failures <file>', 'lines of "ID reason": these may fail')
    .option('--header <headers...>', "sent with every call: 'Authorization: Basic …'; masked in reports")
    .option('--pace <calls>', 'not more calls per second than this')
    .option('--json', 'print the report as JSON')
    .option('--report <files...>', 'also write it to files: .html to read and pass on, .xml (JUnit) for CI, .json')
    .option('--show-tokens', 'print tokens and signatures as they were sent')
    .option('--unmasked', 'write them so to these files')
}

addConformanceOptions(
  conformance
    .command('wallet')
    .description('judges a wallet in any language over HTTP; exit 1 if it fails a MUST')
    .option('--base-url <url>', 'the address of the wallet; /payment/bet is appended')
    .option('--secret <secret>', 'the shared secret to sign with; PARTNER_SECRET when absent')
    .option('--fixtures <file>', 'players that are set up in the wallet: docs/guides/certify-your-wallet.md')
    .option('--operator-api <url>', 'a Purser wallet, on which players are made')
    .option('--operator-key <key>', 'its key; OPERATOR_API_KEY when absent')
    .option('--patient [seconds]', 'wait so long, 300 when not said, before all is repeated at the end'),
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
    const { runConformanceWallet } = await import('./conformance/wallet/wallet-conformance-command.ts')
    process.exitCode = await runConformanceWallet(flags, getCommandContext())
  })

addConformanceOptions(
  conformance
    .command('platform')
    .description('plays the wallet and judges the platform that calls it; exit 1 if it fails a MUST')
    .option('--listen <port>', 'the port on which the kit plays the wallet')
    .option('--host <address>', 'the address on which it listens', '127.0.0.1')
    .option('--public-url <url>', 'how the platform reaches it, if not at that address')
    .option('--platform-api <url>', 'a Purser platform, which is driven over its API')
    .option('--platform-key <key>', 'its key; PLATFORM_API_KEY when absent')
    .option('--drive <command>', 'any other platform: a command that fulfils one wish, given as JSON on stdin')
    .option('--restart <command>', 'kills the platform and starts it again; without it four cases are not judged')
    .option('--slow', 'judge the whole six minutes of a Rollback too'),
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
    const { runConformancePlatform } = await import('./conformance/platform/platform-conformance-command.ts')
    process.exitCode = await runConformancePlatform(flags, getCommandContext())
  })

addLoadCommand(program)

program
  .command('sign')
  .description('reads a body on stdin and prints the x-sign-jws header for it')
  .option('--secret <secret>', 'the shared secret; the first of PARTNER_SECRET when absent')
  .addHelpText('before', formatExamples(`printf '{"token":"…"}' | purser sign --secret testdemo`))
  .action(async ({ secret }: { secret?: string }) => {
    const key = secret ?? readConfig(process.env, PROCESS_ROLES.tool).secrets[0]
    if (!key) throw new ConfigError(['give --secret or set PARTNER_SECRET'])
    const fault = findSecretFault(key)
    if (fault !== undefined) throw new ConfigError([`--secret ${fault}`])
    printResult(signBody(await buffer(process.stdin), key))
  })

/** `--version` wherever `--help` is; and whoever mistypes is told where to look. */
function completeCommand(command: Command, name = 'purser'): void {
  command.version(VERSION, '--version', 'print the version')
  command.showHelpAfterError(`(${name} --help shows what there is)`)
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
