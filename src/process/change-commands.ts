/** `purser changes`: the feed on a terminal or into a pipe, as anybody with a key reads it. */
import type { Command } from 'commander'
import { examples, print } from '../config/help.ts'
import { getFrom, type OwnApi } from '../http/own-api.ts'
import { isObject } from '../protocol/json.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { type ApiFlags, addressOr, apiOf, keyOr, requirePlayer } from './own-servers.ts'
import { stopSignal } from './stopping.ts'

interface ChangeFlags extends ApiFlags {
  readonly platform?: true
  readonly after?: string
  readonly event?: readonly string[]
  readonly player?: string
  readonly limit: string
  readonly follow?: true
  readonly json?: true
}

/** Of the two servers that have a feed. */
const PATHS = { wallet: '/operator/changes', platform: '/changes' } as const

const serverOf = ({ platform }: ChangeFlags) => (platform ? 'platform' : 'wallet')

export function addChangeCommands(program: Command): void {
  program
    .command('changes')
    .description('the feed of a wallet or a platform: what has changed, in the order of its commit')
    .option('--api <url>', addressOr('platform'))
    .option('--key <key>', keyOr('platform'))
    .option('--platform', 'it is a platform')
    .option('--after <cursor>', "what came after this event's id; `latest`: from now on; absent: from the beginning")
    .option('--event <names...>', 'only these events: bet.settled balance.changed …')
    .option('--player <id>', 'only events of this player')
    .option('--limit <number>', 'events at most; 0: all', '0')
    .option('--follow', 'go on with the events that come, until Ctrl-C')
    .option('--json', 'whole events, one JSON object a line; the last id is the cursor to go on with')
    .addHelpText(
      'before',
      examples(
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

/** Seconds that one question waits for an event. */
const WAIT_S = 20
const PAGE = 500

async function showChanges(flags: ChangeFlags): Promise<void> {
  const api = apiOf(serverOf(flags), flags)
  const limit = toLimit(flags.limit)
  await requireEvents(flags)
  const { follow, player, platform } = flags
  const wanted = player === undefined || platform ? undefined : player
  if (follow && wanted !== undefined) await requirePlayer(api, wanted)
  const signal = stopSignal()
  const show = flags.json ? JSON.stringify : lineOf
  let shown = 0
  for await (const change of changesFrom(api, flags, signal)) {
    if (!isAsked(change, flags)) continue
    print(show(change))
    shown += 1
    if (shown === limit) return
  }
  if (shown > 0 || follow || signal.aborted) return
  if (wanted !== undefined) await requirePlayer(api, wanted)
  process.stderr.write('there are no such events in the feed\n')
}

function toLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number.parseInt(text, 10)
  throw new WrongUse('--limit is a number of events')
}

/** Whoever misspells one would wait for ever. */
async function requireEvents({ platform, event = [] }: ChangeFlags): Promise<void> {
  if (event.length === 0) return
  const { EVENTS } = await (platform ? import('../platform/api/changes.ts') : import('../operator/changes.ts'))
  const wrong = event.filter((name) => !EVENTS.includes(name))
  if (wrong.length > 0) throw new WrongUse(`--event ${wrong.join(' ')}: there are ${EVENTS.join(', ')}`)
}

async function* changesFrom(api: OwnApi, flags: ChangeFlags, signal: AbortSignal): AsyncGenerator<Change> {
  let after = flags.after
  while (!signal.aborted) {
    const page = await readPage(api, flags, after, signal)
    if (page === undefined) return
    yield* page.data
    if (page.data.length === 0 && !flags.follow) return
    after = page.next
  }
}

/** Undefined when it was ended. */
async function readPage(
  api: OwnApi,
  flags: ChangeFlags,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Page | undefined> {
  const query = new URLSearchParams({
    limit: `${PAGE}`,
    wait: `${flags.follow ? WAIT_S : 0}`,
    ...(after !== undefined && { after }),
  })
  const server = serverOf(flags)
  const page = await getFrom<Page>(api, `${PATHS[server]}?${query}`, signal).catch((error: unknown) => {
    if (signal.aborted) return 'ended' as const
    throw error
  })
  if (page === 'ended') return undefined
  if (page === undefined) throw new WrongUse(`${api.url} is no ${server} of Purser`)
  return page
}

function isAsked(change: Change, { event, player }: ChangeFlags): boolean {
  return (
    (event === undefined || event.includes(change.event)) && (player === undefined || about(change).userId === player)
  )
}

/** What the event tells of: its bet, balance, player, session or delivery. */
function about({ id: _, event: __, at: ___, version: ____, ...subject }: Change): Readonly<Record<string, unknown>> {
  const [value] = Object.values(subject)
  return isObject(value) ? value : {}
}

/** 18:00:00.123  4711  balance.changed   player-17  change=-10.00 amount=90.00 … */
function lineOf(change: Change): string {
  const { userId = '-', ...others } = about(change)
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
    .replaceAll(/\p{Cc}/gu, '?') // an id could speak to the terminal
}
