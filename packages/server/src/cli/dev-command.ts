/** `purser dev` runs our platform, with faults, against a wallet that somebody develops. */
import { formatExamples } from '@purser/runtime/command/command-output'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import type { Command } from 'commander'
import type { DevFlags } from '../sandbox/dev/dev-options.ts'

export function addDevCommand(program: Command): void {
  program
    .command('dev')
    .description('runs a platform, bettors and faults against your own wallet, with a verdict on every call')
    .option('--wallet <url>', 'base URL of your wallet or gateway; /payment/bet is appended')
    .option('--secret <secret>', 'shared secret that signs the calls; default: PARTNER_SECRET')
    .option('--token <tokens...>', 'session tokens of test players; User data gives userId and currency')
    .option('--token-command <command>', 'command that prints the token of another player')
    .option('--players <file>', 'file with players, as for purser conformance wallet --fixtures')
    .option('--header <headers...>', "headers to send with every call, as in 'Authorization: Basic …'")
    .option('--bettors <number>', 'simulated bettors', '0')
    .option('--faults <fraction>', 'fraction of their calls that get a fault, 0 to 1', '0.1')
    .option('--seed <number>', 'seed of the random choices; default: a random seed')
    .option('--duration <seconds>', 'stop after this many seconds; 0: run until Ctrl-C', '0')
    .option('--scenario <file>', 'play the steps of this file, and end with exit code 1 if a call was wrong')
    .option('--wait <seconds>', 'seconds to wait for a wallet that accepts no connections, if no person watches', '60')
    .option('--port <port>', 'port of the page on this machine; 0: any free port', '0')
    .option('--keep <folder>', 'keep the bets of the platform in this folder; default: in memory')
    .option('--platform', 'the other side: run a wallet with players for a platform that you develop')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'before',
      formatExamples(
        'purser dev --wallet http://127.0.0.1:3000 --secret s3cret --token abc1234567',
        'purser dev --wallet https://wallet.test/api --players players.json --bettors 5 --duration 180',
        'purser dev --wallet http://127.0.0.1:3000 --token … --scenario steps.json',
        'purser dev --platform --port 4000',
      ),
    )
    .action(async (flags: DevFlags) => {
      const [{ parseDevOptions, parsePlatformSideOptions }, { runDev }, { runPlatformSide }] = await Promise.all([
        import('../sandbox/dev/dev-options.ts'),
        import('../sandbox/dev/dev-run.ts'),
        import('../sandbox/dev/platform-side.ts'),
      ])
      const { stdout, stdin, env } = process
      const noColour = (env.NO_COLOR ?? '') !== ''
      const isInteractive = stdin.isTTY === true
      const deps = { output: stdout, noColour, env, isInteractive, signal: createStopSignal() }
      process.exitCode = flags.platform
        ? await runPlatformSide(parsePlatformSideOptions(flags, env), deps)
        : await runDev(parseDevOptions(flags, env), deps)
    })
}
