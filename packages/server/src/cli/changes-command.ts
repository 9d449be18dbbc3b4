/** `purser changes` prints the change feed of a server, which it reads from the server's API. */

import { type ApiEndpoint, getFromApi } from '@purser/protocol/client/api-client'
import { isObject } from '@purser/protocol/values/exact-json'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Command } from 'commander'
import { type ApiFlags, describeApiFlag, describeKeyFlag, requirePlayer, resolveApi } from './api-flags.ts'

interface ChangeFlags extends ApiFlags {
  readonly platform?: true
  readonly after?: string
  readonly event?: readonly string[]
  readonly player?: string
  readonly limit: string
  readonly follow?: true
  readonly json?: true
}

/** Only these two servers have a feed. */
const PATHS = { wallet: '/operator/changes', platform: '/changes' } as const

const selectServer = ({ platform }: ChangeFlags) => (platform ? 'platform' : 'wallet')

export function addChangesCommand(program: Command): void {
  program
    .command('changes')
    .description('prints the change feed of a wallet or a platform, in commit order')
    .option('--api <url>', describeApiFlag('platform'))
    .option('--key <key>', describeKeyFlag('platform'))
    .option('--platform', 'read from a platform')
    .option(
      '--after <cursor>',
      'start after the event with this id; `latest`: only new events; default: from the beginning',
    )
    .option('--event <names...>', 'only these events: bet.settled balance.changed …')
    .option('--player <id>', 'only events of this player')
    .option('--limit <number>', 'maximum number of events; 0: all', '0')
    .option('--follow', 'keep printing new events until Ctrl-C')
    .option('--json', 'print whole events, one JSON object per line; the last id is the cursor for the next --after')
    .addHelpText(
      'before',
      formatExamples(
        'OPERATOR_API_KEY=… purser changes --follow --after latest',
        'purser changes --key … --event balance.changed --player 17 --json',
        'purser changes --platform --key … --after 4711',
      ),
    )
    .action((flags: ChangeFlags) => showChanges(flags))
}

interface Change {
  readonly id: string
  readonly event: string
  readonly at: string
  readonly [subject: string]: unknown
}

interface Page {
  readonly data: readonly Change[]
  readonly next: string
}

/** Seconds that a request waits for an event. */
const WAIT_S = 20
const PAGE = 500

async function showChanges(flags: ChangeFlags): Promise<void> {
  const api = resolveApi(selectServer(flags), flags)
  const limit = parseLimit(flags.limit)
  await requireEvents(flags)
  const { follow, player, platform } = flags
  const requestedPlayer = player === undefined || platform ? undefined : player
  if (follow && requestedPlayer !== undefined) await requirePlayer(api, requestedPlayer)
  const signal = createStopSignal()
  const show = flags.json ? JSON.stringify : formatChange
  let shown = 0
  for await (const change of iterateChanges(api, flags, signal)) {
    if (!matchesFlags(change, flags)) continue
    printResult(show(change))
    shown += 1
    if (shown === limit) return
  }
  if (shown > 0 || follow || signal.aborted) return
  if (requestedPlayer !== undefined) await requirePlayer(api, requestedPlayer)
  process.stderr.write('no event in the feed matches\n')
}

function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number.parseInt(text, 10)
  throw new UsageError('--limit must be a whole number of events')
}

/** A misspelt event would never arrive. */
async function requireEvents({ platform, event = [] }: ChangeFlags): Promise<void> {
  if (event.length === 0) return
  const events = await listEvents(platform)
  const wrong = event.filter((name) => !events.includes(name))
  if (wrong.length > 0) throw new UsageError(`--event ${wrong.join(' ')}: no such event; use ${events.join(', ')}`)
}

async function listEvents(platform: boolean | undefined): Promise<readonly string[]> {
  if (platform) return (await import('../platform/api/platform-change-views.ts')).PLATFORM_EVENTS
  return (await import('../wallet/operator-api/wallet-feed-events.ts')).WALLET_EVENTS
}

async function* iterateChanges(api: ApiEndpoint, flags: ChangeFlags, signal: AbortSignal): AsyncGenerator<Change> {
  let after = flags.after
  while (!signal.aborted) {
    const page = await readPage(api, flags, after, signal)
    if (page === undefined) return
    yield* page.data
    if (page.data.length === 0 && !flags.follow) return
    after = page.next
  }
}

/** Undefined after an abort. */
async function readPage(
  api: ApiEndpoint,
  flags: ChangeFlags,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Page | undefined> {
  const query = new URLSearchParams({
    limit: `${PAGE}`,
    wait: `${flags.follow ? WAIT_S : 0}`,
    ...(after !== undefined && { after }),
  })
  const server = selectServer(flags)
  const page = await getFromApi<Page>(api, `${PATHS[server]}?${query}`, signal).catch((error: unknown) => {
    if (signal.aborted) return 'ended' as const
    throw error
  })
  if (page === 'ended') return undefined
  if (page === undefined) throw new UsageError(`${api.url} is not a Purser ${server}: check --api`)
  return page
}

function matchesFlags(change: Change, { event, player }: ChangeFlags): boolean {
  return (
    (event === undefined || event.includes(change.event)) &&
    (player === undefined || readSubject(change).userId === player)
  )
}

/** The bet, balance, player, session or delivery of the event. */
function readSubject({
  id: _,
  event: __,
  at: ___,
  version: ____,
  ...subject
}: Change): Readonly<Record<string, unknown>> {
  const [value] = Object.values(subject)
  return isObject(value) ? value : {}
}

/** Format: 18:00:00.123  4711  balance.changed   player-17  change=-10.00 amount=90.00 … */
function formatChange(change: Change): string {
  const { userId = '-', ...others } = readSubject(change)
  const members = Object.entries(others).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`,
  )
  return [
    change.at.slice(11, 23),
    change.id.padStart(6),
    change.event.padEnd(15),
    String(userId).padEnd(12),
    ...members,
  ]
    .join(' ')
    .replaceAll(/\p{Cc}/gu, '?') // an id could contain terminal control codes
}
