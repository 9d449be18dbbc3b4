/**
 * The commands that judge a wallet or a platform: `purser conformance …` and `purser-conformance`.
 */
import { formatExamples } from '@purser/runtime/command/command-output'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { VERSION } from '@purser/runtime/version'
import type { Command } from 'commander'
import type { ConformancePlatformFlags } from '../platform/platform-conformance-command.ts'
import type { ConformanceWalletFlags } from '../wallet/wallet-conformance-command.ts'

/** Adds `wallet` and `platform` to a command, which users call as `program`. */
export function addConformanceCommands(conformance: Command, program: string): void {
  conformance.description('tests a wallet or a platform against the interface')
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
        `${program} wallet --base-url https://wallet.example --secret … --fixtures players.json --report report.html`,
        `${program} wallet --base-url http://127.0.0.1:8080 --secret … --operator-api http://127.0.0.1:8080 --operator-key …`,
        `${program} wallet --list`,
      ),
    )
    .action(async (flags: ConformanceWalletFlags) => {
      const { runConformanceWallet } = await import('../wallet/wallet-conformance-command.ts')
      process.exitCode = await runConformanceWallet(flags, getCommandContext(program))
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
        `${program} platform --listen 9000 --platform-api http://127.0.0.1:8081 --platform-key …`,
        `${program} platform --listen 9000 --public-url https://kit.example --drive ./drive.sh --restart ./restart.sh --slow`,
        `${program} platform --list`,
      ),
    )
    .action(async (flags: ConformancePlatformFlags) => {
      const { runConformancePlatform } = await import('../platform/platform-conformance-command.ts')
      process.exitCode = await runConformancePlatform(flags, getCommandContext(program))
    })
}

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

function getCommandContext(program: string) {
  const { stdout, stderr, env } = process
  return { program, stdout, stderr, env, noColour: (env.NO_COLOR ?? '') !== '', signal: createStopSignal() }
}

/** Each command gets the option `--version`, and a hint to `--help` after an error. */
export function completeCommand(command: Command, name: string): void {
  command.version(VERSION, '--version', 'print the version')
  command.showHelpAfterError(`(${name} --help lists commands and options)`)
  for (const subcommand of command.commands) completeCommand(subcommand, `${name} ${subcommand.name()}`)
}
