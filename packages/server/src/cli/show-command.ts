/** `purser show ID` prints all data about an id from the server's API, 80 columns wide. */
import { access } from 'node:fs/promises'
import { findInApi } from '@purser/protocol/client/api-client'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { printableLine } from '@purser/runtime/text/printable-text'
import type { Command } from 'commander'
import type { ArchivableBetView } from '../wallet/archive/archived-bet.ts'
import { type ApiFlags, describeApiFlag, describeKeyFlag, resolveApi } from './api-flags.ts'
import { formatLookupPage } from './lookup-page.ts'

interface ShowFlags extends ApiFlags {
  readonly json?: true
  readonly platform?: true
  readonly archive?: string
}

type LookupResult = Readonly<Record<string, unknown>> & {
  readonly kind: string
  readonly bet?: ArchivableBetView
}

/** Only these two servers can look up an id. */
const PATHS = { wallet: '/operator/show/', platform: '/show/' } as const

export function addShowCommand(program: Command): void {
  program
    .command('show <id>')
    .description(
      'looks up an id and its related data: a bet, player, payment, adjustment, session or request; exit 1 if not found',
    )
    .option('--platform', 'look up a bet, delivery or request of a platform')
    .option('--api <url>', describeApiFlag('platform'))
    .option('--key <key>', describeKeyFlag('platform'))
    .option('--archive <folder>', 'also search the files of purser archive in this folder')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'OPERATOR_API_KEY=… purser show 7b1c8f',
        'purser show --key … alice',
        'purser show --key … alice/EUR-17 --json',
        'PLATFORM_API_KEY=… purser show --platform 4711',
      ),
    )
    .action(async (id: string, { json, platform, archive, ...flags }: ShowFlags) => {
      const server = platform ? 'platform' : 'wallet'
      if (archive !== undefined) await access(archive)
      const lookup = await findInApi<LookupResult>(resolveApi(server, flags), PATHS[server] + encodePathSegment(id))
      if (lookup.kind === 'missing') return reportNothingFound(lookup.detail)
      const result = archive === undefined ? lookup.found : await addArchivedParts(archive, lookup.found)
      printResult(json ? JSON.stringify(result) : formatLookupPage(result))
    })
}

/** `detail` describes the limits of the server's search, and alternatives. */
function reportNothingFound(detail: string | undefined): void {
  process.exitCode = EXIT_CODES.findings
  process.stderr.write('nothing has this id, and no id begins with it (give at least six characters)\n')
  if (detail !== undefined) process.stderr.write(`${printableLine(detail)}\n`)
}

async function addArchivedParts(folder: string, result: LookupResult): Promise<LookupResult> {
  if (result.bet?.history === undefined) return result
  const { addArchivedTransfers } = await import('../wallet/archive/archived-bet.ts')
  return { ...result, bet: await addArchivedTransfers(folder, result.bet) }
}
