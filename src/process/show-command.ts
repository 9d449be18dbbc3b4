/** `purser show ID`: what somebody pasted, on a page of 80 columns. It asks the server's own API, as a person with a key. */
import type { Command } from 'commander'
import { examples, print } from '../config/help.ts'
import { getFrom } from '../http/own-api.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { EXIT } from './ending.ts'
import { pageOf } from './show-page.ts'

interface ShowFlags {
  readonly api?: string
  readonly key?: string
  readonly json?: true
  readonly platform?: true
}

/** The two servers that know what an id is. */
const SERVERS = {
  wallet: { api: 'http://127.0.0.1:8080', path: '/operator/show/', keyName: 'OPERATOR_API_KEY' },
  platform: { api: 'http://127.0.0.1:8081', path: '/show/', keyName: 'PLATFORM_API_KEY' },
} as const

export function addShowCommand(program: Command): void {
  program
    .command('show <id>')
    .description(
      'what an id is, and all that hangs on it: a bet, player, payment, session or request; exit 1 if nothing',
    )
    .option('--platform', 'ask a platform: a bet, delivery or request of its own')
    .option('--api <url>', `the address; ${SERVERS.wallet.api}, of a platform ${SERVERS.platform.api}, when absent`)
    .option('--key <key>', 'a key of its API; OPERATOR_API_KEY or PLATFORM_API_KEY when absent')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'before',
      examples(
        'OPERATOR_API_KEY=… purser show 7b1c8f',
        'purser show --key … alice',
        'purser show --key … alice/EUR-17 --json',
        'PLATFORM_API_KEY=… purser show --platform 4711',
      ),
    )
    .action(async (id: string, { json, platform, ...flags }: ShowFlags) => {
      const { path, keyName, api } = SERVERS[platform ? 'platform' : 'wallet']
      const { key = process.env[keyName], api: url = api } = flags
      if (!key) throw new WrongUse(`give --key, or set ${keyName}`)
      const shown = await getFrom<{ kind: string }>({ url, key }, path + encodeURIComponent(id))
      if (shown === undefined) process.exitCode = EXIT.findings
      if (shown === undefined)
        process.stderr.write('nothing is called so, and nothing begins so (of six characters or more)\n')
      else print(json ? JSON.stringify(shown) : pageOf(shown))
    })
}
