/** `purser load`: an open loop of calls on any wallet, and then whether the money is right. */
import type { Command } from 'commander'
import { formatExamples } from '../config/command-help.ts'
import type { LoadFlags } from '../load/load-options.ts'
import { createStopSignal } from './stop-signals.ts'

export function addLoadCommand(program: Command): void {
  program
    .command('load')
    .description('open-loop load on any wallet, then what every player must have and has; exit 1 if it is not the same')
    .option('--base-url <url>', 'the address of the wallet; /payment/bet is appended')
    .option('--secret <secret>', 'the shared secret to sign with; PARTNER_SECRET when absent')
    .option(
      '--players <file or number>',
      'a CSV file of userId,token,currency; a number: so many are made in a Purser wallet',
    )
    .option('--operator-api <url>', 'where they are made, if not at the base address')
    .option('--operator-key <key>', 'its key; OPERATOR_API_KEY when absent')
    .option('--header <headers...>', "sent with every call of the wire: 'Authorization: Basic …'")
    .option('--rate <calls>', 'calls per second', '100')
    .option('--duration <seconds>', 'of the load', '60')
    .option('--mix <weights>', 'what the calls are', 'place=45,settle=40,resettle=5,rollback=5,repeat=5')
    .option('--stake <amounts>', 'between which stakes are drawn', '1-5')
    .option('--zipf <exponent>', 'how much more the first players bet; 0: all alike', '1')
    .option('--seed <number>', 'the same seed makes the same draws; absent: another one each time')
    .option('--workers <number>', 'threads that call', '1')
    .option('--connections <number>', 'calls at once, of all workers', '64')
    .option('--patience <seconds>', 'how long to ask again, without any progress, what was not acknowledged', '60')
    .option('--report <files...>', 'also write it to files: .html to read and pass on, .json')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'purser load --base-url https://wallet.example --secret … --players players.csv --rate 500 --report load.html',
        'purser load --base-url http://127.0.0.1:8080 --secret … --players 1000 --operator-key … --rate 2000 --workers 2',
      ),
    )
    .action(async (flags: LoadFlags) => {
      const { runLoad } = await import('../load/load-command.ts')
      const { stdout, stderr, env } = process
      const noColour = (env.NO_COLOR ?? '') !== ''
      process.exitCode = await runLoad(flags, { stdout, stderr, noColour, signal: createStopSignal(), env })
    })
}
