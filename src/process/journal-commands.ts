/** `purser calls`: the journal on a terminal, one line a call, the way `tail` feels. It asks the server's own API, as a person with a key. */
import type { Command } from 'commander'
import { examples } from '../config/help.ts'
import type { CallView } from '../feed/call-list.ts'
import { getFrom, type OwnApi } from '../http/own-api.ts'
import { pause } from '../runtime/pause.ts'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { stopSignal } from './stopping.ts'

interface CallFlags {
  readonly api?: string
  readonly key?: string
  readonly gateway?: true
  readonly player?: string
  readonly bet?: string
  readonly request?: string
  readonly operation?: string
  readonly outcome?: string
  readonly platform?: string
  readonly code?: string
  readonly slowerThan?: string
  readonly from?: string
  readonly limit: string
  readonly follow?: true
  readonly json?: true
}

/** The two servers that keep a journal. */
const SERVERS = {
  wallet: { api: 'http://127.0.0.1:8080', path: '/operator/calls', keyName: 'OPERATOR_API_KEY' },
  gateway: { api: 'http://127.0.0.1:8082', path: '/operators/calls', keyName: 'GATEWAY_API_KEY' },
} as const

const serverOf = ({ gateway }: CallFlags) => (gateway ? 'gateway' : 'wallet')

export function addJournalCommands(program: Command): void {
  program
    .command('calls')
    .description('the calls of the wire as they came and were answered, the newest last')
    .option('--api <url>', `the address; ${SERVERS.wallet.api}, of a gateway ${SERVERS.gateway.api}, when absent`)
    .option('--key <key>', 'a key of its API; OPERATOR_API_KEY or GATEWAY_API_KEY when absent')
    .option('--gateway', 'it is a gateway')
    .option('--player <id>', 'only calls about this player')
    .option('--bet <id>', 'only calls about this bet')
    .option('--request <id>', 'only calls with this requestId')
    .option('--operation <name>', 'place, settle, unsettle, rollback, profile, balance, check or unknown')
    .option('--outcome <name>', 'accepted, or why not: bad_signature, not_enough_money …')
    .option('--platform <name>', 'only calls that a secret of this platform verified')
    .option('--code <code>', 'only answers with this code')
    .option('--slower-than <ms>', 'only calls that took more milliseconds')
    .option('--from <time>', 'from this time on: 2026-05-16T18:00:00Z')
    .option('--limit <number>', 'lines at most, up to 500', '50')
    .option('--follow', 'go on with the calls that come, until Ctrl-C')
    .option('--json', 'whole calls, one JSON object a line')
    .addHelpText(
      'before',
      examples(
        'OPERATOR_API_KEY=… purser calls --follow',
        'purser calls --key … --player 17 --code 7',
        'purser calls --key … --outcome bad_signature --json',
      ),
    )
    .action((flags: CallFlags) => showCalls(flags))
}

/** Milliseconds between two looks for new calls. */
const LOOK_MS = 500
/** Milliseconds by which a call may be written later than a younger one: two processes write at their own times. */
const LATE_MS = 3_000

async function showCalls(flags: CallFlags): Promise<void> {
  const server = SERVERS[serverOf(flags)]
  const { key = process.env[server.keyName], api: url = server.api } = flags
  if (!key) throw new WrongUse(`give --key, or set ${server.keyName}`)
  const api = { url, key }
  const signal = flags.follow && stopSignal()
  const show = flags.json ? JSON.stringify : lineOf
  const shown = new Map<string, number>()
  const write = (calls: readonly CallView[]) => {
    for (const call of [...calls].reverse()) if (!shown.has(call.id)) process.stdout.write(`${show(call)}\n`)
    for (const call of calls) shown.set(call.id, Date.parse(call.at))
  }
  write((await readCalls(api, flags, flags.from, flags.limit)).data)
  if (signal) await follow(api, flags, signal, shown, write)
}

async function follow(
  api: OwnApi,
  flags: CallFlags,
  signal: AbortSignal,
  shown: Map<string, number>,
  write: (calls: readonly CallView[]) => void,
): Promise<void> {
  const begun = shown.size > 0 ? Math.min(...shown.values()) : world.wall()
  let newest = Math.max(...shown.values(), begun)
  while (!signal.aborted) {
    await pause(LOOK_MS, signal)
    if (signal.aborted) return
    write(await readAll(api, flags, new Date(Math.max(begun, newest - LATE_MS)).toISOString()))
    newest = Math.max(newest, ...shown.values())
    for (const [id, at] of shown) if (at < newest - 2 * LATE_MS) shown.delete(id)
  }
}

interface Page {
  readonly data: readonly CallView[]
  readonly next: string | null
}

/** All pages, newest first. */
async function readAll(api: OwnApi, flags: CallFlags, from: string): Promise<CallView[]> {
  const all: CallView[] = []
  let after: string | undefined
  do {
    const page: Page = await readCalls(api, flags, from, '500', after)
    all.push(...page.data)
    after = page.next ?? undefined
  } while (after !== undefined)
  return all
}

async function readCalls(
  api: OwnApi,
  flags: CallFlags,
  from: string | undefined,
  limit: string,
  after?: string,
): Promise<Page> {
  const { player, bet: transactionId, request: requestId, operation, outcome, platform, code, slowerThan } = flags
  const asked = { player, transactionId, requestId, operation, outcome, platform, code, slowerThan, from, limit, after }
  const query = new URLSearchParams(
    Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const server = serverOf(flags)
  const page = await getFrom<Page>(api, `${SERVERS[server].path}?${query}`)
  if (page === undefined) throw new WrongUse(`${api.url} is no ${server} of Purser`)
  return page
}

/** 18:00:00.123  200    place     accepted            4.2 ms  player-17  bet-4711 */
function lineOf(call: CallView): string {
  const { at, operation, outcome, answer, milliseconds, player = '-', transactionId = '-' } = call
  const status = answer.code === undefined ? String(answer.status) : `${answer.status}/${answer.code}`
  const ms = `${Math.trunc((milliseconds.arrival + milliseconds.work) * 10) / 10} ms`
  return [
    at.slice(11, 23),
    status.padEnd(7),
    operation.padEnd(8),
    outcome.padEnd(16),
    ms.padStart(9),
    ` ${player.padEnd(12)}`,
    transactionId,
  ]
    .join(' ')
    .replaceAll(/\p{Cc}/gu, '?') // an id could speak to the terminal
}
