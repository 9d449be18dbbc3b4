/**
 * Command `purser load`: reads balances, sends the load, retries calls in doubt, rereads balances.
 *
 * The exit code is the verdict on the money, also after an interrupted load.
 */

import { createWalletClient } from '@purser/protocol/client/wallet-client'
import { systemClock } from '@purser/runtime/clock'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { printableLines } from '@purser/runtime/text/printable-text'
import { resolveReportFile, writeReport } from '@purser/runtime/text/report-file'
import { type LoadFlags, type LoadOptions, type PlayerSource, parseLoadOptions, resolveStakes } from './load-options.ts'
import { judgePlayerMoney, sortWorstFirst } from './money-verdict.ts'
import type { LoadPlayer } from './player.ts'
import { readPlayerBalances, requirePlayerBalances } from './player-balances.ts'
import { createLoadPlayers, toCreatedPlayer } from './player-creation.ts'
import { readPlayersFile } from './players-file.ts'
import { buildLoadReport, formatLoadJson, type LoadReport } from './report/load-report.ts'
import { createLoadProgress, type LoadTerminal } from './report/progress-line.ts'
import { renderLoadHtml } from './report/report-page.ts'
import { colouredLoadPaint, formatLoadReport, plainLoadPaint } from './report/report-text.ts'
import type { WorkerResult, WorkerTask } from './worker/worker-task.ts'
import { mergeResults, runWorkers } from './worker/worker-threads.ts'

export interface LoadDeps {
  /** Name of the program, for its messages. */
  readonly program: string
  readonly stdout: LoadTerminal
  readonly stderr: LoadTerminal
  readonly noColour: boolean
  readonly signal: AbortSignal
  readonly env: NodeJS.ProcessEnv
}

/** `interrupted`: the load ended before any call was sent. */
const { findings, interrupted } = EXIT_CODES
const EXIT = { right: 0, wrong: findings, undecided: findings, interrupted } as const
const WRITERS = { html: renderLoadHtml, json: formatLoadJson }
/** Intervals on the report page. */
const MAX_INTERVALS = 600
const MS_PER_SECOND = 1_000

/** Resolves to the exit code. */
export async function runLoad(flags: LoadFlags, deps: LoadDeps): Promise<number> {
  const options = await parseLoadOptions(flags, deps.env)
  const files = (flags.report ?? []).map((file) => resolveReportFile(WRITERS, file))
  const report = await loadAndJudge(options, deps)
  if (report === undefined) return EXIT.interrupted
  const paint = deps.stdout.isTTY && !deps.noColour ? colouredLoadPaint : plainLoadPaint
  deps.stdout.write(flags.json ? printableLines(formatLoadJson(report)) : formatLoadReport(report, paint))
  for (const file of files) writeReport(file, report, { ...deps, isPrinted: flags.json === true })
  return EXIT[report.money]
}

async function loadAndJudge(options: LoadOptions, { stderr, signal }: LoadDeps): Promise<LoadReport | undefined> {
  const { baseUrl, secrets, headers, workers } = options
  const live = createLoadProgress(stderr, workers)
  const given = await readGivenPlayers(options.players)
  const stakes = resolveStakes(options.stake, given)
  live.showStatus('players and their balances…')
  const client = createWalletClient({ baseUrl, secrets, headers, part: 'load' })
  try {
    const { players: from } = options
    const players = from.kind === 'file' ? given : await createLoadPlayers(from, from.count, signal)
    const before = signal.aborted ? [] : await requirePlayerBalances(client, players)
    if (signal.aborted) return undefined
    const startedAt = systemClock.now()
    const intervalMs = Math.ceil(options.durationMs / MAX_INTERVALS / MS_PER_SECOND) * MS_PER_SECOND
    const driven = await runWorkersWithPlan({ ...options, players, stakes, intervalMs }, live.tick, signal)
    live.showStatus('balances…')
    const after = await readPlayerBalances(client, players)
    const judged = sortWorstFirst(judgePlayerMoney(players, { before, after }, driven.moved, driven.open))
    const wasInterrupted = signal.aborted && driven.loadMs < options.durationMs
    return buildLoadReport({ options, startedAt, intervalMs, driven, players: judged, wasInterrupted })
  } finally {
    live.end()
    await client.close()
  }
}

/**
 * Players of a file are read before any call. Created players are alike, so a placeholder resolves
 * the stakes.
 */
async function readGivenPlayers(from: PlayerSource): Promise<readonly LoadPlayer[]> {
  return from.kind === 'file' ? readPlayersFile(from.path) : [toCreatedPlayer('', '')]
}

type LoadPlan = Omit<LoadOptions, 'players'> & Pick<WorkerTask, 'players' | 'stakes' | 'intervalMs'>

async function runWorkersWithPlan(
  plan: LoadPlan,
  onTick: Parameters<typeof runWorkers>[1],
  stop: AbortSignal,
): Promise<WorkerResult> {
  const { rate, durationMs, workers, connections } = plan
  const tasks = Array.from({ length: workers }, (_, worker): WorkerTask => {
    const mine = Math.floor(connections / workers)
    return { ...plan, schedule: { rate, durationMs, worker, workers, connections: mine } }
  })
  const driven = mergeResults(await runWorkers(tasks, onTick, stop))
  if (driven === undefined) throw new Error('a load without workers')
  return driven
}
