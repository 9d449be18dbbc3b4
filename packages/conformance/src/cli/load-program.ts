/** `purser load` sends open-loop load to any wallet, and then checks the balances. */
import { formatExamples } from '@purser/runtime/command/command-output'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import type { Command } from 'commander'
import type { LoadFlags } from '../load/load-options.ts'

export function addLoadCommand(program: Command, name: string): void {
  program
    .command('load')
    .description('sends open-loop load to any wallet, then checks the balance of every player; exit 1 if one is wrong')
    .option('--base-url <url>', 'base URL of the wallet; /payment/bet is appended')
    .option('--secret <secret>', 'shared secret that signs the calls; default: PARTNER_SECRET')
    .option(
      '--players <file or number>',
      'CSV file of userId,token,currency; or the number of players to create in a Purser wallet',
    )
    .option('--operator-api <url>', 'operator API that creates the players, if it is not at the base URL')
    .option('--operator-key <key>', 'key of the operator API; default: OPERATOR_API_KEY')
    .option('--header <headers...>', "headers to send with every wallet call, as in 'Authorization: Basic …'")
    .option('--rate <calls>', 'calls per second', '100')
    .option('--duration <seconds>', 'duration of the load', '60')
    .option('--mix <weights>', 'shares of the operations', 'place=45,settle=40,resettle=5,rollback=5,repeat=5')
    .option('--stake <amounts>', 'range of the stakes', '1-5')
    .option('--zipf <exponent>', 'skew of the Zipf distribution of bets over players; 0: uniform', '1')
    .option('--seed <number>', 'seed of the random draws; default: a random seed')
    .option('--workers <number>', 'number of worker threads', '1')
    .option('--connections <number>', 'maximum number of concurrent calls, of all workers together', '64')
    .option('--patience <seconds>', 'how long unacknowledged calls are retried without any progress', '60')
    .option('--report <files...>', 'also write the report to files: .html to read and share, .json')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'before',
      formatExamples(
        `${name} load --base-url https://wallet.example --secret … --players players.csv --rate 500 --report load.html`,
        `${name} load --base-url http://127.0.0.1:8080 --secret … --players 1000 --operator-key … --rate 2000 --workers 2`,
      ),
    )
    .action(async (flags: LoadFlags) => {
      const { runLoad } = await import('../load/load-command.ts')
      const { stdout, stderr, env } = process
      const noColour = (env.NO_COLOR ?? '') !== ''
      process.exitCode = await runLoad(flags, {
        program: name,
        stdout,
        stderr,
        noColour,
        signal: createStopSignal(),
        env,
      })
    })
}
