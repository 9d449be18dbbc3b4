/** `purser show ID`: what somebody pasted, on a page of 80 columns. It asks the server's own API, as a person with a key. */
import { access } from 'node:fs/promises'
import type { Command } from 'commander'
import type { ShownBet } from '../archive/find.ts'
import { examples, print } from '../config/help.ts'
import { lookFor } from '../http/own-api.ts'
import { pathPart } from '../protocol/path-part.ts'
import { printableLine } from '../runtime/printable.ts'
import { EXIT } from './ending.ts'
import { type ApiFlags, addressOr, apiOf, keyOr } from './own-servers.ts'
import { pageOf } from './show-page.ts'

interface ShowFlags extends ApiFlags {
  readonly json?: true
  readonly platform?: true
  readonly archive?: string
}

type Shown = Readonly<Record<string, unknown>> & {
  readonly kind: string
  readonly bet?: ShownBet
}

/** Of the two servers that know what an id is. */
const PATHS = { wallet: '/operator/show/', platform: '/show/' } as const

export function addShowCommand(program: Command): void {
  program
    .command('show <id>')
    .description(
      'what an id is, and all that hangs on it: a bet, player, payment, adjustment, session or request; exit 1 if nothing',
    )
    .option('--platform', 'ask a platform: a bet, delivery or request of its own')
    .option('--api <url>', addressOr('platform'))
    .option('--key <key>', keyOr('platform'))
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
      const server = platform ? 'platform' : 'wallet'
      if (archive !== undefined) await access(archive)
      const asked = await lookFor<Shown>(apiOf(server, flags), PATHS[server] + pathPart(id))
      if (asked.kind === 'missing') return sayNothing(asked.detail)
      const shown = archive === undefined ? asked.found : await withFiles(archive, asked.found)
      print(json ? JSON.stringify(shown) : pageOf(shown))
    })
}

/** The server knows how far back it has looked, and what to ask for instead. */
function sayNothing(detail: string | undefined): void {
  process.exitCode = EXIT.findings
  process.stderr.write('nothing is called so, and nothing begins so (of six characters or more)\n')
  if (detail !== undefined) process.stderr.write(`${printableLine(detail)}\n`)
}

async function withFiles(folder: string, shown: Shown): Promise<Shown> {
  if (shown.bet?.history === undefined) return shown
  const { fillIn } = await import('../archive/find.ts')
  return { ...shown, bet: await fillIn(folder, shown.bet) }
}
