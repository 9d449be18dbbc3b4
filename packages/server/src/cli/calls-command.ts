/**
 * `purser calls` prints the journal of calls from the server's API, and can follow it like
 * `tail -f`.
 */

import { type ApiEndpoint, getFromApi } from '@purser/protocol/client/api-client'
import { sleep } from '@purser/runtime/async/sleep'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { toLoggedMs } from '@purser/runtime/logged-duration'
import type { Command } from 'commander'
import type { CallListEntry } from '../core/call-journal/journal-call-list.ts'
import { MAX_CALL_AGE_MS } from '../core/call-journal/journal-segment.ts'
import { type ApiFlags, describeApiFlag, describeKeyFlag, requirePlayer, resolveApi } from './api-flags.ts'

interface CallFlags extends ApiFlags {
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

/** Only these two servers have a journal. */
const PATHS = { wallet: '/operator/calls', gateway: '/operators/calls' } as const

const selectServer = ({ gateway }: CallFlags) => (gateway ? 'gateway' : 'wallet')

export function addCallsCommand(program: Command): void {
  program
    .command('calls')
    .description('lists the API calls and their answers, the newest last')
    .option('--api <url>', describeApiFlag('gateway'))
    .option('--key <key>', describeKeyFlag('gateway'))
    .option('--gateway', 'read from a gateway')
    .option('--player <id>', 'only calls about this player')
    .option('--bet <id>', 'only calls about this bet')
    .option('--request <id>', 'only calls with this requestId')
    .option(
      '--operation <name>',
      'only this operation: place, settle, unsettle, rollback, profile, balance, check or unknown',
    )
    .option('--outcome <name>', 'only this outcome: accepted, bad_signature, not_enough_money …')
    .option('--platform <name>', 'only calls signed with a secret of this platform')
    .option('--code <code>', 'only calls answered with this code')
    .option('--slower-than <ms>', 'only calls that took longer than this many milliseconds')
    .option('--from <time>', 'only calls since this time, as in 2026-05-16T18:00:00Z')
    .option('--limit <number>', 'maximum number of lines, up to 500', '50')
    .option('--follow', 'keep printing new calls until Ctrl-C')
    .option('--json', 'print whole calls, one JSON object per line')
    .addHelpText(
      'before',
      formatExamples(
        'OPERATOR_API_KEY=… purser calls --follow',
        'purser calls --key … --player 17 --code 7',
        'purser calls --key … --outcome bad_signature --json',
      ),
    )
    .action((flags: CallFlags) => showCalls(flags))
}

/** Milliseconds between two requests for new calls. */
const POLL_MS = 500
/** Milliseconds by which an older call may be written after a younger one, by another process. */
const LATE_MS = 3_000
/**
 * A call has the time of its first byte, but is written when it is answered. After SLOW_MS it may
 * be too late for LATE_MS, so a separate query searches for slow calls. The query reaches back far
 * but costs little, because most chunks of the journal have no slow call.
 */
const SLOW_MS = 500
const SLOW_LATE_MS = MAX_CALL_AGE_MS + LATE_MS
/** Milliseconds by which this clock may be ahead of the server's, which sets the time of calls. */
const MAX_CLOCK_SKEW_MS = 600_000

async function showCalls(flags: CallFlags): Promise<void> {
  const api = resolveApi(selectServer(flags), flags)
  requireStartInPast(flags)
  const signal = createStopSignal()
  const show = flags.json ? JSON.stringify : formatCall
  const write = (calls: readonly CallListEntry[]) => {
    for (const call of calls) printResult(show(call))
  }
  if (!flags.follow) {
    const { calls, isWhole } = await readNewest(api, flags, signal)
    write(calls.reverse())
    if (!isWhole) process.exitCode = EXIT_CODES.interrupted
    else if (calls.length === 0) await reportNoCalls(api, flags)
    return
  }
  const before = await readEarlierSlowCalls(api, flags)
  const { data } = await readCalls(api, flags, flags.from, flags.limit)
  if (data.length === 0) await requireNames(api, flags)
  write([...data].reverse())
  await followCalls(api, flags, signal, [data, before], write)
}

/** An empty answer about the future would be misleading. */
function requireStartInPast(flags: CallFlags): void {
  if (readEarliestMs(flags) > environment.now() + MAX_CLOCK_SKEW_MS)
    throw new UsageError(`--from: ${flags.from} is in the future; give an earlier time`)
}

async function reportNoCalls(api: ApiEndpoint, flags: CallFlags): Promise<void> {
  await requireNames(api, flags)
  process.stderr.write('no call in the journal matches\n')
}

/** A name without calls may be misspelt. A gateway does not know players and bets. */
async function requireNames(api: ApiEndpoint, { gateway, player, bet, platform }: CallFlags): Promise<void> {
  if (gateway) return
  if (player !== undefined) await requirePlayer(api, player)
  const hasBet = async (filter: Record<string, string>) =>
    ((await getFromApi<Page>(api, `/operator/bets?${new URLSearchParams({ ...filter, limit: '1' })}`))?.data.length ??
      0) > 0
  if (bet !== undefined && !(await hasBet({ transactionId: bet })))
    throw new UsageError(
      `--bet: no bet has the id ${bet}; purser show finds a bet by the first six characters of its id`,
    )
  if (platform !== undefined && !(await hasBet({ platform })))
    throw new UsageError(
      `--platform: no call and no bet of a platform ${platform} exists; give its name in PARTNER_SECRETS`,
    )
}

/**
 * The requested number of calls, newest first. The server limits the time of a search, so a page
 * may be short, and the next page must be requested. An aborted search returns the calls found so
 * far.
 */
async function readNewest(api: ApiEndpoint, flags: CallFlags, ended: AbortSignal) {
  const calls: CallListEntry[] = []
  let isHintPrinted = false
  for (let page = await readCalls(api, flags, flags.from, flags.limit); ; ) {
    calls.push(...page.data)
    const remaining = Number.parseInt(flags.limit, 10) - calls.length
    const { next } = page
    if (next === null || remaining <= 0) return { calls, isWhole: true }
    if (process.stderr.isTTY && !isHintPrinted)
      process.stderr.write('searching older calls; Ctrl-C shows the calls found so far\n')
    isHintPrinted = true
    if (ended.aborted) return { calls, isWhole: false }
    page = await readCalls(api, flags, flags.from, String(remaining), next)
  }
}

/** Slow calls from before the start, which must not be printed as new. */
async function readEarlierSlowCalls(api: ApiEndpoint, flags: CallFlags): Promise<readonly CallListEntry[]> {
  const [newest] = (await readCalls(api, flags, flags.from, '1')).data
  return newest === undefined ? [] : readSlow(api, flags, Date.parse(newest.at))
}

async function followCalls(
  api: ApiEndpoint,
  flags: CallFlags,
  signal: AbortSignal,
  [first, before]: readonly [first: readonly CallListEntry[], before: readonly CallListEntry[]],
  write: (calls: readonly CallListEntry[]) => void,
): Promise<void> {
  const known = new Map([...before, ...first].map(({ id, at }) => [id, Date.parse(at)]))
  const begun = readTimeMs(first.at(-1)) ?? Math.max(environment.now() - MAX_CLOCK_SKEW_MS, readEarliestMs(flags))
  let newest = readTimeMs(first[0]) ?? begun
  while (!signal.aborted) {
    await sleep(POLL_MS, signal)
    if (signal.aborted) return
    const recent = await readAll(api, flags, new Date(Math.max(begun, newest - LATE_MS)).toISOString())
    const found = new Map([...(await readSlow(api, flags, newest)), ...recent].map((call) => [call.id, call]))
    const fresh = [...found.values()].filter(({ id }) => !known.has(id)).sort(compareOldestFirst)
    write(fresh)
    for (const { id, at } of fresh) known.set(id, Date.parse(at))
    newest = Math.max(newest, readTimeMs(fresh.at(-1)) ?? newest)
    for (const [id, at] of known) if (at < newest - SLOW_LATE_MS) known.delete(id)
  }
}

/** Slow calls, as far back as a call that is written now can have begun. */
function readSlow(api: ApiEndpoint, flags: CallFlags, newest: number): Promise<CallListEntry[]> {
  const from = Math.max(newest - SLOW_LATE_MS, readEarliestMs(flags))
  const slowerThan = String(Math.max(SLOW_MS, Number.parseInt(flags.slowerThan ?? '0', 10)))
  return readAll(api, { ...flags, slowerThan }, new Date(from).toISOString())
}

function readEarliestMs({ from }: CallFlags): number {
  return from === undefined ? 0 : Date.parse(from)
}

function readTimeMs(call: CallListEntry | undefined): number | undefined {
  return call && Date.parse(call.at)
}

function compareOldestFirst(a: CallListEntry, b: CallListEntry): number {
  return Date.parse(a.at) - Date.parse(b.at)
}

interface Page {
  readonly data: readonly CallListEntry[]
  readonly next: string | null
}

/** All pages, newest first. */
async function readAll(api: ApiEndpoint, flags: CallFlags, from: string): Promise<CallListEntry[]> {
  const all: CallListEntry[] = []
  let after: string | undefined
  do {
    const page: Page = await readCalls(api, flags, from, '500', after)
    all.push(...page.data)
    after = page.next ?? undefined
  } while (after !== undefined)
  return all
}

async function readCalls(
  api: ApiEndpoint,
  flags: CallFlags,
  from: string | undefined,
  limit: string,
  after?: string,
): Promise<Page> {
  const { player, bet: transactionId, request: requestId, operation, outcome, platform, code, slowerThan } = flags
  const parameters = {
    player,
    transactionId,
    requestId,
    operation,
    outcome,
    platform,
    code,
    slowerThan,
    from,
    limit,
    after,
  }
  const query = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const server = selectServer(flags)
  const page = await getFromApi<Page>(api, `${PATHS[server]}?${query}`)
  if (page === undefined) throw new UsageError(`${api.url} is not a Purser ${server}: check --api`)
  return page
}

/** Format: 18:00:00.123  200    place     accepted            4.2 ms  player-17  bet-4711 */
function formatCall(call: CallListEntry): string {
  const { at, operation, outcome, answer, milliseconds, player = '-', transactionId = '-' } = call
  const status = answer.code === undefined ? String(answer.status) : `${answer.status}/${answer.code}`
  const ms = `${toLoggedMs(milliseconds.arrival + milliseconds.work)} ms`
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
    .replaceAll(/\p{Cc}/gu, '?') // an id could contain terminal control codes
}
