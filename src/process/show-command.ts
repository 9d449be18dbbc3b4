/** `purser show ID`: what somebody pasted, on a page of 80 columns. It asks the server's own API, as a person with a key. */
import type { Command } from 'commander'
import type { ShownBet } from '../archive/find.ts'
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
  readonly archive?: string
}

type Shown = Readonly<Record<string, unknown>> & {
  readonly kind: string
  readonly bet?: ShownBet
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
    .option('--archive <folder>', 'also what lies in the files of purser archive, which are there')
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
    .action(async (id: string, { json, platform, archive, ...flags }: ShowFlags) => {
      const { path, keyName, api } = SERVERS[platform ? 'platform' : 'wallet']
      const { key = process.env[keyName], api: url = api } = flags
      if (!key) throw new WrongUse(`give --key, or set ${keyName}`)
      const found = await getFrom<Shown>({ url, key }, path + encodeURIComponent(id))
      const shown: Shown | undefined = archive === undefined ? found : await withFiles(archive, found)
      if (shown === undefined) process.exitCode = EXIT.findings
      if (shown === undefined)
        process.stderr.write('nothing is called so, and nothing begins so (of six characters or more)\n')
      else print(json ? JSON.stringify(shown) : pageOf(shown))
    })
}

async function withFiles(folder: string, shown: Shown | undefined): Promise<Shown | undefined> {
  if (shown?.bet?.history === undefined) return shown
  const { fillIn } = await import('../archive/find.ts')
  return { ...shown, bet: await fillIn(folder, shown.bet) }
}
