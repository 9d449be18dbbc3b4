/** `purser show ID`: what somebody pasted, on a page of 80 columns. It asks the server's own API, as a person with a key. */
import type { Command } from 'commander'
import { examples, print } from '../config/help.ts'
import { getFrom } from '../http/own-api.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { EXIT } from './ending.ts'
import { pageOf } from './show-page.ts'

interface ShowFlags {
  readonly api: string
  readonly key?: string
  readonly json?: true
}

export function addShowCommand(program: Command): void {
  program
    .command('show <id>')
    .description(
      'what an id is, and all that hangs on it: a bet, player, payment, session or request; exit 1 if nothing',
    )
    .option('--api <url>', 'the address of the wallet', 'http://127.0.0.1:8080')
    .option('--key <key>', 'a key of its API; OPERATOR_API_KEY when absent')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'before',
      examples(
        'OPERATOR_API_KEY=… purser show 7b1c8f',
        'purser show --key … alice',
        'purser show --key … alice/EUR-17 --json',
      ),
    )
    .action(async (id: string, { api, key = process.env.OPERATOR_API_KEY, json }: ShowFlags) => {
      if (!key) throw new WrongUse('give --key, or set OPERATOR_API_KEY')
      const shown = await getFrom<{ kind: string }>({ url: api, key }, `/operator/show/${encodeURIComponent(id)}`)
      if (shown === undefined) process.exitCode = EXIT.findings
      if (shown === undefined)
        process.stderr.write('nothing is called so, and nothing begins so (of six characters or more)\n')
      else print(json ? JSON.stringify(shown) : pageOf(shown))
    })
}
